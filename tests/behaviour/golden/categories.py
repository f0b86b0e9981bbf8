# SPDX-License-Identifier: Apache-2.0
"""Intended differences between Tenon's schema parser and PyTorch's, and how to recognize them.

`kind` returns the first category that explains a difference, or None.
"""

from __future__ import annotations

import re

CATEGORIES = {
    "default-type": "a default of another type than its argument is refused",
    "duplicate-name": "two arguments of one name are refused",
    "unbound-return": "an alias set of a return that no argument has is refused",
    "empty-tuple": "a tuple type without elements is refused: nothing could be passed",
    "split-colons": "`a: :b` is not a name",
    "out-of-range": "a number that float64 or int64 cannot hold is refused",
    "object-type": "a name with dots is the type of an object; no registry of classes is asked",
    "dimname": "Dimname is str, as in the schemas that PyTorch ships",
    "symbolic-type": "SymFloat parses as SymInt and SymBool do",
    "keyword": "words of TorchScript such as `in` are names like others",
    "none-default": "None is a default of every optional type; PyTorch fails an assertion",
    "default-parsed": "defaults of complex, str[], SymInt[] and nested lists are parsed",
    "dict-key": "every type may be the key of a Dict",
    "exponent": "inf, nan and exponents without a dot are numbers",
    "enum-inside": "enumerations and symbolic numbers print their own name inside other types, and "
    "DeviceIndex everywhere, where PyTorch prints int",
    "alias-order": "alias sets print in the order of the text",
    "alias-optional": "annotations of optional elements print where they parse: `Tensor(a)?[]`",
    "alias-nested": "annotations inside lists of lists are kept",
    "bare-write": "`T!` prints as it was",
    "device-quotes": "a default device prints in quotes, so that it parses again",
    "complex-value": "a complex default keeps its value",
    "hexadecimal": "0x10 is 16",
    "optional-list": "one value as the default of `T[N]?` stands for a list, as for `T[N]`",
    "text-default": "a text default that PyTorch prints without quotes keeps them",
}
_ENUM = r"ScalarType|Layout|MemoryFormat|SymInt|DeviceIndex|SymBool"


def _without_enums(text: str) -> str:
    return re.sub(rf"\b(?:{_ENUM})\b", "int", text)


def _collapsed(text: str) -> str:
    return re.sub(r"=\[([^,\]]+)(?:, \1)*\]", r"=\1", text)


def _refused_here(message: str) -> str | None:
    for words, kind in (
        ("default of argument", "default-type"),
        ("appears twice", "duplicate-name"),
        ("is not on any argument", "unbound-return"),
        ("expected a type, got ')'", "empty-tuple"),
        ("beyond the range", "out-of-range"),
        ("not only a name, got ':'", "split-colons"),
    ):
        if words in message:
            return kind
    return None


def _refused_there(text: str, message: str) -> str | None:
    if "Cannot create dict" in message:
        return "dict-key"
    if re.search(r"custom class|Expected classes namespace|expected \. but found", message):
        return "object-type"
    if "unknown type specifier" in message:
        types = re.sub(r'"[^"]*"|=[^,)]*', "", text.partition("(")[2])
        if "Dimname" in types:
            return "dimname"
        if "SymFloat" in types:
            return "symbolic-type"
        if re.search(r"\w\.\w", types):
            return "object-type"
        return None
    if "unexpected type" in message or "union_type" in message:
        return "none-default"
    if "stod" in message or "lists are only supported" in message:
        return "default-parsed"
    if "expected number but found" in message or "expected ] but found" in message:
        return "default-parsed"
    if re.search(r"expected ident but found '\w+'", message):
        return "keyword"
    if "invalid numeric default" in message:
        return "exponent"
    return None


def _printed(text: str, ours: str, theirs: str) -> str | None:
    if re.search(r"0[xX]", text):
        return "hexadecimal"
    if "$" in theirs:
        return "bare-write"
    if re.search(r"=\s*['\"]", text) and "Device" in text:
        return "device-quotes"
    if _without_enums(ours) == _without_enums(theirs):
        return "enum-inside"
    plain_ours, plain_theirs = _without_enums(ours), _without_enums(theirs)
    if re.sub(r"\?\(([^)]*)\)", r"(\1)?", plain_theirs) == plain_ours:
        return "alias-optional"
    if re.search(r"\)\[\]\[|\(![^)]*\)\[\]\[", plain_ours) and "](" in plain_theirs:
        return "alias-nested"
    if sorted(plain_ours) == sorted(plain_theirs) and "|" in ours:
        return "alias-order"
    if _collapsed(plain_ours) == _collapsed(plain_theirs):
        return "optional-list"
    if "complex" in text and ".j" in ours:
        return "complex-value"
    return None


def kind(text: str, ours: str | None, our_error: str, theirs: str | None, their_error: str):
    """Returns the category of a difference. Results are printed schemas, or None with an error."""
    if ours is None:
        return _refused_here(our_error)
    if theirs is None:
        return _refused_there(text, their_error)
    return _printed(text, ours, theirs)
