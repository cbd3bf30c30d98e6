"""What a job is told besides its method and data, as the native part reads it."""

from __future__ import annotations

import json
import os
from typing import Any

from ._texts import words


def request(**given: Any) -> str:
    """JSON without what was not given."""
    if given.get("accept") is not None:
        given["accept"] = words(given["accept"])
    if given.get("declare_public") is not None:
        given["declare_public"] = ",".join(words(given["declare_public"])) or None
    for name in ("ledger", "out"):
        if given.get(name) is not None:
            given[name] = os.fspath(given[name])
    return json.dumps({name: value for name, value in given.items() if value is not None})
