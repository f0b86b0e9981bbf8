# SPDX-License-Identifier: Apache-2.0
"""Random sets of registrations, with removals, for the comparison of computed tables."""

from __future__ import annotations

import random

# Keys that Tenon and PyTorch both have, by Tenon's names.
KEYS = (
    "Undefined CPU CUDA npu Meta BackendSelect Conjugate Negative ZeroTensor ADInplaceOrView "
    "AutogradCPU AutogradCUDA Autogradnpu AutogradMeta Tracer AutocastCPU AutocastCUDA Batched"
).split()
ALIASES = (
    "Autograd",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "BatchedDecomposition",
)
PROVENANCE = {
    "kernel": "k",
    "default backend kernel": "d",
    "math kernel": "m",
    "autograd kernel": "a",
    "batched kernel": "b",
}


def cases(count: int, seed: int) -> list[list[tuple]]:
    """Returns `count` sequences of ("add", key, label) and ("remove", index of the addition)."""
    choose = random.Random(seed)
    found = []
    for _ in range(count):
        steps, live = [], []
        for number in range(choose.randrange(1, 10)):
            key = choose.choice(ALIASES) if choose.random() < 0.5 else choose.choice(KEYS[1:])
            label = "fallthrough" if choose.random() < 0.15 else f"k{number}"
            steps.append(("add", key, label))
            live.append(number)
            if choose.random() < 0.25:
                steps.append(("remove", live.pop(choose.randrange(len(live)))))
        found.append(steps)
    return found


def text(steps: list[tuple]) -> str:
    """Returns a sequence as one line."""
    return " ".join(f"{step[1]}={step[2]}" if step[0] == "add" else f"-{step[1]}" for step in steps)


def parse(line: str) -> list[tuple]:
    """Parses a line of `text`."""
    steps = []
    for word in line.split():
        key, _, label = word.partition("=")
        steps.append(("add", key, label) if label else ("remove", int(word[1:])))
    return steps


def row(scratch: object, steps: list[tuple]) -> list[str]:
    """Takes the steps on a scratch operator; the slots of KEYS: "m:k3", "k:fall" for a skipped key,
    "." for a missing one and for what a fallback serves."""
    libraries = []
    for step in steps:
        if step[0] == "add":
            libraries.append(scratch.add(step[1], step[2]))
        else:
            libraries[step[1]]._destroy()
    table = scratch.peer.table(scratch.name)
    found = []
    for key in KEYS:
        slot = table.get(key)
        if slot is None or slot.provenance not in PROVENANCE:
            found.append(".")
        else:
            label = "fall" if slot.fallthrough else slot.kernel
            found.append(f"{PROVENANCE[slot.provenance]}:{label}")
    return found
