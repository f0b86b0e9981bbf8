# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of tests/badinput/cases.txt that can be written in Python."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import threading

import pytest
import tenon
from tenon import _tenon, overrides
from tenon.introspect import Simulator
from tenon.library import Library, register_functionality

CASES = pathlib.Path(__file__).resolve().parents[1] / "badinput" / "cases.txt"


@dataclasses.dataclass(frozen=True)
class Case:
    """One line of the catalogue, see tests/badinput/README.md."""

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
        # Bars share their spaces around an empty field: "a | | b".
        fields = [part.strip(" ") for part in f"{line} ".replace(" | ", " |  ").split(" | ")]
        what, call, code, names, *args = [field.lstrip(" ") for field in fields]
        found.append(Case(number, what, call, code, tuple(names.split(" & ")), tuple(args)))
    return found


class World:
    """The fixtures that all cases use, as in badinput_test.c."""

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
        register_functionality("BadMarked", below="Override", default="included")

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
    "G": lambda: tenon.Generator(seed=1),
    "n": lambda: None,
    "b1": lambda: True,
}


def value(token: str):
    """Parses a value of the catalogue. Raises LookupError if Python cannot make such a value."""
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


def explain(world: World, schema: str, arguments: str) -> None:
    if schema.startswith("@dangling "):
        tenon.introspect.explain(schema.removeprefix("@dangling "))
        return
    given = [value(token) for token in arguments.split()]
    with Library("bad", "FRAGMENT") as library:
        library.define(schema)
        tenon.introspect.explain("bad::called", *given)


# The layer and arguments in Python for each value of a functionality's flags.
FLAGS = {
    "0": ("below", {}),
    "4": ("below", {"default": "included"}),
    "5": ("above", {"default": "included"}),
    "6": ("below", {"default": "included", "per_backend": True}),
    "8": ("below", {"default": "excluded"}),
}


def declare(world: World, name: str, anchor: str, flags: str) -> None:
    side, others = FLAGS[flags]
    register_functionality(name, **{side: anchor}, **others)


def load_plugin(world: World, path: str) -> None:
    if path == "@cases":
        path = str(CASES)
    elif path.startswith("@"):
        # if the plugin was built
        path = f"{os.environ['TENON_LIB_DIR']}/libcapi_plugin_{path[1:]}.so"
    tenon.ops.load_library(path)


def generator_make(world: World, how: str, where: str) -> None:
    place = {"0:1": "cpu:1", "23:0": "meta"}[where]
    if how == "new":
        tenon.Generator(place)
    else:
        raise LookupError(how)


def generator_set_state(world: World, change: str) -> None:
    generator, fresh = tenon.Generator(seed=42), tenon.Generator(seed=42)
    state = bytearray(generator.get_state())
    if change.startswith("@size "):
        size = int(change[6:])
        if size < 0:
            raise LookupError(change)
        state = state[:size].ljust(size, b"\0")
    elif change.startswith("@bytes "):
        state = bytearray([int(change[7:])] * len(state))
    else:
        at, byte = (int(pair.partition("=")[2]) for pair in change.split())
        state[at] = byte
    try:
        generator.set_state(state)
    finally:
        assert generator.get_state() == fresh.get_state()


def profile_end(world: World, where: str) -> None:
    handle = _tenon.tenon_profile_begin(0)
    if where == "elsewhere":
        elsewhere(
            lambda: _tenon.tenon_profile_end(handle), lambda: _tenon.tenon_profile_end(handle)
        )
    else:
        _tenon.tenon_profile_end(handle)
        _tenon.tenon_profile_end(handle)


def profile_spans(world: World, where: str) -> None:
    handle = _tenon.tenon_profile_begin(0)
    elsewhere(lambda: _tenon.profile_spans(handle), lambda: _tenon.tenon_profile_end(handle))


def elsewhere(function, then) -> None:
    """Runs one function on another thread, then one here, and raises what the first raised."""
    met = []

    def run() -> None:
        try:
            function()
        except Exception as error:  # any error is raised again below
            met.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    then()
    if met:
        raise met.pop()  # a local name would make a reference cycle through the traceback


def with_simulator(function) -> None:
    """Runs a function on a simulator, whose state must be unchanged afterwards."""
    simulator = Simulator().register(["CPU", "Autograd"])
    before = simulator.raw_registrations()
    try:
        function(simulator)
    finally:
        assert simulator.raw_registrations() == before


def simulator_register(world: World, keys: str, flags: str) -> None:
    names = ["" if key == "@empty" else key for key in keys.split(",")]
    skips = {"0": False, "1": True}[flags]
    with_simulator(lambda simulator: simulator.register(names, fallthrough=skips))


class Wrapping(tenon.Tensor):
    """The class of the wrappers that the cases fail to make."""

    @classmethod
    def __torch_dispatch__(cls, op, types, args, kwargs):
        pytest.fail("called")


def wrapper(world: World, fields: str, dtype: str, device: str, sizes: str) -> None:
    known = {"ok": Wrapping}[fields]
    where = {"none": "cpu", "0:1": "cpu:1"}[device]
    overrides.wrapper(known, dims(sizes), dtype=DTYPES[dtype], device=where)


DTYPES = {"6": tenon.float32, "7": tenon.float64, "23": tenon.float8_e5m2}


def new_tensor(world: World, dtype: str, device: str, sizes: str, strides: str) -> None:
    if strides == "none":
        tenon.empty(dims(sizes), dtype=DTYPES[dtype], device={"none": "cpu"}[device])
    else:
        tenon.empty_strided(dims(sizes), dims(strides), dtype=DTYPES[dtype])


def number_of(key: str) -> int:
    """Returns the number of a key, from its name or number."""
    if key == "none":
        return _tenon.TENON_KEY_NONE
    return int(key) if key.isdigit() else _tenon.tenon_key_parse(key)


# The Python call for each call of the catalogue. A LookupError that a call raises means that Python
# cannot express the case.
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
    "plugin_load": load_plugin,
    "key_parse": lambda w, name: _tenon.tenon_key_parse(name),
    "key_for_device": lambda w, name: _tenon.tenon_key_for_device(name),
    "keyset_from_key": lambda w, key: _tenon.tenon_keyset_from_key(number_of(key)),
    "backend_register": lambda w, name: tenon.library.register_backend(name),
    "functionality_register": declare,
    "dtype_promote": lambda w, a, b: tenon.promote_types(DTYPES[a], DTYPES[b]),
    "slot": lambda w, key: _tenon.op_slot(tenon.find_op("bad::taken"), number_of(key)),
    "explain": explain,
    "generator_make": generator_make,
    "generator_set_state": generator_set_state,
    "profile_end": profile_end,
    "profile_spans": profile_spans,
    "simulator_new": lambda w, schema: Simulator(schema),
    "simulator_register": simulator_register,
    "simulator_remove": lambda w, key: with_simulator(lambda s: s.remove(key)),
    "simulator_slot": lambda w, key: with_simulator(
        lambda s: _tenon.simulator_slot(s._handle, number_of(key))
    ),
    "simulator_print": lambda w, what: with_simulator(lambda s: s._print(int(what))),
    "wrapper": wrapper,
    "mode_pop": lambda w, kind: _tenon.mode_pop(int(kind), None),
}

# Cases where Python's rules differ, and why.
OTHERWISE = {
    "define: kernels wait with another schema": "a Python kernel has no schema of its own",
    "define: kernels wait with another typed form": "a Python kernel has no typed form",
    "impl: library closed": "the second Python kernel of a key is looked for first",
    "impl: key unknown": "keys are names",
    "op_find: kernels without definition": "depends on the case before",
    "op_find: trailing space": "the reader strips it",
    "key_parse: trailing space": "the reader strips it",
    "explain: float for a keyword-only int": "it goes by name alone",
    "schema_parse: only spaces": "the reader strips them",
    "call: bool for int": "a bool is an int",
    "call: int for float": "an int converts",
    "call: float for complex": "a float converts",
}


# The number of each call's cases that Python can express, so that none is skipped by mistake.
MINIMUM = {
    "schema_parse": 53,
    "library_new": 10,
    "define": 8,
    "impl": 9,
    "op_find": 7,
    "call": 30,
    "device_parse": 9,
    "tensor_new": 7,
    "plugin_load": 5,
    "key_parse": 5,
    "key_for_device": 3,
    "keyset_from_key": 4,
    "backend_register": 5,
    "functionality_register": 17,
    "dtype_promote": 1,
    "slot": 2,
    "explain": 5,
    "generator_make": 2,
    "generator_set_state": 12,
    "profile_end": 2,
    "profile_spans": 1,
    "simulator_new": 3,
    "simulator_register": 9,
    "simulator_remove": 5,
    "simulator_slot": 2,
    "simulator_print": 2,
    "wrapper": 4,
    "mode_pop": 3,
}


# Arguments that Python cannot pass: arrays without an address or with a false count, nested texts.
UNSAYABLE = ("@null", "@ndim", "@count", "@nested")


def can_run(case: Case) -> bool:
    special = any("NULL" in arg or arg.startswith(UNSAYABLE) for arg in case.args)
    special |= "slot" in case.call and "=" in case.args[0]  # the case sets fields of a struct
    return case.call in CALLS and not special and str(case) not in OTHERWISE


@pytest.fixture(scope="module")
def world():
    made = World()
    yield made
    made.close()


def state() -> str:
    """Returns the state that no case may change: registrations, the thread's keys, live handles."""
    _tenon.tenon_registry_reap()
    found = [tenon.introspect.dump(name) for name in tenon.introspect.operators("bad")]
    found += map(tenon.introspect.dump, tenon.introspect.dangling())
    keys = _tenon.tenon_keyset_included(), _tenon.tenon_keyset_excluded()
    return "".join(found) + f"{keys} {tenon.introspect.live_handles()}"


def names_enough(case: Case, message: str) -> bool:
    """Returns true if a message names what it must; Python words some messages differently."""
    if case.call in ("tensor_new", "wrapper"):  # Python checks these arguments first
        return any(name in message for name in case.names)
    if case.call in ("call", "explain") and " must be" in case.names[-1]:
        argument, wanted = case.names[-1].split(" must be")
        wanted = wanted.partition(", got ")[0]
        return f"{argument} must be{wanted}" in message
    if case.what in ("too few", "vararg without the fixed one"):
        return "must be given" in message
    return all(name in message for name in case.names)


def refusal(world: World, case: Case) -> str:
    """Describes how a case's refusal is wrong; "" if it is right."""
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
        before = state()
        first, second = refusal(world, case), refusal(world, case)
        assert first == second, f"cases.txt:{case.line}: {case}"
        assert first in ("", "cannot be said"), f"cases.txt:{case.line}: {case}: {first}"
        assert state() == before, f"cases.txt:{case.line}: {case}"
        ran += first == ""
    tenon.introspect.invariants()
    assert ran >= MINIMUM[call]


def test_exceptions_are_cases():
    assert set(OTHERWISE) <= {str(case) for case in read_cases()}
