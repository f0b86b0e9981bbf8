#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bindings/python/tenon/as_torch/names.txt: the public names of an installed PyTorch.

Run it with an interpreter that has torch: `python tests/tools/torch_names.py`. Names are facts; no
code or text of PyTorch is copied. Each line is the path of a module or class, then its names:
`name` a function, `name!` a class, `name#` another value, `name>path` an alias of `path`. A line
`path *` is a package all of whose names count as public.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
import types
import warnings

HERE = pathlib.Path(__file__).resolve().parents[2]
OUT = HERE / "bindings/python/tenon/as_torch/names.txt"

# Packages that Tenon has no part of: their names are not listed one by one.
WHOLE = (
    *("ao", "distributed", "export", "nativert", "onnx", "package", "quantization", "sparse"),
    *("utils.benchmark", "utils.bottleneck", "utils.data.datapipes", "utils.model_dump"),
    *("utils.tensorboard", "utils.viz", "fx.experimental", "fx.passes", "numa", "nn.intrinsic"),
    *("nn.qat", "nn.quantizable", "nn.quantized", "masked", "monitor", "contrib", "backends"),
)
# Namespaces whose names are listed whole: their tables are in docs/torch-names.md.
MAIN = (
    *("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.autograd", "torch.func"),
    *("torch.linalg", "torch.fft", "torch.special", "torch.library", "torch.utils.data"),
    *("torch.distributions", "torch.nn.init", "torch.nn.utils"),
)


def modules_below(name: str, found: dict[str, types.ModuleType]) -> None:
    """Imports a module and all public ones below it."""
    try:
        module = importlib.import_module(name)
    except Exception:
        return
    found[name] = module
    if name.removeprefix("torch.") in WHOLE:
        return
    for each in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not each.name.startswith("_") and each.name not in ("test", "tests"):
            modules_below(f"{name}.{each.name}", found)


def is_listed(name: str, key: str, value: object, exported: list[str] | None) -> bool:
    """Returns true if a name counts as public in a module."""
    if key.startswith("_") or key.isdigit():
        return False
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith(f"{name}.")
    if exported is not None and key in exported:
        return True
    home = getattr(value, "__module__", None)
    if name == "torch" and type(value).__name__ in ("layout", "memory_format", "qscheme"):
        return True
    if not isinstance(value, (type, types.FunctionType)):
        return exported is None and name in MAIN and not str(home).startswith("typing")
    if name == "torch":
        return str(home).split(".")[0] == "torch"
    return exported is None and (home == name or (name in MAIN and "torch" in str(home)))


def mark(value: object) -> str:
    """The letter behind a name."""
    if isinstance(value, type):
        return "!"
    return "" if callable(value) or isinstance(value, types.ModuleType) else "#"


def main() -> None:
    """Writes the file."""
    warnings.simplefilter("ignore")
    import torch

    found: dict[str, types.ModuleType] = {}
    modules_below("torch", found)
    lines, seen = [f"version {torch.__version__.split('+')[0]}"], {}
    for name, module in sorted(found.items(), key=lambda one: (one[0].count("."), one[0])):
        if name.removeprefix("torch.") in WHOLE:
            lines.append(f"{name} *")
            continue
        exported = getattr(module, "__all__", None)
        words = []
        for key in sorted({*vars(module), *(exported or [])}):
            value = getattr(module, key, None)
            if not is_listed(name, key, value, exported):
                continue
            is_object = isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))
            first = seen.get((key, id(value))) if is_object else None
            if first and name not in MAIN:
                words.append(f"{key}>{first}")
            else:
                if is_object and not first:
                    seen[key, id(value)] = name
                words.append(key + mark(value))
        lines.append(" ".join([name, *words]))
    words = [key + mark(getattr(torch.Tensor, key)) for key in sorted(dir(torch.Tensor))]
    lines.append(" ".join(["torch.Tensor", *(one for one in words if not one.startswith("_"))]))
    OUT.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
