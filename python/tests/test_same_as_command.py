"""The package and the command write the same bytes, for every method of the registry."""

import pytest

import veilgraph as vg

SMALL = {"epochs": 3, "teachers": 4, "queries": 20, "neighbours_count": 5, "hidden": 8, "steps": 5, "k": 20}
NEEDS = ("epsilon", "epsilon_edges", "epsilon_labels")


@pytest.fixture(scope="session")
def parts(veil, tmp_path_factory):
    """A private and a public graph, for students."""
    home = tmp_path_factory.mktemp("students")
    veil("data", "generate", "citation", "--nodes", 1000, "--seed", 1, "--out", home / "graph")
    shares = ("--private-per-class", 40, "--public-train", 100, "--public-test", 50)
    veil("data", "split-private", home / "graph", *shares, "--seed", 1, "--out", home / "parts")
    return home / "parts"


def small(method):
    """Settings that make a training short, of those that the method has."""
    known = method.known
    given = {name: value for name, value in SMALL.items() if name in known and known[name].kind == "whole"}
    for name in NEEDS:
        if name in known and known[name].default is None:
            given[name] = 4
    if method.trust == "local" and "epsilon_features" in known and method.needs.startswith("features"):
        given["epsilon_features"] = 3
    return given


def contents(folder):
    """Every file but those for the owner alone."""
    files = (path for path in folder.rglob("*") if path.is_file())
    inside = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in inside.items() if "owner/" not in name}


@pytest.mark.parametrize("method", vg.methods(), ids=lambda method: method.name)
def test_both_write_the_same_run_folder(method, veil, folder, parts, tmp_path):
    given = small(method)
    flags = [word for name, value in given.items() for word in ("--" + name.rstrip("_").replace("_", "-"), value)]
    if method.public_graph:
        data, public = parts / "private", parts / "public"
        flags += ["--public-graph", public]
    else:
        data, public = folder, None
    split = () if method.public_graph else ("--split", "0.5,0.25,0.25")
    declared = "split,columns,private-nodes"
    words = ("--declare-public", declared, "--seed", 1, "--out", tmp_path / "command")
    veil("train", data, "--method", method.name, *flags, *split, *words)
    run = method(**given).train(
        data, public_graph=public, split=(0.5, 0.25, 0.25) if split else None, seed=1, declare_public=declared,
        out=tmp_path / "python",
    )  # fmt: skip
    ours, theirs = contents(tmp_path / "python"), contents(tmp_path / "command")
    assert sorted(ours) == sorted(theirs)
    assert "run.json" in ours
    assert [name for name in ours if ours[name] != theirs[name]] == []
    assert run.record["seed"] == 1


def test_both_write_the_same_release(veil, folder, tmp_path):
    words = ("--epsilon-edges", 2, "--epsilon-labels", 3, "--seed", 1, "--out", tmp_path / "command")
    veil("privatize", folder, "--method", "edge-flip", *words)
    vg.privatize(folder, "edge-flip", epsilon_edges=2, epsilon_labels=3, seed=1, out=tmp_path / "python")
    assert contents(tmp_path / "python") == contents(tmp_path / "command")


def test_arrays_and_their_folder_are_the_same_data(folder, tmp_path):
    raw = vg.open(folder)
    arrays = vg.from_arrays(
        raw.edge_index, raw.to_scipy(), raw.y, train_mask=raw.train_mask, val_mask=raw.val_mask,
        test_mask=raw.test_mask, classes=raw.classes, feature_range=(0, 1), name=raw.name,
    )  # fmt: skip
    for name, data in (("folder", raw), ("arrays", arrays)):
        vg.LPGNet(epsilon_edges=4, epochs=3).train(data, seed=1, out=tmp_path / name)
    assert contents(tmp_path / "folder") == contents(tmp_path / "arrays")


def test_the_exact_decimal_of_a_float_is_charged(tmp_path, folder):
    book = vg.Ledger.create(tmp_path / "book.db", {"edge": 0.3})
    for _ in range(3):
        vg.LPGNet(epsilon_edges=0.1, epochs=1).train(folder, ledger=book)
    assert str(book.left("edge")) == "0"
    with pytest.raises(vg.BudgetError, match="left 0"):
        vg.LPGNet(epsilon_edges=0.1, epochs=1).train(folder, ledger=book)
