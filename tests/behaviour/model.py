# SPDX-License-Identifier: Apache-2.0
"""A slow and simple model of registration: what is active, and which kernel serves which key.

It keeps a list of registrations and derives every answer from that list alone. Nothing else is
stored, so the answers cannot depend on the order of events.
"""

from __future__ import annotations

import dataclasses

BACKENDS = ("CPU", "CUDA", "npu", "Meta")  # lowest first
# Functionalities, lowest first; those with a star have one key for each backend.
FUNCTIONALITIES = (
    "Dense*",
    "BackendSelect",
    "Fake",
    "Wrapper",
    "TransformBack",
    "Functionalize",
    "Conjugate",
    "Negative",
    "ZeroTensor",
    "ADInplaceOrView",
    "Autograd*",
    "Tracer",
    "Autocast*",
    "Batched",
    "TransformFront",
    "Override",
)
AUTOGRAD = tuple(f"Autograd{backend}" for backend in BACKENDS)
AUTOCAST = tuple(f"Autocast{backend}" for backend in BACKENDS)
CIA = "CompositeImplicitAutograd"
CEA = "CompositeExplicitAutograd"
CEANF = "CompositeExplicitAutogradNonFunctional"
DECOMPOSITION = "BatchedDecomposition"
# Alias key -> keys that it covers.
ALIASES = {
    "Autograd": AUTOGRAD,
    "Autocast": AUTOCAST,
    CEA: ("Undefined", *BACKENDS),
    CEANF: ("Undefined", *BACKENDS),
    CIA: (
        "Undefined",
        *BACKENDS,
        *AUTOGRAD,
        "ADInplaceOrView",
        "Batched",
        "Wrapper",
        "Fake",
        "Functionalize",
    ),
    DECOMPOSITION: ("Batched",),
}
# Alias keys in the order in which they are tried.
STEPS = (
    (CEANF, "default backend kernel"),
    (CEA, "default backend kernel"),
    (DECOMPOSITION, "batched kernel"),
    (CIA, "math kernel"),
    ("Autograd", "autograd kernel"),
    ("Autocast", "autograd kernel"),
)


def runtime_keys() -> list[str]:
    """Returns all keys with a slot except Undefined, lowest first."""
    keys = []
    for functionality in FUNCTIONALITIES:
        if functionality.endswith("*"):
            prefix = functionality.rstrip("*").replace("Dense", "")
            keys += [prefix + backend for backend in BACKENDS]
        else:
            keys.append(functionality)
    return keys


KEYS = ("Undefined", *runtime_keys())


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A registration of a kernel, or of a fallback if op is None."""

    op: str | None
    key: str
    label: str  # "fallthrough" skips the key
    library: int


@dataclasses.dataclass
class Registry:
    """All registrations, oldest first."""

    definitions: dict[str, int] = dataclasses.field(default_factory=dict)  # op -> library
    kernels: list[Kernel] = dataclasses.field(default_factory=list)
    # Fallbacks that exist before any registration: key -> label.
    built_in: dict[str, str] = dataclasses.field(default_factory=dict)

    def close(self, library: int) -> None:
        """Removes the registrations of one library."""
        self.definitions = {op: by for op, by in self.definitions.items() if by != library}
        self.kernels = [kernel for kernel in self.kernels if kernel.library != library]

    def fallback(self, key: str) -> Kernel | None:
        """Returns the fallback of a key."""
        return next((k for k in self.kernels if k.op is None and key in expand(k.key)), None)

    def dangling(self) -> set[str]:
        """Returns the operators that have kernels but no definition."""
        return {k.op for k in self.kernels if k.op is not None} - set(self.definitions)

    def slot(self, op: str, key: str) -> tuple[str, str]:
        """Returns the label of a key's kernel ("fallthrough", or "-" for none), and why."""
        active = {k.key: k.label for k in self.kernels if k.op == op}  # the newest of each key
        if key in active:
            return active[key], "kernel"
        for alias, provenance in STEPS:
            if alias not in active or key not in ALIASES[alias]:
                continue
            if alias == CIA and serves_backend(active, key):
                continue
            return active[alias], provenance
        fallback = self.fallback(key)
        if fallback is not None:
            return fallback.label, "backend fallback"
        if key in self.built_in:
            return self.built_in[key], "backend fallback"
        return "-", "missing"

    def table(self, op: str) -> dict[str, tuple[str, str]]:
        """Returns all slots."""
        return {key: self.slot(op, key) for key in KEYS}

    def serves(self, op: str, keys: list[str]) -> str:
        """Returns the label of the kernel that a redispatch with these keys calls, "-" for none."""
        backends = [b for b in BACKENDS if any(key.endswith(b) for key in keys)]
        for functionality in reversed(FUNCTIONALITIES):
            prefix = functionality.rstrip("*").replace("Dense", "")
            if functionality.endswith("*"):
                if not any(prefix + backend in keys for backend in BACKENDS):
                    continue
                label, _ = self.slot(op, prefix + backends[-1])
            elif prefix in keys:
                label, _ = self.slot(op, prefix)
            else:
                continue
            if label != "fallthrough":
                return label
        label, _ = self.slot(op, "Undefined")
        return "-" if label == "fallthrough" else label


def expand(key: str) -> tuple[str, ...]:
    """Returns the keys that a registration for a key or alias covers."""
    return ALIASES.get(key, (key,))


def serves_backend(active: dict[str, str], key: str) -> bool:
    """Whether kernels of backends, or CompositeExplicit, serve a key well enough, so that
    CompositeImplicit leaves it to them."""
    if CEA in active:
        return True
    if key == "Undefined" or key in BACKENDS:
        return False
    if key in AUTOGRAD:
        return key.removeprefix("Autograd") in active
    return any(backend in active for backend in BACKENDS)
