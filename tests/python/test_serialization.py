# SPDX-License-Identifier: Apache-2.0
"""tenon.save and tenon.load: what round-trips, what is refused, and files of PyTorch."""

from __future__ import annotations

import collections
import io
import os
import pickle
import zipfile

import pytest
import tenon

try:
    import torch
except ImportError:
    torch = None


def through_a_file(obj, **options):
    file = io.BytesIO()
    tenon.save(obj, file)
    return tenon.load(io.BytesIO(file.getvalue()), **options)


def archive_with(data: bytes, **more: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", data)
        for name, content in more.items():
            archive.writestr(f"archive/{name}", content)
    return io.BytesIO(file.getvalue())


DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
DTYPES += ("float64", "complex64", "complex128")


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_survives(name):
    kind = getattr(tenon, name)
    before = tenon.tensor([[0, 1, 1], [1, 0, 1]]).to(kind)
    after = through_a_file(before)
    assert after.dtype is kind and after.tolist() == before.tolist() and after._base is None


def test_views_share_their_memory_again():
    base = tenon.arange(6.0).reshape(2, 3)
    after = through_a_file([base, base.t(), base[1], tenon.zeros(0, 3), tenon.tensor(2.0)])
    after[0].zero_()
    assert after[1].stride() == (1, 3) and after[1].tolist() == [[0, 0]] * 3
    assert after[2].storage_offset() == 3 and after[2].tolist() == [0, 0, 0]
    assert after[3].shape == (0, 3) and after[4].tolist() == 2.0


def test_modules_and_optimizers_resume():
    model = tenon.nn.Linear(3, 2)
    optimiser = tenon.optim.Adam(model.parameters(), lr=0.1)
    model(tenon.ones(1, 3)).sum().backward()
    optimiser.step()
    saved = through_a_file({"model": model.state_dict(), "optimiser": optimiser.state_dict()})
    again = tenon.nn.Linear(3, 2)
    again.load_state_dict(saved["model"])
    other = tenon.optim.Adam(again.parameters(), lr=0.5)
    other.load_state_dict(saved["optimiser"])
    for one, by in ((model, optimiser), (again, other)):
        by.zero_grad()
        one(tenon.ones(1, 3)).sum().backward()
        by.step()
    assert again.weight.tolist() == model.weight.tolist()


def test_parameters_gradients_and_plain_values_survive():
    before = {
        "p": tenon.nn.Parameter(tenon.ones(2)),
        "fixed": tenon.nn.Parameter(tenon.ones(2), requires_grad=False),
        "leaf": tenon.ones(2, requires_grad=True),
        "order": collections.OrderedDict(a=1, b=[None, True, 2.5, 1 + 2j, "text", b"bytes"]),
        "facts": (tenon.float16, tenon.device("cpu"), tenon.strided, {1, 2}, slice(1, 2)),
    }
    after = through_a_file(before)
    assert type(after["p"]) is tenon.nn.Parameter and after["p"].requires_grad
    assert not after["fixed"].requires_grad and after["leaf"].requires_grad
    assert after["order"] == before["order"] and after["facts"] == before["facts"]


class Mine(tenon.Tensor):
    pass


def test_subclasses_and_attributes_need_trust():
    before = tenon.ones(2).as_subclass(Mine)
    before.unit = "m"
    with pytest.raises(pickle.UnpicklingError, match="weights_only must be False"):
        through_a_file(before)
    after = through_a_file(before, weights_only=False)
    assert type(after) is Mine and after.unit == "m" and after.tolist() == [1, 1]


def test_nothing_of_a_file_runs_unasked(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    for data in (pickle.dumps(Evil()), pickle.dumps({"a": [Evil()]}, protocol=2)):
        with pytest.raises(pickle.UnpicklingError, match="mkdir"):
            tenon.load(archive_with(data))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "name", ["torch._utils _rebuild_tensor_v2", "collections OrderedDict", "torch device"]
)
def test_rebuild_functions_cannot_be_changed_by_a_file(name):
    """A pickle may set attributes of an object that it names, by BUILD with a state of slots."""
    data = b"\x80\x02c" + name.replace(" ", "\n").encode() + b"\nN}X\x01\x00\x00\x00zK\x01s\x86b."
    with pytest.raises((AttributeError, TypeError)):
        tenon.load(archive_with(data))


def test_devices_are_chosen():
    file = io.BytesIO()
    tenon.save({"a": tenon.ones(3)}, file)
    for where in ("meta", tenon.device("meta"), {"cpu": "meta"}):
        assert tenon.load(file, map_location=where)["a"].is_meta
    assert tenon.load(file, map_location={"cuda:0": "meta"})["a"].is_cpu
    with pytest.raises(tenon.ArgumentTypeError, match="map_location"):
        tenon.load(file, map_location=3)


def test_tensors_without_memory_are_refused():
    with pytest.raises(tenon.NotSupportedError, match="on meta"):
        tenon.save(tenon.ones(2, device="meta"), io.BytesIO())


def test_damaged_files_are_named(tmp_path):
    path = tmp_path / "weights.pt"
    tenon.save(tenon.ones(4), path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    with pytest.raises(tenon.StateError, match=r"weights\.pt"):
        tenon.load(path)
    with pytest.raises(FileNotFoundError):
        tenon.load(tmp_path / "none.pt")
    storage = b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000"
    storage += b"X\x03\x00\x00\x00cpuK\x04tQ."
    with pytest.raises(tenon.StateError, match="4 elements of tenon.float32, got 3 bytes"):
        tenon.load(archive_with(storage, **{"data/0": b"abc"}))
    with pytest.raises(tenon.StateError, match="archive"):
        tenon.load(archive_with(storage))


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed: ./dev test --with-torch")
def test_either_library_reads_the_others_files():
    def sample(of):
        base = of.arange(6, dtype=of.int16).reshape(2, 3)
        return {
            "t": base.t(),
            "row": base[1],
            "p": of.nn.Parameter(of.ones(2)),
            "half": of.ones(2).to(of.bfloat16),
            "complex": of.tensor([1 + 2j]),
            "kind": (of.float16, of.device("cpu")),
            "bytes": b"ab",
        }

    for writer, reader in ((tenon, torch), (torch, tenon)):
        file = io.BytesIO()
        writer.save(sample(writer), file)
        got = reader.load(io.BytesIO(file.getvalue()))
        got["row"][0] = 77
        assert got["t"][0, 1].item() == 77 and got["t"].stride() == (1, 3)
        assert type(got["p"]) is reader.nn.Parameter and got["half"].dtype is reader.bfloat16
        assert got["complex"].tolist() == [1 + 2j] and got["bytes"] == b"ab"
        assert got["kind"] == (reader.float16, reader.device("cpu"))
