"""What the library registers, as Python names it."""

from __future__ import annotations

import json
import keyword
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _native
from ._texts import decimal


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a method, an attack or an audit."""

    name: str
    help: str
    group: str
    kind: str
    words: tuple[str, ...]
    expected: str
    default: Any

    @classmethod
    def of(cls, listed: dict[str, Any]) -> Parameter:
        """From the registry."""
        return cls(**{**listed, "words": tuple(listed["words"])})

    @property
    def keyword(self) -> str:
        """Its name in Python."""
        return in_python(self.name)

    @property
    def annotation(self) -> str:
        """Its type in Python."""
        if self.kind == "word":
            return "Literal[" + ", ".join(json.dumps(word) for word in self.words) + "] | None"
        kinds = {"epsilon": "Epsilon | None", "real": "float | None", "whole": "int | None", "switch": "bool | None"}
        return kinds[self.kind]

    def described(self) -> str:
        """One line of documentation."""
        choices = f"; one of {', '.join(self.words)}" if self.words else ""
        default = "" if self.default is None or "[" in self.help else f" [default: {self.default}]"
        return f"{self.keyword}: {self.help}{choices}{default}"


@cache
def registry() -> dict[str, list[dict[str, Any]]]:
    """Every table."""
    found: dict[str, list[dict[str, Any]]] = json.loads(_native.registry())
    return found


def parameters(entry: dict[str, Any], table: str = "parameters") -> dict[str, Parameter]:
    """The parameters of an entry, by their names in Python."""
    listed = (Parameter.of(it) for it in entry[table])
    return {it.keyword: it for it in listed}


def in_python(name: str) -> str:
    """A name of the library as Python writes it; ``lambda`` is a word of the language.

    >>> in_python("epsilon-edges"), in_python("lambda")
    ('epsilon_edges', 'lambda_')
    """
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def setting(name: str) -> str:
    """A name of Python as the library writes it.

    >>> setting("epsilon_edges"), setting("lambda_")
    ('epsilon-edges', 'lambda')
    """
    return name.removesuffix("_").replace("_", "-")


def settings(given: dict[str, Any]) -> str:
    """The given values as texts, like flags of the command; ``None`` leaves a default. The library
    alone knows which names there are, and which values they take.
    """
    return json.dumps({setting(name): _text(name, value) for name, value in given.items() if value is not None})


def _text(name: str, value: Any) -> str:
    return str(bool(value)).lower() if isinstance(value, (bool, np.bool_)) else decimal(value, name)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


@cache
def class_names() -> dict[str, str]:
    """The class of every method: the paper's spelling if the registry has it, else in camel case."""
    abouts = [re.findall(r"[\w-]+", entry["about"]) for entry in registry()["methods"]]
    acronyms = {word.lower(): word for about in abouts for word in about if len(re.findall("[A-Z]", word)) > 1}
    named = {}
    for entry, about in zip(registry()["methods"], abouts, strict=True):
        name = entry["name"]
        spelled = [word for word in about if _letters(word) == _letters(name) and word != word.lower()]
        camel = "".join(acronyms.get(part, part.capitalize()) for part in name.split("-"))
        named[name] = re.sub(r"\W", "", spelled[0]) if spelled else camel
    return named
