"""Values as the library reads them: exact decimals, lists of words, paths."""

from __future__ import annotations

import os
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeAlias

from ._errors import ParameterError

Epsilon: TypeAlias = float | int | str | Decimal
PathLike: TypeAlias = str | os.PathLike[str]
Words: TypeAlias = str | Iterable[str]
Split: TypeAlias = str | tuple[float, float, float]


def decimal(value: Any, name: str = "epsilon") -> str:
    """The decimal text of a number: 0.1 is "0.1", not the binary number next to it. Texts stay as
    they are.

    >>> decimal(0.1), decimal(4), decimal(float("inf")), decimal("1e-5")
    ('0.1', '4', 'inf', '1e-5')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return "inf" if value.is_infinite() else format(value, "f")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ParameterError(f"{name} = {value!r}: expected a number")
    # The shortest decimal that is this number, also of numpy's short floats.
    return (str(value) if hasattr(value, "dtype") else repr(value)).removesuffix(".0")


def words(value: Words | None) -> list[str]:
    """A list of words, from one text with commas or from several."""
    if value is None:
        return []
    parts = value.split(",") if isinstance(value, str) else value
    return [part.strip() for part in parts if part.strip()]


def facts(value: Words | None) -> str | None:
    """Facts as one text."""
    listed = words(value)
    return ",".join(listed) if listed else None


def split(value: Split | None) -> str | None:
    """A split as a text: public, all, or three shares."""
    if value is None or isinstance(value, str):
        return value
    return ",".join(decimal(share, "split") for share in value)


def interval(value: str | tuple[float, float] | None) -> str | None:
    """A range as a text: public, data, or two numbers."""
    if value is None or isinstance(value, str):
        return value
    low, high = value
    return f"{decimal(low, 'range')},{decimal(high, 'range')}"


def path(value: PathLike | None) -> str | None:
    """A path as a text."""
    return None if value is None else os.fspath(value)
