"""References and planners of floating platforms: closed forms, optimal plans by collocation."""
