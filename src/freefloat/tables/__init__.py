"""Whole tables of the papers, made anew by runs of the scenarios, with the published numbers beside ours."""
