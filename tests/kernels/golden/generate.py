# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of the operators in this folder: calls, and PyTorch's results.

Usage: python generate.py [STEM ...], with torch and numpy installed. README.md has the format.
"""

import pathlib
import sys
import warnings

import numpy as np
import torch

import activations  # noqa: F401  registers its families
import arranging  # noqa: F401
import cases
import compact
import creation  # noqa: F401
import draws  # noqa: F401
import folds  # noqa: F401
import gradients  # noqa: F401
import images  # noqa: F401
import indexing  # noqa: F401
import layers  # noqa: F401
import linear_algebra  # noqa: F401
import lists  # noqa: F401
import measures  # noqa: F401
import normalization  # noqa: F401
import norms  # noqa: F401
import pairs  # noqa: F401
import pointwise  # noqa: F401
import running  # noqa: F401
import searching  # noqa: F401
import several  # noqa: F401
import signals  # noqa: F401
import softmax  # noqa: F401
import special  # noqa: F401
import structure  # noqa: F401
import transforms  # noqa: F401
import windows  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
OPERATORS = HERE.parents[2] / "kernels/ops/ops.list"


def _float_text(value, dtype):
    """Returns the shortest decimal text that reads back as the same element."""
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if dtype == torch.float64:
        text = repr(value)
    elif dtype == torch.float16:
        text = str(np.float16(value))
    else:
        text = str(np.float32(value))
    return text.removesuffix(".0")


def _element_text(element, dtype):
    if dtype == torch.bool:
        return str(int(element))
    if dtype.is_complex:
        part = torch.float32 if dtype == torch.complex64 else torch.float64
        number = complex(element)
        return f"{_float_text(number.real, part)},{_float_text(number.imag, part)}"
    if dtype.is_floating_point:
        return _float_text(element, dtype)
    return str(int(element))


def _elements(tensor):
    """Returns the elements in row-major order as text."""
    dtype = tensor.dtype
    flat = tensor.detach().reshape(-1)
    if dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        flat = flat.to(torch.float32)
    return [_element_text(element, dtype) for element in flat.tolist()]


def _storage(tensor):
    """Returns all elements of a tensor's storage, from its start to the last one it can reach."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return torch.as_strided(tensor, (count,), (1,), 0)


def _dims(numbers):
    return ",".join(str(n) for n in numbers) if len(numbers) else "-"


def _dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def _argument(value, tensors):
    """Lines of one argument."""
    if isinstance(value, cases.Number):
        return [f"number {_scalar(value.value)}"]
    if isinstance(value, torch.Tensor):
        shared = "-"
        for index, other in enumerate(tensors):
            if other is value:
                return [f"again {index}"]
            if (
                other.untyped_storage().data_ptr() == value.untyped_storage().data_ptr()
                and value.untyped_storage().nbytes() > 0
            ):
                shared = str(index)
                break
        tensors.append(value)
        head = (
            f"tensor {_dtype_name(value.dtype)} {_dims(value.shape)} {_dims(value.stride())} "
            f"{value.storage_offset()} {shared}"
        )
        if shared != "-":
            return [head]
        return [" ".join([head, *_elements(_storage(value))])]
    if isinstance(value, cases.Tensors):
        lines = [f"tensors {len(value)}"]
        for item in value:
            lines += _argument(item, tensors)
        return lines
    if isinstance(value, (list, tuple)):
        if any(isinstance(one, bool) for one in value):
            return [f"bools {_dims([int(one) for one in value])}"]
        return [f"ints {_dims(value)}"]
    if value is None:
        return ["none"]
    if isinstance(value, str):
        return [f"str {value}"]
    if isinstance(value, torch.dtype):
        return [f"dtype {_dtype_name(value)}"]
    if isinstance(value, torch.Generator):
        return [f"generator {value.initial_seed()}"]
    if isinstance(value, torch.memory_format):
        names = {
            torch.contiguous_format: 0,
            torch.preserve_format: 1,
            torch.channels_last: 2,
            torch.channels_last_3d: 3,
        }
        return [f"format {names[value]}"]
    return [_scalar(value)]


def _scalar(value):
    if isinstance(value, bool):
        return f"bool {int(value)}"
    if isinstance(value, int):
        return f"int {value}"
    if isinstance(value, float):
        return f"float {_float_text(value, torch.float64)}"
    return f"complex {_element_text(value, torch.complex128)}"


def _result_tensor(tensor, tensors):
    for index, other in enumerate(tensors):
        if tensor is other:
            return f"same {index}"
    # without elements, nothing shows if the storage is new
    origin = "new" if tensor.numel() else "any"
    for index, other in enumerate(tensors):
        if (
            tensor.numel()
            and tensor.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
        ):
            origin = f"view{index}:{tensor.storage_offset()}"
            break
    head = f"tensor {_dtype_name(tensor.dtype)} {_dims(tensor.shape)} {_dims(tensor.stride())}"
    return " ".join([head, origin, *_elements(tensor)])


def _call(case):
    """Calls the operator. Only Python functions wrap numbers that are passed for tensors."""
    base, _, overload = case.op.removeprefix("aten::").partition(".")
    if any(isinstance(value, cases.Number) for value in case.args):
        plain = [value.value if isinstance(value, cases.Number) else value for value in case.args]
        function = getattr(torch.Tensor if base.endswith("_") else torch, base)
        return function(*plain, **case.kwargs)
    operator = getattr(getattr(torch.ops.aten, base), overload or "default")
    return operator(*case.args, **case.kwargs)


def _status(error):
    """Returns the status that Tenon must return if PyTorch raises this error."""
    text = str(error)
    if isinstance(error, IndexError):
        return "TENON_ERROR_INDEX"
    if (
        isinstance(error, NotImplementedError)
        or "not implemented for" in text
        or "not supported for" in text
        or "does not support" in text
        or "is not supported" in text
    ):
        return "TENON_ERROR_NOT_SUPPORTED"
    return "TENON_ERROR_INVALID_ARGUMENT"


def _case(case):
    lines = [f"case {case.name}", f"op {case.op}"]
    if case.exact:
        lines.append("exact")
    tensors = []
    for value in case.args:
        lines += [
            "arg " + line if not n else line for n, line in enumerate(_argument(value, tensors))
        ]
    for name, value in case.kwargs.items():
        lines += [
            f"kwarg {name} " + line if not n else line
            for n, line in enumerate(_argument(value, tensors))
        ]
    before = [_elements(tensor) for tensor in tensors]
    shapes = [tuple(tensor.shape) for tensor in tensors]
    try:
        result = _call(case)
    except Exception as error:  # any error is the expected result
        if "ComplexHalf" in str(error) or "BComplex32" in str(error):
            return []  # dtypes that Tenon lacks: half-width floats promote to complex64
        status = case.status or _status(error)
        lines.append(f"error {status}")
        if case.no_meta or "not implemented for" in str(error):
            lines.append("nometa")
        return lines
    if case.status:
        raise AssertionError(f"{case.name}: PyTorch must raise, got {result}")
    if case.no_meta:
        lines.append("nometa")
    if isinstance(result, torch.Tensor) and result.dtype == torch.complex32:
        return []
    results = [] if result is None else result
    for item in results if isinstance(results, (tuple, list)) else [results]:
        if isinstance(item, torch.Tensor):
            lines.append("ret " + _result_tensor(item, tensors))
        else:
            lines.append("ret " + _scalar(item))
    for index, tensor in enumerate(tensors):
        if _elements(tensor) != before[index] or tuple(tensor.shape) != shapes[index]:
            lines.append(
                f"after {index} {_dims(tensor.shape)} {_dims(tensor.stride())} "
                + " ".join(_elements(tensor))
            )
    return lines


def _paths():
    """Returns by stem the file of each header in the list of operators, in its family's folder."""
    lines = OPERATORS.read_text().splitlines()
    headers = {line.split()[1] for line in lines if line and not line.startswith("#")}
    return {header.rpartition("/")[2]: HERE / f"{header}.txt" for header in headers}


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    wanted = sys.argv[1:]
    inputs = compact.Inputs(HERE / "inputs.txt", fresh=not wanted)
    head = f"# Generated by generate.py with PyTorch {torch.__version__}; do not edit."
    paths = _paths()
    for stem, build in cases.FAMILIES.items():
        if wanted and stem not in wanted:
            continue
        torch.manual_seed(7)
        made = list(build())
        names = [case.name for case in made]
        doubled = {name for name in names if names.count(name) > 1}
        if doubled:
            raise AssertionError(f"{stem}: case names must be unique, got {sorted(doubled)} twice")
        blocks = [block for block in map(_case, made) if block]
        path = paths[stem]
        path.parent.mkdir(exist_ok=True)
        lines = [head, f"cases {len(blocks)}", *compact.compact(blocks, inputs)]
        path.write_text("\n".join(lines) + "\n")
        print(f"{stem}: {len(blocks)} cases, {path.stat().st_size} bytes")
    inputs.write(head)


if __name__ == "__main__":
    main()
