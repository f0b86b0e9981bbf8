# SPDX-License-Identifier: Apache-2.0
"""Lists the operators of ATen that PyTorch's samples (OpInfo) call and that Tenon lacks.

Each sample runs in PyTorch. It counts for its own operator and for each ATen operator that the call
reaches below autograd. Tenon's operators are the lines of kernels/ops/ops.list, so no build is
needed. Needs torch: `./dev python tests/tools/absent_operators.py`.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import warnings
from typing import Any

import operators

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Operators that do not concern dense CPU tensors: other layouts, and the database's own helpers.
LEFT_OUT = ("sparse", "jagged", "quantize", "_to_copy", "nested", "_refs", "torch.ops", "cudnn")


def names_of(root: pathlib.Path) -> set[str]:
    """Returns the names, without overload, of all ATen operators in the list."""
    return {
        form.partition(".")[0]
        for one in operators.operators(root)
        if one.namespace == "aten"
        for form in one.forms()
    }


def count_samples(most: int) -> collections.Counter:
    """Counts the float32 samples that call each operator, by its name without overload."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        """Records the names of the ATen operators that are called."""

        def __init__(self) -> None:
            super().__init__()
            self.names: set[str] = set()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                self.names.add(func._opname)
            return func(*args, **(kwargs or {}))

    counts: collections.Counter = collections.Counter()
    has = {
        schema.name.partition("::")[2]
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.startswith("aten::")
    }
    for info in op_db:
        if any(word in info.name for word in LEFT_OUT) or torch.float32 not in info.dtypes:
            continue
        torch.manual_seed(0)
        own = {name for name in (info.aten_name, info.name.replace(".", "_")) if name in has}
        for sample in _samples(info, torch.float32, most):
            seen = Seen()
            try:
                with seen:
                    info.op(sample.input, *sample.args, **sample.kwargs)
            except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot run
                continue
            counts.update(own | seen.names)
    return counts


def _samples(info: Any, dtype: Any, most: int) -> list:
    taken = iter(info.sample_inputs("cpu", dtype, requires_grad=False))
    found = []
    while len(found) < most:
        try:
            found.append(next(taken))
        except StopIteration:
            break
        except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot make
            break
    return found


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--most", type=int, default=200, help="samples of each operator")
    options = parser.parse_args(arguments)
    there = names_of(options.root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = count_samples(options.most)
    absent = [(name, count) for name, count in counts.most_common() if name not in there]
    for name, count in absent:
        print(f"{count:6} {name}")
    samples = sum(counts.values())
    lacking = sum(count for _, count in absent)
    print(f"absent: {len(absent)} of {len(counts)} operators, {lacking} of {samples} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
