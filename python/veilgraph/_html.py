"""Tables for notebooks."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_STYLE = "border-collapse:collapse;margin:0.5em 0"
_CELL = "text-align:left;padding:0.2em 0.8em;border-bottom:1px solid #8884"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table; every text is escaped."""
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(str(cell))}</td>' for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption style='text-align:left;font-weight:bold'>{escape(caption)}</caption>" if caption else ""
    return f'<table style="{_STYLE}">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def warning(text: str) -> str:
    """A line that must not be overlooked."""
    return f'<p style="color:#b00020;font-weight:bold">{escape(text)}</p>'


def framed(page: str, height: int = 640) -> str:
    """A whole page inside a notebook. The frame runs none of its scripts: it shows without them."""
    data = base64.b64encode(page.encode()).decode()
    source = f"data:text/html;charset=utf-8;base64,{data}"
    return f'<iframe sandbox src="{source}" style="width:100%;height:{height}px;border:0"></iframe>'


def percent(share: float | None) -> str:
    """A share, to one place."""
    return "unknown" if share is None else f"{100 * share:.1f} %"
