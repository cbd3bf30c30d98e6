"""Writes docs/python.md from the docstrings: ``python docs.py [--check]``."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

import veilgraph as vg
import veilgraph.sklearn as vg_sklearn

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python.md"
HEAD = (Path(__file__).parent / "docs_head.md").read_text(encoding="utf-8")
WIDTH = 100

SECTIONS: dict[str, list[Any]] = {
    "Data": [vg.dataset, vg.open, vg.from_arrays, vg.from_tables, vg.generate, vg.Dataset],
    "Methods": [vg.methods, vg.method, vg.Method, vg.Method.train],
    "Choosing": [vg.choose, vg.Choice],
    "Releases and runs": [
        vg.privatize, vg.Release, vg.Run, vg.Run.infer, vg.Run.publish, vg.open_run, vg.Predictions,
    ],
    "Ledgers and statements": [vg.Ledger, vg.Statement, vg.Guarantee],
    "Attacks": [vg.attack.linkteller, vg.attack.lsa, vg.attack.membership, vg.attack.Attack, vg.attack.Membership],
    "Audits": [vg.audit.run, vg.audit.all, vg.audit.subjects, vg.audit.mechanism, vg.audit.scores, vg.audit.Audit],
    "Accounting": [vg.account.privgnn, vg.account.pate, vg.account.calibrate, vg.account.Account],
    "Experiments": [vg.sweep, vg.Sweep],
    "Your own model": [vg.kprop],
    "scikit-learn": [vg_sklearn.PrivateGraphClassifier],
    "Errors and warnings": [
        vg.VeilError, vg.BudgetError, vg.ParameterError, vg.DataError, vg.NotProvenError, vg.NotDeclaredError,
        vg.ReleaseConflict, vg.VeilWarning, vg.NotPrivateWarning,
    ],
}  # fmt: skip


def _name(item: Any) -> str:
    module = item.__module__.removeprefix("veilgraph").lstrip(".")
    shown = module if module in {"attack", "audit", "account", "sklearn"} else ""
    return ".".join(part for part in ("vg", shown, item.__qualname__) if part)


def _signature(item: Any) -> str:
    """What is called, with defaults; types are in the stub."""
    try:
        listed = list(inspect.signature(item).parameters.values())
    except ValueError:
        return ""
    bare = [it.replace(annotation=inspect.Parameter.empty) for it in listed if it.name not in {"self", "cls"}]
    return str(inspect.Signature(bare))


def _prose(text: str) -> Iterator[str]:
    """Paragraphs of a docstring as Markdown; examples become code."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.startswith(">>>"):
            yield f"```python\n{paragraph}\n```"
        else:
            yield textwrap.fill(" ".join(paragraph.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def _members(item: type) -> Iterator[str]:
    """A line for every documented member of a class."""
    for name, member in vars(item).items():
        found = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if name.startswith("_") or name == "native" or not getattr(found, "__doc__", None) or not callable(found):
            continue
        call = "" if isinstance(member, property) else "()"
        summary = next(_prose(found.__doc__)).replace("\n", " ")
        yield textwrap.fill(f"- `{name}{call}`: {summary}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _entry(item: Any) -> str:
    parts = [f"### `{_name(item)}`"]
    is_class = isinstance(item, type)
    # Others are made by functions.
    if not is_class or issubclass(item, BaseEstimator):
        called = textwrap.fill(f"{_name(item)}{_signature(item)}", WIDTH, subsequent_indent="    ")
        parts.append(f"```python\n{called}\n```")
    parts += _prose(item.__doc__ or "")
    if is_class and not issubclass(item, Exception):
        parts.append("\n".join(_members(item)))
    return "\n\n".join(part for part in parts if part)


def _methods() -> str:
    rows = ["| class | method | protects | status | |", "|---|---|---|---|---|"]
    for method in vg.methods():
        status = method.status if method.protects else "–"
        rows.append(
            f"| `vg.{method.__name__}` | `{method.name}` | {method.protects or '–'} | {status} | {method.about} |"
        )
    return "\n".join(rows)


def page() -> str:
    """The whole page."""
    parts = ["<!-- Written by python/docs.py: edit the docstrings, or python/docs_head.md. -->", HEAD.strip()]
    parts += ["## Every method is a class", _methods()]
    for title, items in SECTIONS.items():
        parts += [f"## {title}", *(_entry(item) for item in items)]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Writes the page, or compares it."""
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            print(f"{PAGE} is not what the docstrings say: run python docs.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
