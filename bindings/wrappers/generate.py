#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what ships for the operators of ATen: wrappers in every language, and Python's functions.

The build runs this with the description of the operators that tenon_describe prints, and has the
files for C, C++, Java and Python's types in its folder `generated`. Rust's and Python's modules are
part of the sources, since cargo and Python read those where they are: --check compares them with
the operators, --write replaces them.
"""

from __future__ import annotations

import argparse
import builtins
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "bindings/python/tenon"
RUST = "bindings/rust/tenon/src/generated"


def _load_emitters() -> None:
    """Imports the package of emitters alone: that of Tenon needs its extension."""
    folder = ROOT / PYTHON / "wrap"
    spec = importlib.util.spec_from_file_location(
        "wrap", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules["wrap"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["wrap"])


_load_emitters()
from wrap import c, cpp, description, java, pyi, rust  # noqa: E402
from wrap.operator import Namespace, Operator  # noqa: E402

# Operators that Python exposes differently, as PyTorch does: by a hand-written function or method,
# or not at all.
FACTORIES = {
    *("arange", "empty", "empty_like", "empty_strided", "eye", "full", "full_like", "ones"),
    "ones_like",
    *("linspace", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros"),
    *("rand", "randn", "zeros", "zeros_like"),
}
METHODS_ONLY = {
    *("alias", "contiguous", "copy", "expand", "expand_as", "item"),
    *(
        "nonzero",
        "promote_types",
        "random",
        "repeat",
        "reshape_as",
        "slice",
        "to",
        "type_as",
        "view",
        "view_as",
        "zero",
    ),
}
OWN_METHODS = {
    *("alias", "contiguous", "copy", "expand", "fill", "imag", "item", "nonzero", "permute"),
    *("random",),
    *("real", "repeat", "reshape", "slice", "stft", "t", "tile"),
    *("to", "view", "where", "zero"),
}


# In-place operators that are also functions of the package, as in PyTorch.
IN_PLACE_FUNCTIONS = {
    *("abs_", "acos_", "acosh_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_"),
    *("arctanh_", "as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "celu_", "clamp_"),
    *("clamp_max_", "clamp_min_", "clip_", "conj_physical_", "cos_", "cosh_", "erf_", "erfc_"),
    *("exp2_", "exp_", "expm1_", "fill_", "fix_", "floor_", "frac_", "index_put_", "log10_"),
    *("log1p_", "log2_", "log_", "nan_to_num_", "neg_", "negative_", "reciprocal_", "relu_"),
    *("round_", "rsqrt_", "selu_", "sigmoid_", "sin_", "sinh_", "sqrt_", "square_", "tan_"),
    *("tanh_", "trunc_", "xlogy_", "zero_"),
}

# Operators that are no methods in any language, although their first argument is a tensor.
METHODLESS = FACTORIES | {"alias", "copy", "fill", "random", "zero"}


def functions(space: Namespace) -> list[str]:
    """Returns the names of operators that are functions of the package."""
    left_out = FACTORIES | METHODS_ONLY
    names = dict.fromkeys(op.name for op in space.operators)
    in_place = IN_PLACE_FUNCTIONS.intersection(names)
    plain = {n for n in names if n not in left_out and n[0] != "_" and n[-1] != "_"}
    return sorted(plain | in_place)


def methods(space: Namespace) -> list[str]:
    """Returns the names of operators that are methods of Tensor."""
    names = dict.fromkeys(op.name for op in space.operators if of_self(op))
    return sorted(n for n in names if n not in FACTORIES | OWN_METHODS and n[0] != "_")


def of_self(op: Operator) -> bool:
    """Returns true if the first argument is a tensor named self, so that it can be a method."""
    first = op.parameters[0] if op.parameters else None
    return first is not None and first.name == "self" and first.type.key == "Tensor"


def rust_methods(space: Namespace) -> str:
    """Returns Rust's methods, except for those written by hand."""
    taken = {"clone"}  # clone() of the trait, which shares the tensor
    for path in sorted((ROOT / "bindings/rust/tenon/src").rglob("*.rs")):
        text = path.read_text()
        if text.startswith("// Generated"):
            continue
        for block in re.findall(r"^impl Tensor \{\n(.*?)^\}", text, re.M | re.S):
            taken |= set(re.findall(r"pub (?:const |unsafe )*fn (\w+)", block))
    return rust.methods_module(space.operators, is_method, taken)


def is_method(op: Operator) -> bool:
    """Returns true if an overload is a method in languages that have methods for all operators."""
    return of_self(op) and op.name[0] != "_" and op.name not in METHODLESS


def header(what: str) -> str:
    """Returns the first lines of a generated Python file."""
    return f'# Generated by bindings/wrappers/generate.py; do not edit.\n"""{what}"""\n'


def functional(names: list[str]) -> str:
    """Returns the module of functions."""
    lines = [
        header("Operators of ATen as functions: `tenon.add(a, b)` is `tenon.ops.aten.add(a, b)`."),
        "from __future__ import annotations\n",
        "from ._tenon import OpOverloadPacket",
        "from .ops import _packet\n\n",
        "def _aten(name: str) -> OpOverloadPacket:",
        '    return _packet(f"aten::{name}")\n\n',
        *[f'{name} = _aten("{name}")' for name in names],
        "\n__all__ = [",
        *[f'    "{name}",' for name in names],
        "]",
        "\n# `from tenon import *` leaves Python's own alone.",
        f"BUILTINS = {tuple(name for name in names if hasattr(builtins, name))!r}",
    ]
    return "\n".join(lines) + "\n"


def functional_types(names: list[str]) -> str:
    """Returns the stub of the module of functions."""
    lines = [header("Operators of ATen as functions, with their types.")]
    lines += [f"from ._aten import {name} as {name}" for name in names]
    lines += ["", "BUILTINS: tuple[str, ...]", "__all__ = ["]
    return "\n".join([*lines, *[f'    "{name}",' for name in names], "]"]) + "\n"


def method_names(names: list[str]) -> str:
    """Returns the module that lists the methods."""
    lines = [header("Methods of Tensor that are an operator and no more.")]
    return "\n".join([*lines, "METHODS = (", *[f'    "{name}",' for name in names], ")"]) + "\n"


def method_types(space: Namespace, names: list[str]) -> str:
    """Returns the module's stub: a class with the methods, which Tensor inherits."""
    lines = ["METHODS: _tuple[_str, ...]\n", "class TensorMethods:"]
    for name in names:
        of_name = [op for op in space.operators if op.name == name and of_self(op)]
        # Methods return their results; only functions have `out`.
        calls = [pyi.Call.of(op) for op in of_name if not any(p.is_out for p in op.parameters)]
        lines += pyi.overloads(name, [call.without_first() for call in calls], "self")
    code = "\n".join(lines)
    head = header("Methods of Tensor that are an operator and no more, with their types.")
    return f"{head}{pyi.OVERLAPS}\n{pyi.imports(code, '._tenon')}\n\n{code}\n"


def built(space: Namespace) -> dict[str, str]:
    """Returns the files that a build makes, by their paths in its folder, and their contents."""
    return {
        "include/tenon/ops/aten.h": c.emit(space),
        "include/tenon/ops/aten.hpp": cpp.emit(space),
        "java/dev/tenon/Aten.java": java.emit(space, "dev.tenon"),
        "java/dev/tenon/AtenMethods.java": java.methods_class(space, is_method),
        "python/_aten.pyi": pyi.emit(space, "._tenon"),
    }


def committed(space: Namespace) -> dict[str, str]:
    """Returns the files that are part of the sources, and their contents."""
    of_functions, of_methods = functions(space), methods(space)
    return {
        f"{RUST}/aten.rs": rust.emit(space),
        f"{RUST}/tensor_methods.rs": rust_methods(space),
        f"{PYTHON}/functional.py": functional(of_functions),
        f"{PYTHON}/functional.pyi": functional_types(of_functions),
        f"{PYTHON}/tensor_methods.py": method_names(of_methods),
        f"{PYTHON}/tensor_methods.pyi": method_types(space, of_methods),
    }


def _write(root: pathlib.Path, files: dict[str, str]) -> list[str]:
    """Writes the files whose contents differ, so that nothing else is built again."""
    stale = _stale(root, files)
    for name in stale:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(files[name])
    return stale


def _stale(root: pathlib.Path, files: dict[str, str]) -> list[str]:
    return [
        name
        for name, text in files.items()
        if not (root / name).exists() or (root / name).read_text() != text
    ]


def main(arguments: list[str] | None = None) -> int:
    """Writes the files of a build, or compares or writes those that are part of the sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operators", type=pathlib.Path, help="what tenon_describe printed")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=pathlib.Path, help="write a build's files into this folder")
    what.add_argument("--check", action="store_true", help="compare the files of the sources")
    what.add_argument("--write", action="store_true", help="replace the files of the sources")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="folder of the sources")
    options = parser.parse_args(arguments)
    space = description.read(options.operators)
    if options.out is not None:
        _write(options.out, built(space))
        return 0
    files = committed(space)
    stale = _write(options.root, files) if options.write else _stale(options.root, files)
    for name in [] if options.write else stale:
        print(f"wrappers: {name} must be what --write makes of the operators, got another")
    print(f"wrappers: {len(files)} files, {len(stale)} {'written' if options.write else 'stale'}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
