"""What a notebook shows: small tables that need no style sheet and no script."""

import html
import math
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence

_COLOURS = {"VALID": "#1a7f37", "SUSPECT": "#9a6700", "INVALID": "#cf222e"}
_GREY = "#57606a"
# Labels, sentences and paths come from outside: each is escaped, and none is longer than this.
_LONGEST = 300
_CELL = "padding:2px 10px;border-bottom:1px solid rgba(128,128,128,.35);"


def plain(value: Any) -> str:
    """A text from outside on one line, bounded, without what a terminal would obey."""
    words = " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def text(value: Any) -> str:
    """A text from outside, escaped and bounded."""
    return html.escape(plain(value), quote=True)


def number(value: Any) -> str:
    """A number with four digits that count; what is not known is n/a."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        return "n/a"
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    if value == int(value):
        return f"{value:,.0f}"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 9)}f}"


def percent(share: Optional[float]) -> str:
    """A share as a change in percent."""
    return "n/a" if share is None or math.isnan(share) else f"{share * 100:+.1f} %"


def badge(words: str, level: str = "") -> str:
    colour = _COLOURS.get(level or words, _GREY)
    return f'<span style="background:{colour};color:#fff;padding:1px 8px;border-radius:3px;font-weight:600">{text(words)}</span>'


def line(*parts: str) -> str:
    """A line of parts that are HTML already."""
    return f'<div style="margin:2px 0;text-align:left">{" ".join(part for part in parts if part)}</div>'


def small(words: str) -> str:
    return f'<div style="margin:2px 0;text-align:left;font-size:90%;opacity:.8">{text(words)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table of texts that are not escaped yet; so many columns from the left are words."""
    align: List[str] = ["left" if i < left else "right" for i in range(len(heads))]
    cells = [f'<th style="{_CELL}text-align:{a}">{text(h)}</th>' for a, h in zip(align, heads)]
    body = ["<tr>" + "".join(cells) + "</tr>"]
    for row in rows:
        cells = [f'<td style="{_CELL}text-align:{a}">{text(c)}</td>' for a, c in zip(align, row)]
        body.append("<tr>" + "".join(cells) + "</tr>")
    return f'<table style="border-collapse:collapse;margin:4px 0">{"".join(body)}</table>'


class Card(NamedTuple):
    """One number with what it is; texts that are not escaped yet."""

    name: str
    value: str
    unit: str
    note: str = ""


def cards(list_: Sequence[Card]) -> str:
    """Cards side by side, as many as the notebook is wide."""
    one = '<div style="border:1px solid rgba(128,128,128,.35);border-radius:6px;padding:6px 12px;min-width:9em;text-align:left">'
    made = [f'{one}{small(c.name)}<div><b style="font-size:150%">{text(c.value)}</b> {text(c.unit)}</div>{small(c.note) if c.note else ""}</div>' for c in list_]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px;margin:6px 0">{"".join(made)}</div>'


def details(name: str, inner: str) -> str:
    """HTML that is folded away."""
    return f'<details style="margin:4px 0;text-align:left"><summary>{text(name)}</summary>{inner}</details>'


def page(*parts: str) -> str:
    return '<div style="font-family:sans-serif;line-height:1.4">' + "".join(part for part in parts if part) + "</div>"
