# SPDX-License-Identifier: Apache-2.0
"""The class of a case of the golden files, and tensors of many dtypes and layouts."""

import dataclasses
import itertools

import torch

BOOL = [torch.bool]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2]
ALL = BOOL + INTS + FLOATS + COMPLEX + FLOAT8
INF, NAN = float("inf"), float("nan")
FAMILIES = {}


@dataclasses.dataclass
class Number:
    """A Python number for a Tensor parameter: a wrapped number."""

    value: object


class Tensors(list):
    """A list of tensors, which may be empty."""


@dataclasses.dataclass
class Case:
    name: str
    op: str
    args: tuple
    kwargs: dict = dataclasses.field(default_factory=dict)
    exact: bool = False
    status: str | None = None  # if set, PyTorch must raise, and Tenon must return this status
    no_meta: bool = False


def family(stem):
    def add(build):
        FAMILIES[stem] = build
        return build

    return add


def case(name, op, *args, exact=False, status=None, no_meta=False, **kwargs):
    return Case(name, op, args, kwargs, exact, status, no_meta)


def short(dtype):
    return str(dtype).removeprefix("torch.")


def values(dtype, turn=0):
    """Returns characteristic elements of a dtype, with limits and special values."""
    if dtype == torch.bool:
        row = [True, False, True, True, False, False]
    elif not dtype.is_floating_point and not dtype.is_complex:
        info = torch.iinfo(dtype)
        row = [0, 1, 7, info.max, info.min, info.max - 2, 3, 100]
    elif dtype in FLOAT8:
        row = [0.0, 1.5, -2.0, 0.25, 8.0, -0.5, 3.0, NAN]
    else:
        row = [0.0, -1.5, 2.25, INF, NAN, -INF, 0.125, 3.0]
    row = row[turn:] + row[:turn]
    if dtype.is_complex:
        row = [
            complex(a, b)
            for a, b in zip([1.5, -2.0, 0.0, 3.0, -0.5, 0.25], [0.5, 1.0, -1.0, 0.0, 2.0, -0.75])
        ]
        row = row[turn % 6 :] + row[: turn % 6]
    return row


def sample(dtype, shape=(2, 3), turn=0):
    count = 1
    for size in shape:
        count *= size
    row = list(itertools.islice(itertools.cycle(values(dtype, turn)), count))
    if dtype in FLOAT8 or dtype == torch.bfloat16:
        return torch.tensor(row, dtype=torch.float32).to(dtype).reshape(shape)
    return torch.tensor(row, dtype=dtype).reshape(shape)


def small(dtype, turn=0):
    """Returns two elements that every dtype represents exactly."""
    row = [1, 0] if dtype == torch.bool else [2, 5] if turn == 0 else [3, 1]
    return torch.tensor(row, dtype=torch.float32).to(dtype)


def ramp(*shape, dtype=torch.float32, start=0.0, step=1.0):
    count = 1
    for size in shape:
        count *= size
    row = torch.arange(count, dtype=torch.float64) * step + start
    return row.to(dtype).reshape(shape)


def outs(op, shape, *args, dtype=torch.float32, **kwargs):
    """Yields calls with `out`: to be resized, strided, and of another dtype."""
    given = {
        "empty": torch.zeros(0, dtype=dtype),
        "same_sizes": torch.zeros(shape, dtype=dtype),
        "other_sizes": torch.zeros([1, *shape, 2], dtype=dtype),
        "strided": torch.zeros([*shape, 2], dtype=dtype)[..., 1],
        "turned": torch.zeros(shape[::-1], dtype=dtype).permute(*reversed(range(len(shape)))),
        "double": torch.zeros(shape, dtype=torch.float64),
        "int32": torch.zeros(shape, dtype=torch.int32),
        "refuses_expanded": torch.zeros([1] * len(shape), dtype=dtype).expand(shape),
    }
    for name, out in given.items():
        yield case(f"out_{name}", op, *args, out=out, exact=True, **kwargs)


def layouts(dtype=torch.float32):
    """Returns tensors of many layouts by name. All but the batch have sizes (2, 3)."""
    base = ramp(3, 2, dtype=dtype, start=-2, step=0.75)
    wide = ramp(4, 6, dtype=dtype, start=-3, step=0.5)
    return {
        "row_major": ramp(2, 3, dtype=dtype, start=-1, step=0.5),
        "transposed": base.t(),
        "strided": wide[1:3, ::2],
        "offset": wide[2:, 1:4],
        "expanded": ramp(3, dtype=dtype, start=-1).expand(2, 3),
        "expanded_column": ramp(2, 1, dtype=dtype, start=-1).expand(2, 3),
    }


def odd_shapes(dtype=torch.float32):
    return {
        "empty": ramp(0, 3, dtype=dtype),
        "zero_dim": ramp(dtype=dtype, start=1.25),
        "one": ramp(1, 1, dtype=dtype, start=0.5),
        "permuted_3d": ramp(2, 3, 4, dtype=dtype, start=-4, step=0.25).permute(2, 0, 1),
        "channels_last": ramp(2, 3, 2, 2, dtype=dtype).contiguous(
            memory_format=torch.channels_last
        ),
        "size_one_dims": ramp(1, 3, 1, 2, dtype=dtype).transpose(1, 3),
        "long": ramp(67, dtype=dtype, start=-3, step=0.09),
    }
