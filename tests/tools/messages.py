# SPDX-License-Identifier: Apache-2.0
"""Collects the messages of errors and warnings from the functions that raise them.

A function that passes a parameter on as a part of a message raises itself: its callers are read
for that part, so each message is found whole, with placeholders for what is formatted.
"""

from __future__ import annotations

import dataclasses
import re

import source_calls
from source_calls import Function, Source


@dataclasses.dataclass(frozen=True)
class Hole:
    """A part that is formatted: a name for the reader, and the parameter or variable if bare."""

    name: str
    bare: str = ""


@dataclasses.dataclass(frozen=True)
class Either:
    """Parts of which one is chosen."""

    choices: tuple[tuple, ...]


Part = "str | Hole | Either"


@dataclasses.dataclass(frozen=True)
class Message:
    text: str
    code: str  # a status, the name of an exception, or a warning's category
    file: str


@dataclasses.dataclass(frozen=True)
class Raiser:
    """A function that raises: where its arguments have the code and the message."""

    code: int | str  # the argument's position, or the code itself
    first: int  # the first argument of the message
    last: int | None = None  # the one after it; None: all that follow
    printf: bool = False


# The lowest raising functions, by language. Functions that forward their parameters are found.
RAISERS = {
    "c++": {
        "fail": Raiser(0, 1),
        "TENON_CHECK": Raiser(1, 2),
        "TENON_CHECK_ARG": Raiser("INVALID_ARGUMENT", 1),
        "TENON_CHECK_TYPE": Raiser("TYPE", 1),
        "TENON_CHECK_INDEX": Raiser("INDEX", 1),
        "Error": Raiser(0, 1),
        "make": Raiser(0, 2),
        "warn": Raiser(0, 1, 2),
        "warn_once": Raiser(1, 2, 3),
    },
    "c": {
        "tnp_raise_format": Raiser(0, 1, printf=True),
        "PyErr_Format": Raiser(0, 1, printf=True),
        "PyErr_SetString": Raiser(0, 1, 2),
        "PyErr_WarnEx": Raiser(0, 1, 2),
        "PyErr_WarnFormat": Raiser(0, 2, printf=True),
    },
    "java": {},
    "rust": {
        "new": Raiser(0, 1),
        "with_kind": Raiser(0, 2),
        "panic!": Raiser("panic", 0),
        "expect": Raiser("panic", 0),
    },
}
for _language in ("c++", "c", "rust"):
    RAISERS[_language]["tenon_error_new"] = Raiser(0, 2)
    RAISERS[_language]["tenon_error_raise"] = Raiser(0, 1)
    RAISERS[_language]["tenon_warning_emit"] = Raiser(0, 1, 2)
    RAISERS[_language]["tenon_warning_emit_once"] = Raiser(1, 2, 3)

# Functions that join what they get, or pass it on.
JOINS = frozenset(
    "concat string string_view String str std format format! format_args! write! writeln! "
    "to_string valueOf c_str Part to_owned into as_ref as_str join text".split()
)
# Names that say nothing about what an expression formats.
NOISE = frozenset(
    "std string string_view static_cast int64_t int32_t uint32_t long unsigned int size_t base "
    "tenon to_string "
    "name_of c_str str view text data get value describe show quoted quote shape_text size_text "
    "sizes_text PyUnicode_AsUTF8 tnp_utf8 Py_TYPE tp_name as self_ this const char String valueOf "
    "concat display to_owned clone kernels detail auto Part begin end at front back".split()
)
# Words of an expression that say what it formats.
KINDS = {
    "dtype": "dtype",
    "sizes": "sizes",
    "shape": "shape",
    "strides": "strides",
    "device": "device",
    "ndim": "number of dims",
    "numel": "number of elements",
    "tag": "type",
    "typename": "type",
    "words": "sizes",
}
FORMAT = re.compile(r"%(%|[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])")
BRACED = re.compile(r"\{\{|\}\}|\{([^{}:]*)(?::[^{}]*)?\}")
LETTER = re.compile(r"[A-Za-z]{2}")
DEEPEST = 8


def short(name: str) -> str:
    """One or two words for a placeholder: what is formatted, not where it comes from."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("_", " ")).split()
    if words[-2:] == ["form", "names"]:
        return "argument"
    if len(words) > 1 and words[0] == "k":
        words = [word.lower() for word in words[1:]]
    for kind in KINDS:
        if len(words) > 1 and kind in (word.lower() for word in words):
            return KINDS[kind]
    return (
        " ".join(word.lower() if word[0].isupper() and len(word) > 1 else word for word in words)
        or "value"
    )


def shown(parts: tuple) -> str:
    """The message as the catalogue shows it: it begins with what raised it."""
    text = re.sub(r"\s+", " ", spelled(parts)).strip()
    # fail_argument() of the kernels omits "be" before "have".
    text = re.sub(
        r"\{ must \| must be \}(have )?", lambda m: " must have " if m[1] else " must be ", text
    )
    text = re.sub(
        r"^<(?:[\w ]* )?(?:op|ops|op name|name of op|operator)>(?=[:(])", "<operator>", text
    )
    text = re.sub(
        r"^(<[\w ]*>|[\w.:]+): <[\w ]*(?:name|names|argument)s?>(?= must)", r"\1: <argument>", text
    )
    return text


def spelled(parts: tuple) -> str:
    """The parts in one text."""
    out = ""
    for part in parts:
        if isinstance(part, str):
            out += part
        elif isinstance(part, Hole):
            out += f"<{part.name}>"
        else:
            texts = list(dict.fromkeys(spelled(choice) for choice in part.choices))
            out += texts[0] if len(texts) == 1 else "{" + " | ".join(texts) + "}"
    return out


def has_words(parts: tuple) -> bool:
    return any(
        LETTER.search(part)
        if isinstance(part, str)
        else isinstance(part, Either) and any(has_words(choice) for choice in part.choices)
        for part in parts
    )


def holes(parts: tuple) -> list[Hole]:
    found: list[Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            found.append(part)
        elif isinstance(part, Either):
            for choice in part.choices:
                found += holes(choice)
    return found


def replaced(parts: tuple, by_name: dict[str, tuple]) -> tuple:
    out: list = []
    for part in parts:
        if isinstance(part, Hole) and part.bare in by_name:
            out += by_name[part.bare]
        elif isinstance(part, Either):
            out.append(Either(tuple(replaced(choice, by_name) for choice in part.choices)))
        else:
            out.append(part)
    return tuple(out)


def printf(parts: tuple, arguments: list[tuple]) -> tuple:
    """The parts of a format of C, with the arguments in place of its conversions."""
    out: list = []
    rest = list(arguments)

    def put(match: re.Match) -> None:
        if match[0] == "%%":
            out.append("%")
        else:
            for _ in range(match[0].count("*")):
                if rest:
                    rest.pop(0)
            out.extend(rest.pop(0) if rest else (Hole("value"),))

    for part in parts:
        if isinstance(part, Either):
            kept = list(rest)
            choices = []
            for choice in part.choices:
                choices.append(printf(choice, kept))
            out.append(Either(tuple(choices)))
            continue
        if not isinstance(part, str):
            out.append(part)
            continue
        at = 0
        for match in FORMAT.finditer(part):
            out.append(part[at : match.start()])
            put(match)
            at = match.end()
        out.append(part[at:])
    return tuple(part for part in out if part != "")


def has_prose(parts: tuple) -> bool:
    """Returns true if an argument supplies words, not only a name."""
    return any(
        (" " in part.strip() and bool(LETTER.search(part)))
        if isinstance(part, str)
        else isinstance(part, Either) and any(has_prose(choice) for choice in part.choices)
        for part in parts
    )


class Reader:
    """Messages of one file in C++, C, Java or Rust; callers are found through the collection."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.others: list[Reader] = []  # files whose functions may return the message
        self._open: set[str] = set()  # variables and functions whose texts are being read

    def parts(self, begin: int, end: int, function: Function | None, depth: int = 0) -> tuple:
        """Returns the parts that an expression adds to a message."""
        source, tokens = self.source, self.source.tokens
        if source.language == "rust":  # a closure that makes the text
            begin += tokens[begin].text == "move" if begin < end else 0
            begin += tokens[begin].text == "||" if begin < end else 0
        while end - begin > 1 and begin in source.ends and source.ends[begin] == end - 1:
            if tokens[begin].text not in ("(", "{"):
                break
            inside = source.split(begin + 1, end - 1)
            if len(inside) > 1:
                return self.joined(inside, function, depth)
            begin, end = begin + 1, end - 1
        if begin >= end:
            return ()
        while tokens[begin].text in ("&", "*") and end - begin > 1:
            begin += 1
        if all(token.kind == "text" for token in tokens[begin:end]):
            text = "".join(source_calls.decoded(token.text) for token in tokens[begin:end])
            return (
                self.braced(text, [], function, depth)
                if self.source.language == "rust" and depth < 0
                else (text,)
            )
        if end - begin == 1 and tokens[begin].kind == "char":
            inner = tokens[begin].text[1:-1]
            return (source_calls.ESCAPES.get(inner[-1], inner[-1]) if "\\" in inner else inner,)
        question = source.split(begin, end, "?")
        if len(question) == 2 and source.language != "rust":
            colon = source.split(question[1][0], question[1][1], ":")
            if len(colon) >= 2:
                first = self.parts(*colon[0], function, depth + 1)
                second = self.parts(colon[1][0], colon[-1][1], function, depth + 1)
                return (Either((first, second)),)
        sums = source.split(begin, end, "+")
        if len(sums) > 1 and sums[0][0] != sums[0][1]:
            joined = self.joined(sums, function, depth)
            if any(token.kind == "text" for token in tokens[begin:end]) or has_words(joined):
                return joined
            return (Hole(self.named(begin, end)),)
        if tokens[begin].text == "-" and end - begin > 1:
            return ("-", *self.parts(begin + 1, end, function, depth + 1))
        return self.call(begin, end, function, depth)

    def joined(self, ranges: list[tuple[int, int]], function: Function | None, depth: int) -> tuple:
        out: list = []
        for begin, end in ranges:
            out += self.parts(begin, end, function, depth + 1)
        return tuple(out)

    def call(self, begin: int, end: int, function: Function | None, depth: int) -> tuple:
        source, tokens = self.source, self.source.tokens
        if end - begin == 1:
            return self.variable(tokens[begin].text, function, depth)
        # Strip `.c_str()` and the like; they pass on what is before them.
        opening = next(
            (i for i in range(begin, end) if i in source.ends and source.ends[i] == end - 1), None
        )
        # Literals with a method: "text".to_string(), String.format("...", x).
        name = ""
        if opening is not None and opening > begin:
            at = opening - 1
            if tokens[at].text == "!":
                name = tokens[at - 1].text + "!"
            else:
                name = tokens[at].text
            arguments = source.split(opening + 1, end - 1)
            whole = "".join(token.text for token in tokens[begin:opening])
            method = at - 1 >= begin and tokens[at - 1].text in (".", "->")
            if at == begin and function is not None and name in function.parameters:
                return self.variable(name, function, depth)
            if name in ("format!", "format_args!"):
                return self.formatted(arguments, function, depth)
            if whole == "String.format":
                texts = self.parts(*arguments[0], function, depth + 1)
                return printf(
                    texts, [self.parts(*one, function, depth + 1) for one in arguments[1:]]
                )
            if name == "formatted" and method:
                texts = self.parts(begin, at - 1, function, depth + 1)
                return printf(texts, [self.parts(*one, function, depth + 1) for one in arguments])
            if name in ("PyUnicode_FromFormat",):
                texts = self.parts(*arguments[0], function, depth + 1)
                return printf(
                    texts, [self.parts(*one, function, depth + 1) for one in arguments[1:]]
                )
            if method and not arguments and name in JOINS and name != "name":
                return self.parts(begin, at - 1, function, depth + 1)
            if not method and name in JOINS and (tokens[at - 1].text == "::" or at == begin):
                return self.joined(arguments, function, depth)
            if not method and at == begin and depth < DEEPEST and name not in self._open:
                self._open.add(name)
                texts = self.returned(name, len(arguments))
                for other in self.others if texts is None else ():
                    texts = texts or other.returned(name, len(arguments))
                self._open.discard(name)
                if texts is not None:
                    return texts
        return (Hole(self.named(begin, end)),)

    def formatted(
        self, arguments: list[tuple[int, int]], function: Function | None, depth: int
    ) -> tuple:
        """The parts of Rust's format!."""
        if not arguments:
            return ()
        begin, end = arguments[0]
        if any(token.kind != "text" for token in self.source.tokens[begin:end]):
            return (Hole(self.named(begin, end)),)
        text = "".join(source_calls.decoded(token.text) for token in self.source.tokens[begin:end])
        return self.braced(text, arguments[1:], function, depth)

    def braced(self, text: str, arguments: list, function: Function | None, depth: int) -> tuple:
        rest = list(arguments)
        out: list = []
        at = 0
        for match in BRACED.finditer(text):
            out.append(text[at : match.start()])
            at = match.end()
            if match[0] in ("{{", "}}"):
                out.append(match[0][0])
            elif match[1]:
                out += self.variable(match[1], function, depth)
            elif rest:
                out += self.parts(*rest.pop(0), function, depth + 1)
            else:
                out.append(Hole("value"))
        out.append(text[at:])
        return tuple(part for part in out if part != "")

    def named(self, begin: int, end: int) -> str:
        """A few words for an expression."""
        names = [
            token.text.rstrip("_")
            for token in self.source.tokens[begin:end]
            if token.kind == "name" and token.text not in NOISE
        ]
        return short(" ".join(names[:3]))

    def variable(self, name: str, function: Function | None, depth: int) -> tuple:
        """A name: a parameter, or a local variable that gets its text from literals."""
        if not re.match(r"[A-Za-z_]\w*$", name):
            return (Hole("value"),)
        hole = Hole(short(name.rstrip("_")), name)
        if function is not None and name in function.parameters:
            return (hole,)
        if depth > DEEPEST or name in self._open:
            return (Hole(hole.name),)
        self._open.add(name)
        found, appended = self._assigned(name, function, depth) if function else ([], [])
        if not found and not appended:
            found = self._constant(name, depth)
        self._open.discard(name)
        first: tuple = ()
        useful = [one for one in found if one and (has_words(one) or appended)]
        if len(useful) == 1 and len(found) == 1:
            first = useful[0]
        elif useful:
            first = (Either(tuple(dict.fromkeys(one for one in found if one))),)
        more = tuple(part for one in appended for part in one)
        if has_words(first) or has_words(more):
            return first + more
        return (Hole(hole.name),)

    def _assigned(self, name: str, function: Function, depth: int) -> tuple[list, list]:
        """Texts that are assigned to a local variable, and those that are appended to it."""
        source, tokens = self.source, self.source.tokens
        found, appended = [], []
        for index in range(function.begin, function.end):
            if tokens[index].text != name or tokens[index].kind != "name":
                continue
            if tokens[index - 1].text in (".", "->"):
                continue
            sign = tokens[index + 1].text
            if sign in ("=", "+="):
                stop = next(
                    (
                        i
                        for i in source.level(index + 2, function.end)
                        if tokens[i].text in (";", ",")
                    ),
                    function.end,
                )
                texts = self.parts(index + 2, stop, function, depth + 2)
                (found if sign == "=" else appended).append(texts)
            elif (
                sign in ("(", "{") and tokens[index - 1].kind == "name" and index + 1 in source.ends
            ):
                if tokens[index - 1].text in ("return", "throw"):
                    continue
                close = source.ends[index + 1]
                found.append(self.joined(source.split(index + 2, close), function, depth + 2))
            elif sign == "." and tokens[index + 2].text in ("append", "push_str"):
                close = source.ends.get(index + 3)
                if close:
                    appended.append(
                        self.joined(source.split(index + 4, close), function, depth + 2)
                    )
        return found, appended

    def _constant(self, name: str, depth: int) -> list:
        """Texts of a constant at the top of the file."""
        source, tokens = self.source, self.source.tokens
        for index in range(1, len(tokens) - 2):
            if tokens[index].text == name and source.within(index) is None:
                at = index + 1
                if tokens[at].text == "[" and at in source.ends:
                    at = source.ends[at] + 1
                if tokens[at].text == ":" and source.language == "rust":
                    at = next((i for i in range(at, at + 8) if tokens[i].text == "="), at)
                if tokens[at].text == "=":
                    stop = next(i for i in source.level(at + 1) if tokens[i].text == ";")
                    return [self.parts(at + 1, stop, None, depth + 2)]
        return []

    def returned(self, name: str, arguments: int) -> tuple | None:
        """Returns the texts that a function of this file returns, or None if it returns none."""
        source, tokens = self.source, self.source.tokens
        for function in source.functions:
            if function.name != name or not function.accepts(arguments):
                continue
            found = []
            for index in range(function.begin, function.end):
                if tokens[index].text == "return" and tokens[index].kind == "name":
                    stop = next(
                        (i for i in source.level(index + 1, function.end) if tokens[i].text == ";"),
                        None,
                    )
                    if stop is not None:
                        found.append(self.parts(index + 1, stop, function, DEEPEST - 1))
            useful = [self._unbound(one) for one in found if one]
            if any(has_words(one) for one in useful) and len(useful) <= 6:
                useful = list(dict.fromkeys(useful))
                return useful[0] if len(useful) == 1 else (Either(tuple(useful)),)
        return None

    def _unbound(self, parts: tuple) -> tuple:
        """The parts without names that mean something in their function only."""
        return replaced(
            parts, {hole.bare: (Hole(hole.name),) for hole in holes(parts) if hole.bare}
        )
