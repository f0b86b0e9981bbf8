# SPDX-License-Identifier: Apache-2.0
"""Schema strings for the parser: generated from the grammar, or mutated and perhaps invalid."""

from __future__ import annotations

import random

SIMPLE = (
    "Tensor Tensor Tensor int int float bool str Scalar SymInt ScalarType Layout MemoryFormat "
    "Device Generator complex Any Stream QScheme Quantizer Storage Tensor int float"
).split()
# Defaults that mostly fit their type; mutations make others.
DEFAULTS = {
    "int": ("0", "1", "-3", "9223372036854775807", "Mean", "contiguous_format"),
    "SymInt": ("0", "-1", "16"),
    "float": ("0.", "1.5", "-2", "1e-05", "3e20", "0.1", "100000000000000000000", "1e-300"),
    "bool": ("True", "False"),
    "str": ('"NCHW"', "'x'", '""', '"a\\"b"', '"\\n\\t"', '"it\'s"'),
    "Scalar": ("1", "2.5", "-1", "1e10"),
    "ScalarType": ("float", "long", "complex", "6"),
    "Layout": ("strided", "0"),
    "MemoryFormat": ("contiguous_format", "1"),
    "complex": ("0", "1.5", "2j"),
    "Tensor": ("None",),
    "Generator": ("None",),
}
LIST_DEFAULTS = {
    "int": ("[]", "[1]", "[1, 2]", "0", "1"),
    "SymInt": ("[]", "[0, 1]", "2"),
    "float": ("[]", "[1.5, 2]", "0.5"),
    "bool": ("[]", "[True, False]", "True"),
}
NAMES = "self other x y z dim out from lambda a_1 _b input weight kernel_size n".split()
PUNCTUATION = "()[],.:=?!*|->\"' \n0123456789abTxj-+_"


class Strings:
    """A stream of strings that depends only on the seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._set = 0

    def _pick(self, options):
        return options[self._random.randrange(len(options))]

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _alias(self, write: float) -> str:
        self._set += 1
        name = "abcdefgh"[self._set % 8]
        mark = "!" if self._chance(write) else ""
        if self._chance(0.1):
            return f"({name}{mark} -> *)"
        if self._chance(0.05):
            return "(*)"
        return f"({name}{mark})"

    def _type(self, depth: int = 0) -> str:
        roll = self._random.random()
        if roll < 0.01:
            return self._pick(("Dimname", "DeviceIndex", "None", "number", "SymFloat", "Capsule"))
        if depth < 2 and roll < 0.04:
            return f"Dict({self._pick(('str', 'int'))}, {self._type(depth + 1)})"
        if depth < 2 and roll < 0.07:
            inner = ", ".join(self._type(depth + 1) for _ in range(self._random.randrange(1, 4)))
            return f"({inner})"
        if depth < 2 and roll < 0.09:
            return f"{self._pick(('Future', 'RRef', 'Await'))}({self._type(depth + 1)})"
        text = self._pick(SIMPLE)
        if depth == 0 and text == "Tensor" and self._chance(0.25):
            text += self._alias(0.6)
        if self._chance(0.3):
            text += self._pick(("[]", "[]", "?", "?", "[]?", "?[]", "[2]", "[3]?", "[][]"))
        return text

    def _argument(self, number: int, defaulted: bool) -> str:
        kind = self._type()
        name = self._pick(NAMES) + (str(number) if self._chance(0.8) else "")
        if not defaulted:
            return f"{kind} {name}"
        base = kind.partition("(")[0].rstrip("?")
        if kind.endswith("?") and self._chance(0.6):
            return f"{kind} {name}=None"
        if base.endswith("]"):
            options = LIST_DEFAULTS.get(base.partition("[")[0], ("None",))
            # A single value is a default of a list of fixed length only.
            if base.endswith("[]"):
                options = tuple(option for option in options if option[0] in "[N")
            return f"{kind} {name}={self._pick(options or ('[]',))}"
        return f"{kind} {name}={self._pick(DEFAULTS.get(base, ('None',)))}"

    def generated(self) -> str:
        """Returns a string of the grammar; most are valid."""
        count = self._random.randrange(6)
        positional = self._random.randrange(count + 1)
        first_default = self._random.randrange(count + 2)
        parts = []
        for number in range(count):
            if number == positional and self._chance(0.7):
                parts.append("*")
            parts.append(self._argument(number, number >= first_default and self._chance(0.9)))
        if self._chance(0.04):
            parts.append("...")
        rets = [self._type() for _ in range(self._random.randrange(4))]
        if self._chance(0.2):
            rets = [f"{ret} r{number}" for number, ret in enumerate(rets)]
        text = rets[0] if len(rets) == 1 and self._chance(0.8) else f"({', '.join(rets)})"
        space = self._pick(("", "", "", "my::", "aten_x::"))
        overload = self._pick(("", "", ".Tensor", ".out", ".a_b"))
        name = space + self._pick(("f", "add_", "conv2d", "_x")) + overload
        return f"{name}({', '.join(parts)}) -> {text}"

    def mutated(self, text: str) -> str:
        """Returns the string with one to three small changes."""
        for _ in range(self._random.randrange(1, 4)):
            place = self._random.randrange(len(text) + 1)
            roll = self._random.random()
            if roll < 0.3:
                text = text[:place] + text[place + 1 :]
            elif roll < 0.6:
                text = text[:place] + self._pick(PUNCTUATION) + text[place:]
            elif roll < 0.8:
                text = text[:place] + self._pick(PUNCTUATION) + text[place + 1 :]
            else:
                words = text.split(" ")
                one, two = self._random.randrange(len(words)), self._random.randrange(len(words))
                words[one], words[two] = words[two], words[one]
                text = " ".join(words)
        return text


def strings(count: int, seed: int, corpus: list[str]) -> list[str]:
    """`count` strings without line breaks: half generated, a quarter of that kind and mutated, a
    quarter mutations of a corpus of real ones."""
    stream = Strings(seed)
    found: dict[str, None] = {}
    number = 0
    while len(found) < count:
        number += 1
        if number % 4 < 2:
            text = stream.generated()
        elif number % 4 == 2:
            text = stream.mutated(stream.generated())
        else:
            text = stream.mutated(stream._pick(corpus))
        if "\n" not in text and "\t" not in text and text.strip() == text and text:
            found[text] = None
    return list(found)
