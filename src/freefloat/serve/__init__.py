"""Servers: processes that others connect to, and what operators see of them."""
