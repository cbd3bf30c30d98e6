#!/usr/bin/env bash
# The Python package: `python/test.sh test|lint|write|wheel`, in a virtual environment under target/.
# Says why, and succeeds, where there is no Python 3.11 or PyPI cannot be reached. `write` writes what
# follows from the registry and the docstrings: the stub, docs/python.md and the notebooks.
set -euo pipefail
cd "$(dirname "$0")"

skip() { echo "python: skipped, $1"; exit 0; }

python=$(command -v python3 || true)
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$("$python" --version) is older than 3.11"

venv=$PWD/../target/python
if ! cmp -s requirements-test.txt "$venv/installed.txt"; then
    "$python" -m venv "$venv" >/dev/null 2>&1 || skip "python3 has no venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 -r requirements-test.txt >"$venv/pip.log" 2>&1 ||
        skip "PyPI cannot be reached: $(tail -n 1 "$venv/pip.log")"
    cp requirements-test.txt "$venv/installed.txt"
fi

# Not by `maturin develop`, which cannot build with the profile of the Rust tests: their dependencies,
# and the command that the tests compare with, are compiled with it.
build() {
    PYO3_BUILD_EXTENSION_MODULE=1 cargo build --profile test --quiet --locked --package veilgraph --package veil-py
    # Renamed into its place, because a process may have the old one in memory.
    cp ../target/debug/libveilgraph_native.so veilgraph/_native.abi3.so.new
    mv veilgraph/_native.abi3.so.new veilgraph/_native.abi3.so
}

case ${1:-test} in
lint)
    build
    "$venv/bin/python" stubs.py --check
    "$venv/bin/python" docs.py --check
    "$venv/bin/ruff" check .
    "$venv/bin/ruff" format --check .
    "$venv/bin/mypy"
    "$venv/bin/python" -m mypy.stubtest veilgraph --mypy-config-file pyproject.toml --allowlist stubtest-allowlist.txt
    ;;
write)
    build
    "$venv/bin/python" stubs.py
    "$venv/bin/python" docs.py
    "$venv/bin/python" notebooks/run.py --write
    ;;
test)
    build
    "$venv/bin/python" -m pytest tests veilgraph
    "$venv/bin/python" notebooks/run.py
    # PyG with Debian's torch, which only the system's python sees; the same extension fits it.
    if [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import torch, torch_geometric, pytest' 2>/dev/null; then
        echo "python tests with torch:"
        PYTHONPATH=$PWD /usr/bin/python3 -m pytest tests/test_pyg.py
    else
        echo "python tests skipped: PyG, torch and torch_geometric are not under /usr/bin/python3"
    fi
    ;;
wheel)
    empty=$PWD/../target/wheel-test
    rm -rf "$empty"
    "$python" -m venv "$empty"
    "$empty/bin/pip" install --quiet --disable-pip-version-check dist/veilgraph-*.whl
    "$empty/bin/pip" list --disable-pip-version-check
    cd "$empty"
    "$empty/bin/veil" --version
    cora=${VEIL_DATA:-../../../shared/data}/cora
    [ -e "$cora" ] || cora=
    time "$empty/bin/python" "$OLDPWD/examples/five_lines.py" $cora
    ;;
*)
    echo "python/test.sh test|lint|write|wheel" >&2
    exit 2
    ;;
esac
