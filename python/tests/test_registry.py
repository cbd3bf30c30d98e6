"""Classes, documentation and stub are those of the registry."""

import inspect

import pytest

import docs
import stubs
import veilgraph as vg
from veilgraph._registry import registry


def test_every_method_is_a_class_with_its_parameters():
    assert [method.name for method in vg.methods()] == [entry["name"] for entry in registry()["methods"]]
    for method, entry in zip(vg.methods(), registry()["methods"], strict=True):
        signature = inspect.signature(method.__init__)
        assert len(signature.parameters) == 1 + len(entry["parameters"])
        for parameter in entry["parameters"]:
            assert parameter["help"] in method.__doc__
        assert getattr(vg, method.__name__) is method


def test_the_stub_is_what_the_registry_says():
    written = (stubs.HERE / "__init__.pyi").read_text(encoding="utf-8")
    assert written == stubs.stub(), "python stubs.py writes it"


def test_the_page_is_what_the_docstrings_say():
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "python docs.py writes it"


def test_everything_public_is_on_the_page():
    page = docs.page()
    missing = [name for name in vg.__all__ if f"vg.{name}" not in page and name != "__version__"]
    assert missing == []


def test_parameters_have_their_values_and_defaults():
    method = vg.LPGNet(epsilon_edges=0.1)
    assert (method.epsilon_edges, method.stages) == (0.1, method.known["stages"].default)
    assert method == vg.method("lpgnet", epsilon_edges=0.1) != vg.LPGNet(epsilon_edges=0.2)
    assert repr(method) == "LPGNet(epsilon_edges=0.1)"
    with pytest.raises(AttributeError):
        _ = method.nonsense
