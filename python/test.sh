#!/usr/bin/env bash
# The Python package: `python/test.sh test` or `python/test.sh lint`, in a virtual environment under
# target/. Says why, and succeeds, where there is no Python 3.11 or PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")"

skip() { echo "python: skipped, $1"; exit 0; }

python=$(command -v python3 || true)
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$("$python" --version) is older than 3.11"

venv=$PWD/../target/python
if ! cmp -s requirements-test.txt "$venv/installed.txt"; then
    "$python" -m venv "$venv" >/dev/null 2>&1 || skip "python3 has no venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements-test.txt >"$venv/pip.log" 2>&1 ||
        skip "PyPI cannot be reached: $(tail -n 1 "$venv/pip.log")"
    cp requirements-test.txt "$venv/installed.txt"
fi

# The profile of the Rust tests, so that its dependencies are compiled once.
VIRTUAL_ENV=$venv "$venv/bin/maturin" develop --quiet --locked --profile test --manifest-path ../crates/veil-py/Cargo.toml

case ${1:-test} in
lint)
    "$venv/bin/ruff" check .
    "$venv/bin/ruff" format --check .
    "$venv/bin/mypy"
    "$venv/bin/python" -m mypy.stubtest veilgraph --mypy-config-file pyproject.toml --allowlist stubtest-allowlist.txt
    ;;
test)
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
*)
    echo "python/test.sh test|lint" >&2
    exit 2
    ;;
esac
