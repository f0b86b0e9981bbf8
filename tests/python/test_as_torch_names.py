# SPDX-License-Identifier: Apache-2.0
"""Names that programs read under tenon.as_torch: modules of classes, stand-ins, private names."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import tenon


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "import tenon.as_torch, torch\n" + code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_classes_name_the_modules_that_they_have_in_pytorch():
    found = run(
        "import torch.distributions, torch.utils.data\n"
        "for c in (torch.Tensor, torch.Size, torch.device, torch.nn.Parameter, torch.nn.Linear,\n"
        "          torch.optim.AdamW, torch.distributions.Normal, torch.utils.data.DataLoader):\n"
        "    print(c.__module__)\n"
        "print(torch.nn.Parameter(torch.ones(1)))\n"
    )
    assert found.splitlines() == [
        *("torch", "torch", "torch", "torch.nn.parameter", "torch.nn.modules.linear"),
        *("torch.optim.adam", "torch.distributions.normal", "torch.utils.data.dataloader"),
        *("Parameter containing:", "tensor([1.], requires_grad=True)"),
    ]


def test_type_hints_of_all_layers_resolve():
    run(
        "import typing\n"
        "for name in dir(torch.nn):\n"
        "    one = getattr(torch.nn, name)\n"
        "    if isinstance(one, type) and one.__module__.startswith('torch.nn.'):\n"
        "        typing.get_type_hints(one)\n"
    )


def test_absent_classes_serve_as_bases_and_in_annotations():
    found = run(
        "import inspect\n"
        "A = torch.distributed.ProcessGroup\n"
        "class Meta(type): pass\n"
        "class Other(metaclass=Meta): pass\n"
        "class B(A, Other): pass\n"
        "print(inspect.isclass(A), isinstance(1, A), issubclass(B, A), A | None, A[int])\n"
        "for call in (A, B, lambda: A.x, lambda: torch.distributed.all_reduce(1)):\n"
        "    try: call()\n"
        "    except NotImplementedError as error: print(error)\n"
    ).splitlines()
    name = "torch.distributed.ProcessGroup"
    assert found[0] == f"True False True {name} | None {name}[int]"
    reason = "Tenon has no process groups; see docs/status.md"
    assert found[1:] == [f"{name}: {reason}"] * 3 + [f"torch.distributed.all_reduce: {reason}"]


def test_absent_dtypes_are_dtypes_to_isinstance():
    assert run("print(isinstance(torch.bits8, torch.dtype), torch.bits8 == torch.int8)") == (
        "True False\n"
    )


@pytest.mark.parametrize(
    ("method", "arguments", "shape"),
    [
        ("view", {"size": (3, 2)}, (3, 2)),
        ("view", {"dtype": tenon.int32}, (2, 3)),
        ("reshape", {"shape": (6,)}, (6,)),
        ("permute", {"dims": (1, 0)}, (3, 2)),
        ("expand", {"size": (4, 2, 3)}, (4, 2, 3)),
    ],
)
def test_methods_of_shapes_take_arguments_by_name(method, arguments, shape):
    assert tuple(getattr(tenon.ones(2, 3), method)(**arguments).shape) == shape


def test_a_wrong_name_is_refused():
    with pytest.raises(TypeError, match="argument name must be one of self, size, got 'sizes'"):
        tenon.ones(2).view(sizes=(2,))


def test_all_methods_of_tensor_are_copied_and_pickled_by_name():
    names = [n for n in dir(tenon.Tensor) if not n.startswith("_") and n != "type"]
    methods = [m for m in (getattr(tenon.Tensor, n) for n in names) if callable(m)]
    assert len(methods) > 400
    for method in methods:
        assert copy.deepcopy(method) is method
        assert pickle.loads(pickle.dumps(method)) is method


def test_storages_map_files(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(range(8)))
    storage = tenon.ones(1).untyped_storage().from_file(str(path), nbytes=8)
    part = tenon.asarray(storage[4:8], dtype=tenon.uint8)
    assert (len(storage), part.tolist(), storage.untyped() is storage) == (8, [4, 5, 6, 7], True)
    storage[0] = 9
    assert path.read_bytes()[0] == 0  # the mapping is private
    with pytest.raises(ValueError, match="nbytes must be at most 8, got 9"):
        type(storage).from_file(path, nbytes=9)


def test_trees_know_the_keys_of_their_leaves():
    from tenon.utils import _pytree as trees

    tree = {"a": [1, (2, 3)], "b": 4}
    leaves, spec = trees.tree_flatten_with_path(tree)
    assert [trees.keystr(path) for path, _ in leaves] == [
        *("['a'][0]", "['a'][1][0]", "['a'][1][1]", "['b']"),
    ]
    assert trees.tree_unflatten([leaf for _, leaf in leaves], spec) == tree
    assert all(trees.key_get(tree, path) == leaf for path, leaf in leaves)


def test_a_size_is_a_shape_for_typed_tensors():
    assert tenon.FloatTensor(tenon.ones(2, 3).shape).shape == (2, 3)
    assert tenon.LongTensor([2, 3]).tolist() == [2, 3]
