"""Published numbers and closed forms against ours: `freefloat verify`.

`case` is how a comparison is written, `runner` runs them, `report` shows them; `oracles` hold the answers
that come from elsewhere, `cases` one module per topic.
"""
