"""Pictures of a campaign. Each module has one function that draws one picture, or None where there is nothing."""
