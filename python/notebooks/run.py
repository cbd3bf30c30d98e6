"""Executes the notebooks, as CI does: python notebooks/run.py [NAME …].

Cells are kept in ``*.py`` files with ``# %%`` between them, which are easy to review; this makes
the notebooks of them (``--write``), and runs them with Jupyter, so that rich display is run too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def notebook(source: Path) -> nbformat.NotebookNode:
    """The notebook of a file of cells."""
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, cell in enumerate(source.read_text(encoding="utf-8").split("# %%")[1:]):
        kind, _, body = cell.partition("\n")
        if kind.strip() == "[markdown]":
            lines = (line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines())
            cell = nbformat.v4.new_markdown_cell("\n".join(lines))
        else:
            cell = nbformat.v4.new_code_cell(body.strip())
        cell["id"] = f"cell-{number}"
        made.cells.append(cell)
    return made


def main() -> int:
    """Writes or runs all of them, or those that are named."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    sources = sorted(path for path in HERE.glob("[0-9]*.py") if not names or path.stem in names)
    for source in sources:
        made = notebook(source)
        if "--write" in sys.argv:
            nbformat.write(made, source.with_suffix(".ipynb"))
            continue
        kept = source.with_suffix(".ipynb")
        if not kept.exists() or nbformat.read(kept, 4) != made:
            print(f"{kept.name} is not that of {source.name}: python notebooks/run.py --write", file=sys.stderr)
            return 1
        start = time.monotonic()
        os.environ["PYTHONPATH"] = str(HERE.parent)
        NotebookClient(
            made,
            timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": str(HERE)}},
            extra_arguments=["--log-level=ERROR"],
        ).execute()
        print(f"notebook {source.stem}: ran in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
