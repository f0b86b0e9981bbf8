# SPDX-License-Identifier: Apache-2.0
"""Every operator on uint16, uint32, uint64 and complex32, beside PyTorch.

PyTorch's operator samples of int64 and complex64 are cast to these dtypes and replayed as
test_torch_samples.py replays its own: where PyTorch computes, Tenon returns the same elements or
raises an error that names the operator; what PyTorch refuses may be computed.
"""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

import torch_replay  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

UNSIGNED = ("uint16", "uint32", "uint64")
# Operators that PyTorch computes for these dtypes, and that every binding needs to work with them.
MOVES = (
    *("_to_copy", "as_strided", "cat", "clone", "copy_", "eq", "equal", "expand", "fill_", "flip"),
    *("full_like", "gather", "index", "ne", "new_empty", "ones_like", "repeat", "roll", "stack"),
    *("mul", "select", "slice", "sum", "prod", "transpose", "view", "where", "zeros_like"),
)


class Stored(torch_replay.Replay):
    """Counts refusals that name the operator; every other difference is an error."""

    most_of_a_kind = 8

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()
        self.computed: set[str] = set()

    def weigh(self, name, args, kwargs, mine, theirs, *rest, **more):
        if theirs.error is not None:
            return ""
        base = name.partition("::")[2].partition(".")[0]
        if mine.error is not None:
            self.refused.add(base)
            named = re.search(r"aten::\w+.* dtype \w+|promote", str(mine.error))
            return "" if named else f"refused without its name: {mine.error}"
        self.computed.add(base)
        return super().weigh(name, args, kwargs, mine, theirs, *rest, **more)


def cast(leaf: Any, source: Any, dtype: Any) -> Any:
    """Returns a sample's argument with `dtype` in place of `source`."""
    if leaf is source:
        return dtype
    if not isinstance(leaf, torch.Tensor) or leaf.dtype is not source:
        return leaf
    return (leaf if dtype.is_complex else leaf.abs()).to(dtype)


def run(mode: Stored, dtype: Any, source: Any) -> None:
    """Replays a few samples of every operator, cast from `source` to `dtype`."""
    for info in op_db:
        if source not in info.supported_dtypes("cpu"):
            continue
        torch.manual_seed(0)
        for sample in itertools.islice(info.sample_inputs("cpu", source), 3):
            given = (sample.input, sample.args, sample.kwargs)
            given = pytree.tree_map(lambda leaf: cast(leaf, source, dtype), given)
            try:
                with mode:
                    info.op(given[0], *given[1], **given[2])
            except Exception:  # noqa: BLE001, S112 - what PyTorch refuses, which the mode has seen
                continue


@pytest.mark.parametrize("name", [*UNSIGNED, "complex32"])
def test_operators_compute_the_same_or_refuse_by_name(name):
    dtype = getattr(torch, name)
    seen = Stored()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(seen, dtype, torch.complex64 if dtype.is_complex else torch.int64)
    print(sorted(seen.refused - seen.computed))
    assert not set(MOVES) & (seen.refused - seen.computed)
    seen.check(f"stored dtypes, {name}", 200)
