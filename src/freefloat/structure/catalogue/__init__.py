"""Catalogues: module types and interfaces, their files and fields; the shipped ones lie here."""
