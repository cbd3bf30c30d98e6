"""Arrays of anything that has them, as the native part reads them.

64-bit whole numbers and 32-bit features are passed on as they are; other types and layouts are
converted.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._errors import DataError, ParameterError

Array: TypeAlias = npt.NDArray[Any]

PARTS = ("train", "val", "test", "none")


def as_array(given: Any, name: str) -> Array:
    """An array of anything that has one; tensors are taken from their device first."""
    for step in ("detach", "cpu"):
        if hasattr(given, step):
            given = getattr(given, step)()
    if hasattr(given, "numpy") and not isinstance(given, np.ndarray):
        given = given.numpy()
    try:
        # A field of packed records does not lie where processors read numbers: it is copied.
        return np.require(given, requirements="A")
    except Exception as error:
        raise DataError(f"{name}: {type(given).__name__} is no array: {error}") from error


def whole_numbers(given: Any, name: str) -> npt.NDArray[np.int64]:
    array = as_array(given, name)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "biuf":
        raise DataError(f"{name}: expected whole numbers, not {array.dtype}")
    if array.dtype == np.int64:
        return array
    known = np.where(np.isnan(array), -1, array) if array.dtype.kind == "f" else array
    with np.errstate(invalid="ignore"):
        whole: npt.NDArray[np.int64] = known.astype(np.int64)
    wrong = np.flatnonzero((whole != known) | ((whole < 0) & (known > 0)))
    if wrong.size:
        raise DataError(f"{name}: expected whole numbers of 64 bits, not {known.ravel()[wrong[0]]}")
    return whole


def count(given: Any, name: str) -> int | None:
    """How many of something there are."""
    if given is None:
        return None
    try:
        count = operator.index(given)
    except TypeError:
        raise ParameterError(f"{name} = {given!r}: expected a whole number") from None
    if not 0 <= count < 1 << 64:
        raise ParameterError(f"{name} = {count}: expected a number of things")
    return count


def ends_of(given: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    ends = whole_numbers(given, "edge_index")
    if ends.ndim != 2 or 2 not in ends.shape:
        raise DataError(f"edge_index has the shape {ends.shape}: expected [2, edges]")
    if ends.shape[0] != 2:
        ends = ends.T
    return ends[0], ends[1]


def features_of(given: Any) -> Any:
    if given is None:
        return None
    if hasattr(given, "tocsr"):
        rows = given.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        offsets, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
        return offsets, columns, rows.data.astype(np.float32), int(rows.shape[1])
    if hasattr(given, "is_sparse") and given.is_sparse:
        given = given.to_dense()
    rows = as_array(given, "x")
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise DataError(f"x has the shape {rows.shape} and type {rows.dtype}: expected rows of numbers")
    return rows.astype(np.float32, copy=False)


def rows_of(features: Any) -> int | None:
    if features is None:
        return None
    return len(features[0]) - 1 if isinstance(features, tuple) else len(features)


def labels_of(given: Any) -> npt.NDArray[np.int64] | None:
    if given is None:
        return None
    labels = whole_numbers(given, "y")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y has the shape {labels.shape}: expected one class for each node")
    return np.where(labels < 0, -1, labels)


def parts_of(nodes: int, masks: Sequence[Any]) -> npt.NDArray[np.uint8] | None:
    parts: npt.NDArray[np.uint8] | None = None
    for part, given in enumerate(masks):
        if given is None:
            continue
        name = f"{PARTS[part]}_mask"
        mask = as_array(given, name)
        if mask.shape != (nodes,):
            hint = "choose one of its columns" if mask.ndim == 2 else None
            raise DataError(f"{name} has the shape {mask.shape}: expected one value for each of {nodes} nodes", hint)
        parts = np.full(nodes, 3, dtype=np.uint8) if parts is None else parts
        mask = mask.astype(bool)
        twice = np.flatnonzero(mask & (parts != 3))
        if twice.size:
            raise DataError(f"{name}: node {twice[0]} is also in the part {PARTS[parts[twice[0]]]}")
        parts[mask] = part
    return parts


def within(features: Any, feature_range: tuple[float, float]) -> None:
    """Refuses features outside of the range that is given for them."""
    # What is not stored is zero.
    values = np.append(features[2], np.float32(0)) if isinstance(features, tuple) else features
    outside = values[(values < feature_range[0]) | (values > feature_range[1])]
    if outside.size:
        low, high = feature_range
        raise DataError(f"x has the value {outside.ravel()[0]}, outside of feature_range = ({low}, {high})")
