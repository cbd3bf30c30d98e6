"""Progress: a callback, or tqdm where it is installed and somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Callback: TypeAlias = Callable[[str, int, int], object]
Progress: TypeAlias = bool | Callback | None


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()


@contextmanager
def following(progress: Progress) -> Iterator[Callback | None]:
    """What the native part calls with the step, how much is done, and how much there is."""
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not _is_watched()):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bar: Any = None

    def show(step: str, done: int, of: int) -> None:
        nonlocal bar
        if bar is None or bar.desc != f"{step}: ":
            if bar is not None:
                bar.close()
            bar = tqdm(total=of or None, leave=False)
            bar.set_description(step)
        bar.n = done
        bar.refresh()

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
