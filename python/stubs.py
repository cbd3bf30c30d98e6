"""Writes the stub of the package, in which every method of the registry is a class.

The part that is written by hand is in ``veilgraph/__init__.py`` itself; a test compares the file
with what this writes: ``python stubs.py [--check]``.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path

import veilgraph
from veilgraph._registry import class_names, parameters, registry

HERE = Path(veilgraph.__file__).parent
HEAD = """# Written by stubs.py from the registry: do not edit.
from typing import Final, Literal

"""


def _imports() -> str:
    """The imports of the package, as re-exports."""
    tree = ast.parse((HERE / "__init__.py").read_text(encoding="utf-8"))
    lines = []
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or node.module == "__future__":
            continue
        names = [name.name for name in node.names if name.asname is None and name.name != "__version__"]
        if names:
            source = "." + (node.module or "")
            lines.append(f"from {source} import " + ", ".join(f"{name} as {name}" for name in names))
    return "\n".join(lines)


def stub() -> str:
    """The whole stub."""
    parts = [HEAD + _imports() + "\nfrom ._texts import Epsilon\n\n__version__: Final[str]\n"]
    parts.append(f"__all__ = {sorted(veilgraph.__all__)!r}\n")
    for entry in registry()["methods"]:
        listed = "".join(f"        {it.keyword}: {it.annotation} = None,\n" for it in parameters(entry).values())
        fields = "".join(f"    {it.keyword}: {it.annotation}\n" for it in parameters(entry).values())
        about = textwrap.indent(f'"""{entry["about"]}."""', "    ")
        name = class_names()[entry["name"]]
        init = f"    def __init__(\n        self,\n        *,\n{listed}    ) -> None: ...\n"
        parts.append(f"class {name}(Method):\n{about}\n{fields}{init}")
    return "\n".join(parts)


def main() -> int:
    """Writes the file, or compares it."""
    path = HERE / "__init__.pyi"
    if "--check" in sys.argv:
        same = path.exists() and path.read_text(encoding="utf-8") == stub()
        if not same:
            print(f"{path} is not what stubs.py writes: run python stubs.py", file=sys.stderr)
        return 0 if same else 1
    path.write_text(stub(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
