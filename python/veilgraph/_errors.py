"""The exceptions and warnings of the package. The table from library errors to these is in Rust."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache


class VeilError(Exception):
    """Something failed. The message says what and where; ``hint`` says what to do about it.

    >>> import veilgraph as vg
    >>> try:
    ...     vg.open("no-such-folder")
    ... except vg.DataError as error:
    ...     print(error)
    no-such-folder: no such path, and no known data set of this name
    """

    hint: str | None = None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> tuple[type[VeilError], tuple[str, str | None]]:
        return type(self), (str(self), self.hint)


class BudgetError(VeilError, ValueError):
    """The ledger cannot pay: nothing was released."""


class ParameterError(VeilError, ValueError):
    """A parameter is unknown, out of range, missing or without effect."""


class DataError(VeilError, ValueError):
    """Data cannot be read, or do not fit together."""


class NotProvenError(VeilError):
    """The guarantee is not proven, and nobody accepted that."""


class NotDeclaredError(VeilError):
    """A fact would leave without a mechanism, and nobody gave it or declared it public."""


class ReleaseConflict(VeilError):
    """The result, the release or the ledger is there already, in use, or about other data."""


class VeilWarning(UserWarning):
    """Something that the owner of the data should know."""


class NotPrivateWarning(VeilWarning):
    """The result is reproducible, therefore not private."""


@cache
def _names() -> re.Pattern[str]:
    from . import _native

    registry = json.loads(_native.registry())
    entries = [entry for table in ("methods", "attacks", "subjects") for entry in registry[table]]
    names = {it["name"] for entry in entries for it in entry["parameters"] if "-" in it["name"]}
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(r"(?<![\w/.\"'-])(" + "|".join(map(re.escape, longest)) + r")(?![\w/.\"'-])")


def in_python(text: str) -> str:
    """Names of parameters as Python writes them."""
    return _names().sub(lambda found: found.group().replace("-", "_"), text)


def explain(kind: str, message: str, hint: str | None) -> VeilError:
    """The exception of a library error."""
    made: type[VeilError] = globals()[kind]
    return made(in_python(message), None if hint is None else in_python(hint))


def warn(message: str) -> None:
    """A warning of the library."""
    warnings.warn(message, VeilWarning, stacklevel=2)


def warn_of_seed(seed: int | None, stacklevel: int = 3) -> None:
    """A known seed makes noise reproducible."""
    if seed is not None:
        message = f"seed={seed}: the noise is reproducible, therefore not private"
        warnings.warn(message, NotPrivateWarning, stacklevel=stacklevel)
