"""Time and memory of the package beside those of the command, on the same job.

python bench.py DATA [--arrays] [--repeats N] [--veil PATH] [--method NAME SETTING=VALUE …]

Both run as processes of their own, in turns. Of the package, the time of the call is shown, and
that of the whole process with its imports; with ``--arrays`` the data are numpy arrays in memory
before the call. Memory is the largest resident set of the process. Beside other work, processor
time says more than seconds. The package should be a release build: make wheel, and pip install it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

USUAL = ["cascade", "epsilon_edges=4"]
PARTS = {"train": "train_mask", "val": "val_mask", "test": "test_mask"}


def arrays(folder: Path) -> dict[str, Any]:
    """A folder in our format as PyG would hold it."""
    import numpy as np

    cached = folder / "arrays.npz"
    if not cached.exists():
        ends = np.loadtxt(folder / "edges.csv", dtype=np.int64, delimiter=",", skiprows=1).T
        labels = np.loadtxt(folder / "labels.csv", dtype=np.int64, delimiter=",", skiprows=1)[:, 1]
        with (folder / "splits.csv").open(encoding="utf-8") as file:
            parts = np.array([row["split"] for row in csv.DictReader(file)])
        masks = {mask: parts == part for part, mask in PARTS.items()}
        rows = np.load(folder / "features.npy")
        np.savez(cached, edge_index=np.ascontiguousarray(ends), x=rows, y=labels, num_nodes=len(labels), **masks)
    with np.load(cached) as stored:
        return {name: stored[name] for name in stored.files}


def package(data: str, from_arrays: bool, method: list[str]) -> None:
    """The child process of the package: prints the seconds and processor seconds of the call."""
    import veilgraph as vg

    name, *settings = method
    given: Any = arrays(Path(data)) if from_arrays else data
    chosen = vg.method(name, **dict(setting.split("=", 1) for setting in settings))
    home = tempfile.mkdtemp()
    start, worked = time.monotonic(), time.process_time()
    chosen.train(given, out=f"{home}/run", declare_public="classes")
    found = time.monotonic() - start, time.process_time() - worked
    shutil.rmtree(home)
    print(json.dumps(found))


def measured(command: list[str]) -> tuple[str, float, float, float]:
    """Output, seconds, processor seconds and largest resident set (MB) of a process."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return said, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Measures both, or is the child."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--method", nargs="+", default=USUAL, metavar="NAME")
    parser.add_argument("--arrays", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--veil", default=str(Path(sys.executable).with_name("veil")))
    parser.add_argument("--child", action="store_true")
    asked = parser.parse_args()
    if asked.child:
        package(asked.data, asked.arrays, asked.method)
        return
    if asked.arrays:
        arrays(Path(asked.data))
    name, *settings = asked.method
    flags = [word for it in settings for word in ("--" + it.split("=")[0].replace("_", "-"), it.split("=", 1)[1])]
    child = [sys.executable, __file__, asked.data, "--child", *["--arrays"] * asked.arrays, "--method", *asked.method]
    rows: dict[str, list[tuple[float, ...]]] = {"command": [], "call": [], "process": []}
    for _ in range(asked.repeats):
        home = tempfile.mkdtemp()
        command = [asked.veil, "train", asked.data, "--method", name, *flags, "--out", f"{home}/run"]
        rows["command"].append(measured([*command, "--declare-public", "classes"])[1:])
        shutil.rmtree(home)
        said, *whole = measured(child)
        rows["process"].append(tuple(whole))
        rows["call"].append((*json.loads(said), whole[-1]))
    middle = {who: [statistics.median(column) for column in zip(*found, strict=True)] for who, found in rows.items()}
    print(f"{'':10}{'seconds':>10}{'processor':>12}{'MB':>10}   medians of {asked.repeats}; shares of the command's")
    for who, found in middle.items():
        shares = "  ".join(f"{ours / theirs:.3f}" for ours, theirs in zip(found, middle["command"], strict=True))
        print(f"{who:10}{found[0]:10.3f}{found[1]:12.3f}{found[2]:10.0f}   {shares}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
