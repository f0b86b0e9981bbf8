# SPDX-License-Identifier: Apache-2.0
"""Compares random sequences of registrations and removals with the model.

In any interleaving and any order of removal, the state depends only on what is active, and a failed
step changes nothing.
"""

from __future__ import annotations

import functools
import itertools
import random
import re

import model
import peers
import pytest
import tenon
from model import Kernel, Registry
from tenon import _tenon, introspect

OPS = ("f", "f.over", "g")
SEQUENCES = 2_000
STEPS = 14
KERNEL_KEYS = (*model.runtime_keys(), *(alias for alias in model.ALIASES for _ in range(4)))
FALLBACK_KEYS = (*model.runtime_keys(), "Autograd", "Autocast")
KINDS = {"FRAGMENT": 2, "IMPL": 1, "_": 1}
_labels = itertools.count()
_LINE = re.compile(r"^(\w+): (\S+)(?: at \S*)? \[(.+)\]$", re.M)


def random_steps(seed: int) -> list[tuple]:
    """One sequence: ("open", kind), ("define", library, op), ("impl", library, op, key, label),
    ("fallback", library, key, label), ("close", library), and steps that are wrong in themselves.
    Libraries go by the order in which they were opened."""
    choose = random.Random(seed)
    steps: list[tuple] = [("open", "FRAGMENT"), ("define", 0, choose.choice(OPS))]
    opened = 1
    while len(steps) < STEPS:
        roll = choose.random()
        library = choose.randrange(opened)
        label = "fallthrough" if choose.random() < 0.2 else f"k{next(_labels)}"
        if roll < 0.18:
            steps.append(("open", choose.choice(("FRAGMENT", "IMPL", "_"))))
            opened += 1
        elif roll < 0.32:
            steps.append(("define", library, choose.choice(OPS)))
        elif roll < 0.70:
            key = choose.choice(KERNEL_KEYS)
            steps.append(("impl", library, choose.choice(OPS), key, label))
        elif roll < 0.80:
            steps.append(("fallback", library, choose.choice(FALLBACK_KEYS), label))
        elif roll < 0.86:
            steps.append(("wrong", library, choose.randrange(5)))
        else:
            steps.append(("close", library))
    order = list(range(opened))
    choose.shuffle(order)
    return steps + [("close", library) for library in order]


@functools.cache
def built_in() -> dict[str, str]:
    """Returns the fallbacks of an operator without registrations."""
    with peers.scratch(peers.PEERS[0], "op(Tensor x) -> str") as op:
        table = peers.PEERS[0].table(op.name)
    assert {slot.provenance for slot in table.values()} == {"backend fallback"}
    return {key: "fallthrough" if slot.fallthrough else slot.kernel for key, slot in table.items()}


class Run:
    """Runs a sequence on Tenon and on the model; all sequences share one namespace."""

    def __init__(self) -> None:
        self.ns = "algebra"
        self.libraries: list[tuple] = []  # (native library, kind)
        self.closed: set[int] = set()
        self.model = Registry(built_in=built_in())
        self.shown: dict[str, str] = {}  # the dispatch tables after the last step

    def step(self, step: tuple) -> str | None:
        """Takes one step on both sides; returns the difference."""
        name, *arguments = step
        allowed = getattr(self, f"_{name}")(*arguments)
        return self._compare(allowed, step)

    def finish(self) -> None:
        for native, _ in self.libraries:
            native.close()

    def _open(self, kind: str) -> set | None:
        ns = "_" if kind == "_" else self.ns
        self.libraries.append((_tenon.NativeLibrary(ns, KINDS[kind]), kind))
        return set()

    def _close(self, library: int) -> set:
        if library in self.closed:
            return set()
        native, _ = self.libraries[library]
        self.closed.add(library)
        native.close()
        gone = [k for k in self.model.kernels if k.library == library]
        self.model.close(library)
        return set(OPS) if gone else set()

    def _attempt(self, allowed: bool, call) -> bool:
        """Makes a call that must succeed if and only if the model allows it."""
        try:
            call()
        except tenon.Error:
            assert not allowed, "refused"
            return False
        assert allowed, "accepted"
        return True

    def _define(self, library: int, op: str) -> set:
        native, kind = self.libraries[library]
        allowed = (
            kind == "FRAGMENT" and library not in self.closed and op not in self.model.definitions
        )
        if self._attempt(allowed, lambda: native.define(f"{op}(Tensor x) -> str")):
            self.model.definitions[op] = library
            return {op}
        return set()

    def _impl(self, library: int, op: str, key: str, label: str) -> set:
        native, kind = self.libraries[library]
        allowed = kind != "_" and library not in self.closed
        number = _tenon.tenon_key_parse(key)
        if self._attempt(allowed, lambda: native.impl(op, number, function(label))):
            self.model.kernels.append(Kernel(op, key, label, library))
            return {op}
        return set()

    def _fallback(self, library: int, key: str, label: str) -> set:
        native, kind = self.libraries[library]
        taken = any(self.model.fallback(one) for one in model.expand(key))
        allowed = kind == "_" and library not in self.closed and not taken
        number = _tenon.tenon_key_parse(key)
        if self._attempt(allowed, lambda: native.fallback(number, function(label))):
            self.model.kernels.append(Kernel(None, key, label, library))
            return set(OPS)
        return set()

    def _wrong(self, library: int, kind: int) -> set:
        native, _ = self.libraries[library]
        calls = (
            lambda: native.define("f(Tensr x) -> Tensor"),
            lambda: native.define("other::f(Tensor x) -> Tensor"),
            lambda: native.impl("f", _tenon.TENON_KEY_UNDEFINED, function("no")),
            lambda: native.impl("other::f", _tenon.TENON_KEY_CPU, function("no")),
            lambda: native.impl("f", 0x4242, function("no")),
        )
        self._attempt(False, calls[kind])
        return set()

    def _compare(self, touched: set, step: tuple) -> str | None:
        dangling = {name.partition("::")[2] for name in introspect.dangling() if self.ns in name}
        if dangling != self.model.dangling():
            return f"{step}: dangling {dangling}, should be {self.model.dangling()}"
        for op in OPS:
            full_name = f"{self.ns}::{op}"
            if op not in self.model.definitions:
                self.shown.pop(op, None)
                continue
            text = introspect.dump_table(full_name)
            if op not in touched and op in self.shown:
                if text != self.shown[op]:
                    return f"{step}: {op} changed from\n{self.shown[op]}to\n{text}"
                continue
            self.shown[op] = text
            introspect.invariants(full_name)
            found = {key: (label, why) for key, label, why in _LINE.findall(text)}
            for key, expected in self.model.table(op).items():
                if found.get(key, ("-", "missing")) != expected:
                    return f"{step}: {op} at {key}: {found.get(key)}, should be {expected}"
        return None


def function(label: str):
    """Returns a kernel that returns its label, or None for a fallthrough."""
    if label == "fallthrough":
        return None

    def kernel(*args):
        return label

    kernel.__qualname__ = label
    return kernel


def difference(steps: list[tuple]) -> str | None:
    """Returns the first difference in a sequence, None if there is none."""
    run = Run()
    try:
        for step in steps:
            try:
                found = run.step(step)
            except AssertionError as error:
                found = f"{step}: {error}"
            if found is not None:
                return found
        return None
    finally:
        run.finish()


def smallest(steps: list[tuple]) -> list[tuple]:
    """Removes the steps that a failure does not need, except for libraries, which have numbers."""
    for place in reversed(range(len(steps))):
        if steps[place][0] != "open":
            shorter = steps[:place] + steps[place + 1 :]
            if difference(shorter) is not None:
                steps = shorter
    return steps


@pytest.mark.parametrize("part", range(4))
def test_any_interleaving_leaves_the_state_of_active_registrations(part):
    for seed in range(part, SEQUENCES, 4):
        steps = random_steps(seed)
        if difference(steps) is not None:
            least = smallest(steps)
            pytest.fail(f"seed {seed}: {difference(least)}\n" + "\n".join(map(str, least)))


def test_the_test_finds_a_wrong_step(monkeypatch):
    monkeypatch.setitem(model.ALIASES, "Autograd", model.AUTOGRAD[:-1])
    steps = [
        ("open", "FRAGMENT"),
        ("define", 0, "f"),
        ("impl", 0, "f", "CPU", "k1"),
        ("impl", 0, "f", "Autograd", "k2"),
    ]
    assert "AutogradMeta" in difference(steps)
    assert len(smallest(steps)) == 3


def test_calls_reach_the_kernel_of_the_model():
    choose = random.Random(5)
    tensor, called = tenon.ones(1), 0
    own = {key for key, label in built_in().items() if label != "fallthrough"}
    callable_keys = [key for key in model.runtime_keys() if key not in own]
    for _ in range(300):
        with peers.scratch(peers.PEERS[0], "op(Tensor x) -> str") as op:
            registry = Registry({"op": 0}, built_in=built_in())
            for _ in range(choose.randrange(1, 7)):
                key, label = choose.choice(KERNEL_KEYS), f"k{next(_labels)}"
                label = "fallthrough" if choose.random() < 0.25 else label
                library = tenon.library.Library(op.ns, "IMPL")
                library._native.impl("op", _tenon.tenon_key_parse(key), function(label))
                op._libraries.append(library)
                registry.kernels.append(Kernel("op", key, label, 0))
            for _ in range(6):
                keys = choose.sample(callable_keys, choose.randrange(1, 5))
                keys.append(choose.choice(model.BACKENDS))
                expected = registry.serves("op", keys)
                keyset = tenon.library.DispatchKeySet(*keys)
                if expected == "-":
                    with pytest.raises(NotImplementedError):
                        op.overload().redispatch(keyset, tensor)
                else:
                    assert op.overload().redispatch(keyset, tensor) == expected, keys
                    called += 1
    assert called > 500
