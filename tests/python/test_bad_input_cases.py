# SPDX-License-Identifier: Apache-2.0
"""The catalogue of bad input, tests/badinput/cases.txt, as far as Python has the call."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
import tenon
from tenon.library import Library

CASES = pathlib.Path(__file__).resolve().parents[1] / "badinput" / "cases.txt"


@dataclasses.dataclass(frozen=True)
class Case:
    """One line of the catalogue; tests/badinput/README.md explains it."""

    line: int
    what: str
    call: str
    code: str
    names: tuple
    args: tuple

    def __str__(self) -> str:
        return f"{self.call}: {self.what}"


def read_cases() -> list[Case]:
    found = []
    for number, line in enumerate(CASES.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        # Bars share their spaces where a field is empty: "a | | b".
        fields = [part.strip(" ") for part in f"{line} ".replace(" | ", " |  ").split(" | ")]
        what, call, code, names, *args = [field.lstrip(" ") for field in fields]
        found.append(Case(number, what, call, code, tuple(names.split(" & ")), tuple(args)))
    return found


class World:
    """What all cases find: as in badinput_test.c."""

    def __init__(self) -> None:
        self.libraries = {
            "DEF": Library("bad", "DEF"),
            "FRAGMENT": Library("bad", "FRAGMENT"),
            "IMPL": Library("bad", "IMPL"),
            "IMPL_CUDA": Library("bad", "IMPL", "CUDA"),
            "WILDCARD": Library("_", "IMPL"),
            "closed": Library("bad", "FRAGMENT"),
        }
        self.libraries["closed"]._destroy()
        self.libraries["DEF"].define("taken(Tensor x) -> Tensor")
        self.libraries["DEF"].define("taken.over(int x) -> ()")
        self.libraries["DEF"].impl("taken", lambda x: x, "CPU")
        self.libraries["IMPL"].impl("waiting", lambda x: x, "CPU")

    def close(self) -> None:
        for library in self.libraries.values():
            library._destroy()


def dims(text: str) -> list[int] | None:
    if text.startswith("@ones "):
        return [1] * int(text[6:])
    return None if text == "none" else [int(part) for part in text.split(",")]


VALUES = {
    "T": lambda: tenon.ones(2, 3),
    "TM": lambda: tenon.empty(2, 3, device="meta"),
    "n": lambda: None,
    "b1": lambda: True,
}


def value(token: str):
    """A value as the catalogue writes it. Raises LookupError for what Python cannot make."""
    if token in VALUES:
        return VALUES[token]()
    if token[0] == "i":
        return int(token[1:])
    if token[0] == "f":
        return float(token[1:])
    if token[0] == "s":
        return token[1:]
    if token.startswith("F:"):
        return [float(part) for part in token[2:].split(",")]
    if token.startswith("L:"):
        return [tenon.ones(2) if part == "T" else None for part in token[2:].split(",")]
    raise LookupError(token)


def call(world: World, schema: str, arguments: str) -> None:
    given = [value(token) for token in arguments.split()]
    with Library("bad", "FRAGMENT") as library:
        library.define(schema)
        library.impl("called", lambda x, *rest: x, "CPU")
        tenon.find_op("bad::called")(*given)


DTYPES = {"6": tenon.float32, "7": tenon.float64}


def new_tensor(world: World, dtype: str, device: str, sizes: str, strides: str) -> None:
    if strides == "none":
        tenon.empty(dims(sizes), dtype=DTYPES[dtype], device={"none": "cpu"}[device])
    else:
        tenon.empty_strided(dims(sizes), dims(strides), dtype=DTYPES[dtype])


# The Python call of each of the catalogue's that Python has. A LookupError of its own means that
# Python cannot even express the case.
CALLS = {
    "schema_parse": lambda w, text: tenon.Schema.parse(text),
    "library_new": lambda w, kind, ns, key: Library(ns, kind, {"none": "", "CPU": "CPU"}[key]),
    "define": lambda w, library, schema: w.libraries[library].define(schema),
    "impl": lambda w, library, name, key, kernel: w.libraries[library].impl(
        name, {"ok": lambda x: x}[kernel], key
    ),
    "op_find": lambda w, name: tenon.find_op(name),
    "call": lambda w, schema, arguments, nrets: call(w, schema, {"1": arguments}[nrets]),
    "device_parse": lambda w, text: tenon.device(text),
    "tensor_new": new_tensor,
    "plugin_load": lambda w, path: tenon.ops.load_library(path),
}

# Where Python's own rules are others, and why.
OTHERWISE = {
    "define: kernels wait with another schema": "a Python kernel has no schema of its own",
    "define: kernels wait with another typed form": "a Python kernel has no typed form",
    "impl: library closed": "the second Python kernel of a key is looked for first",
    "impl: key unknown": "keys are names",
    "op_find: kernels without definition": "depends on the case before",
    "op_find: trailing space": "the reader strips it",
    "schema_parse: only spaces": "the reader strips them",
    "call: bool for int": "a bool is an int",
    "call: int for float": "an int converts",
    "call: float for complex": "a float converts",
    "plugin_load: name unknown": "a path is wanted, not a name",
    "plugin_load: empty": "an empty path is the current folder",
}


# How many of each call's cases Python can say, so that none is skipped by mistake.
MINIMUM = {
    "schema_parse": 53,
    "library_new": 10,
    "define": 8,
    "impl": 9,
    "op_find": 7,
    "call": 26,
    "device_parse": 9,
    "tensor_new": 7,
    "plugin_load": 2,
}


def can_run(case: Case) -> bool:
    special = any(arg == "NULL" or arg.startswith("@") for arg in case.args)
    return case.call in CALLS and not special and str(case) not in OTHERWISE


@pytest.fixture(scope="module")
def world():
    made = World()
    yield made
    made.close()


def registered() -> str:
    names = tenon.introspect.operators()
    return "".join(tenon.introspect.dump(name) for name in names if name.startswith("bad::"))


def names_enough(case: Case, message: str) -> bool:
    """Whether a message names what it must, where Python words it in its own way."""
    if case.call == "tensor_new":  # made by an operator, which has its own message
        return any(name in message for name in case.names)
    if case.call == "call" and " must be" in case.names[0]:
        argument, wanted = case.names[0].split(" must be")
        wanted = wanted.partition(", got ")[0]
        return f"argument '{argument}'" in message and f"must be{wanted}" in message
    if case.what in ("too few", "vararg without the fixed one"):
        return "must be given" in message
    return all(name in message for name in case.names)


def refusal(world: World, case: Case) -> str:
    """What is wrong with how a case is refused; "" for nothing."""
    try:
        CALLS[case.call](world, *case.args)
    except tenon.Error as error:
        if error.code != f"TENON_ERROR_{case.code}":
            return f"code must be {case.code}, got {error.code}: {error}"
        return "" if names_enough(case, str(error)) else f"must name {case.names}, got {error}"
    except LookupError:
        return "cannot be said"
    return "must be refused, was accepted"


@pytest.mark.parametrize("call", CALLS)
def test_cases_are_refused_and_change_nothing(world, call):
    ran = 0
    for case in read_cases():
        if case.call != call or not can_run(case):
            continue
        before = registered()
        first, second = refusal(world, case), refusal(world, case)
        assert first == second, f"cases.txt:{case.line}: {case}"
        assert first in ("", "cannot be said"), f"cases.txt:{case.line}: {case}: {first}"
        assert registered() == before, f"cases.txt:{case.line}: {case}"
        ran += first == ""
    tenon.introspect.invariants()
    assert ran >= MINIMUM[call]


def test_exceptions_are_cases():
    assert set(OTHERWISE) <= {str(case) for case in read_cases()}
