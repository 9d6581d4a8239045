"""Pages that hold all they show: how they look, and their frame. Nothing is loaded from elsewhere."""

from __future__ import annotations

import html
import re

STYLE = """
:root { --ink:#1d2733; --soft:#5b6876; --line:#dde3ea; --paper:#fff; --ground:#f4f6f9; --good:#1a7f4b; --bad:#b3261e;
  --warn:#9a6700; --none:#5b6876; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6ebf1; --soft:#9aa7b5; --line:#2d3846; --paper:#18202a;
  --ground:#10161e; --good:#56d08e; --bad:#ff8a80; --warn:#e3b341; --none:#9aa7b5; } .plot { background:#fff; } }
* { box-sizing:border-box; }
body { margin:0; background:var(--ground); color:var(--ink);
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif; }
main { max-width:1100px; margin:0 auto; padding:2rem 1.25rem 4rem; }
h1 { font-size:1.7rem; margin:0 0 .25rem; } h2 { font-size:1.1rem; margin:0; }
.soft { color:var(--soft); } .lead { margin:0 0 1.5rem; }
.counts { display:flex; flex-wrap:wrap; gap:.75rem; margin:0 0 1.75rem; padding:0; list-style:none; }
.counts li { background:var(--paper); border:1px solid var(--line); border-radius:10px;
  padding:.6rem 1.1rem; min-width:8rem; }
.counts b { display:block; font-size:1.6rem; font-variant-numeric:tabular-nums; }
section { background:var(--paper); border:1px solid var(--line); border-radius:12px;
  padding:1.1rem 1.25rem; margin:0 0 1.25rem; }
.scroll { overflow-x:auto; } table { border-collapse:collapse; width:100%; margin-top:.75rem; font-size:.92rem; }
th { text-align:left; font-weight:600; color:var(--soft); border-bottom:2px solid var(--line);
  padding:.3rem .6rem; white-space:nowrap; }
td { border-bottom:1px solid var(--line); padding:.4rem .6rem; vertical-align:top; }
.num { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap; }
.pass { color:var(--good); } .fail { color:var(--bad); } .known { color:var(--warn); } .compared { color:var(--none); }
.verdict { font-weight:600; white-space:nowrap; } code { font-size:.92em; }
nav { display:flex; flex-wrap:wrap; gap:.4rem; margin:0 0 1.75rem; }
nav a { color:inherit; text-decoration:none; font-size:.88rem; background:var(--paper); border:1px solid var(--line);
  border-radius:999px; padding:.1rem .7rem; } nav a:hover { border-color:var(--soft); }
.source { color:var(--soft); font-size:.88rem; }
.plots { display:flex; flex-wrap:wrap; gap:1rem; margin-top:1rem; } .plot { max-width:100%; border-radius:8px; }
.plot svg { display:block; max-width:100%; height:auto; } pre { overflow-x:auto; font-size:.82rem; color:var(--bad); }
"""


def page(title: str, body: str) -> str:
    """A whole page; the title is escaped, the body is HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )


def prose(text: str) -> str:
    """Escaped text with `names` in backquotes as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
