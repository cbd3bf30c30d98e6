"""Propagation of features, for models that are trained elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import as_array, ends_of
from ._errors import DataError


def kprop(edge_index: Any, x: Any, hops: int) -> npt.NDArray[np.float32]:
    """LPGNN's KProp: the rows of ``x`` after ``hops`` steps of Σ x_u/√(d_v·d_u). Messages flow from
    the first row of ``edge_index`` to the second, as in PyG; self loops are left out.

    It is what our networks do to noisy features before the first layer (``kx``). It averages the
    noise of reports away, so train your own model on its result.

    >>> import numpy as np, veilgraph as vg
    >>> edges = np.array([[0, 1], [1, 0]])
    >>> vg.kprop(edges, np.array([[1.0], [3.0]]), hops=1)
    array([[3.],
           [1.]], dtype=float32)
    """
    source, target = ends_of(edge_index)
    rows = as_array(x, "x").astype(np.float32, copy=False)
    if rows.ndim != 2:
        raise DataError(f"x has the shape {rows.shape}: expected a row for each node")
    return _native.kprop(target, source, rows, hops)
