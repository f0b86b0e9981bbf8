# SPDX-License-Identifier: Apache-2.0
"""Follows messages from the functions that raise to the callers that supply their words."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re

import messages
from messages import Message, Raiser, Reader
from source_calls import Call, Function, Source

SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".java", ".rs", ".i")
HEADERS = (".h", ".hpp", ".cuh", ".java", ".rs", ".i")
# Folders whose functions may call each other, and the language of the raising functions.
LAYERS = (
    ("core", ("core", "capi/src")),
    ("C++", ("capi/include",)),
    ("kernels", ("kernels",)),
    ("Python", ("bindings/python/native", "bindings/swig")),
    ("Java", ("bindings/java/native", "bindings/java/src/main")),
    ("Rust", ("bindings/rust/tenon/src",)),
)


@dataclasses.dataclass
class Raised:
    """A message on its way: its parts, the code, and the function whose parameters they name."""

    parts: tuple
    code: tuple
    file: str
    line: int
    function: Function | None
    depth: int = 0


class Layer:
    """The sources of one layer: finds its raising calls and the callers of a function."""

    def __init__(self, root: pathlib.Path, folders: tuple[str, ...], passed_on: dict) -> None:
        self.sources = [
            Source(path, path.relative_to(root).as_posix())
            for folder in folders
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES and path.is_file() and "target" not in path.parts
        ]
        self.readers = {source.name: Reader(source) for source in self.sources}
        self.calls: dict[str, list[tuple[Source, Call]]] = collections.defaultdict(list)
        self.headers: set[str] = set()
        for source in self.sources:
            for call in source.calls:
                self.calls[call.name].append((source, call))
                if source.name.endswith(HEADERS):
                    self.headers.add(call.name)
        self.passed_on = passed_on
        self.complaints: list[str] = []
        self.used: set = set()

    def messages(self) -> list[Message]:
        found: list[Message] = []
        for source in self.sources:
            for call in source.calls:
                raised = self.raised(source, call)
                if raised is not None:
                    self.follow(raised, found)
        return found

    def raiser(self, source: Source, call: Call) -> Raiser | None:
        tokens = source.tokens
        before = tokens[call.at - 1].text if call.at else ""
        language = source.language
        if language == "java":
            if before == "new" and re.search(r"(Exception|Error)$", call.name):
                has_code = call.name == "TenonException" and len(call.arguments) > 1
                return Raiser(0, 1, 2) if has_code else Raiser(call.name, 0, 1)
            return None
        raiser = messages.RAISERS[language].get(call.name)
        if raiser is None:
            return None
        if language == "rust" and call.name in ("new", "with_kind"):
            return raiser if before == "::" and tokens[call.at - 2].text == "Error" else None
        if language == "rust" and call.name == "expect":
            words = before == "." and len(call.arguments) == 1
            return raiser if words and tokens[call.arguments[0][0]].kind == "text" else None
        if call.name == "make":
            owner = tokens[call.at - 2].text
            return raiser if before == "::" and owner in ("ErrorObject", "tenon_error") else None
        if call.name == "Error" and language == "c++":
            return raiser if len(call.arguments) > 1 else None
        if call.name in ("fail", "warn", "warn_once") and before in (".", "->"):
            return None
        return raiser

    def raised(self, source: Source, call: Call) -> Raised | None:
        raiser = self.raiser(source, call)
        if raiser is None or source.defines(call):
            return None
        function = source.within(call.at)
        reader = self.readers[source.name]
        own = [one for one in source.functions if one.name == call.name]
        if own and all(one.parameters[:1] != ["code"] for one in own) and call.name == "fail":
            return None  # the file's own function of this name, whose callers are followed
        # A constructor or a declaration: types stand where arguments would.
        if len(call.arguments) <= raiser.first:
            return None
        code: tuple
        if isinstance(raiser.code, str):
            code = (raiser.code,)
        else:
            begin, end = call.arguments[raiser.code]
            code = self.code(reader, begin, end, function)
        ranges = call.arguments[raiser.first : raiser.last]
        parts = self._read(reader, call, raiser, ranges, function)
        bare = {hole.bare for hole in messages.holes(parts)}
        if not messages.has_words(parts) and not (function and bare & set(function.parameters)):
            reader.others = [one for one in self.readers.values() if one is not reader]
            parts = self._read(reader, call, raiser, ranges, function)
            reader.others = []
        return Raised(parts, code, source.name, source.line(call.at), function)

    @staticmethod
    def _read(
        reader: Reader, call: Call, raiser: Raiser, ranges: list, function: Function | None
    ) -> tuple:
        if raiser.printf:
            given = [reader.parts(*one, function) for one in ranges]
            return messages.printf(given[0], given[1:])
        if call.name == "panic!":
            return reader.formatted(ranges, function, 0)
        return reader.joined(ranges, function, 0)

    @staticmethod
    def code(reader: Reader, begin: int, end: int, function: Function | None) -> tuple:
        tokens = reader.source.tokens[begin:end]
        if len(tokens) == 1 and tokens[0].kind == "name":
            return (messages.Hole(tokens[0].text, tokens[0].text),)
        names = [token.text for token in tokens if token.kind == "name"]
        known = [n for n in names if re.match(r"(TENON_ERROR_|PyExc_)?[A-Z][A-Z_]+$|PyExc_\w+$", n)]
        if known:
            return (messages.Hole(known[-1], known[-1]),)
        texts = [token for token in tokens if token.kind == "text"]
        if len(tokens) == 1 and texts:
            return (texts[0].text.strip('"'),)
        return (messages.Hole("", ""),)

    def follow(self, raised: Raised, found: list[Message]) -> None:
        function = raised.function
        wanted = {hole.bare for hole in messages.holes(raised.parts) if hole.bare}
        if function is None or raised.depth > messages.DEEPEST:
            return self.add(raised, found)
        wanted &= set(function.parameters)
        callers = self.callers(function) if wanted else []
        given = []
        for source, call in callers:
            at = source.within(call.at)
            if at is function:
                continue  # recursion
            given.append((source, call, at, self.arguments(source, call, at, function)))
        # A parameter that gets no words from any caller is a name or a value: a placeholder.
        prose = {
            name
            for name in wanted
            for *_, arguments in given
            if messages.has_prose(arguments.get(name, ()))
        }
        if not prose and not messages.has_words(raised.parts):
            # The callers may pass on what their own callers supply.
            given = [one for one in given if self._passes_on(one[2], one[3], wanted)]
            if not given:
                return self.add(raised, found)
        elif not prose:
            return self.add(raised, found)
        for source, call, at, arguments in given:
            parts = messages.replaced(raised.parts, arguments)
            code = messages.replaced(raised.code, arguments)
            line = source.line(call.at)
            self.follow(Raised(parts, code, source.name, line, at, raised.depth + 1), found)

    @staticmethod
    def _passes_on(caller: Function | None, arguments: dict, wanted: set[str]) -> bool:
        names = caller.parameters if caller else []
        return any(
            hole.bare and hole.bare in names
            for name in wanted
            for hole in messages.holes(arguments.get(name, ()))
        )

    def callers(self, function: Function) -> list[tuple[Source, Call]]:
        # Conversions have one name in all of Rust and Java: only those of the file itself count.
        shared = function.name in self.headers and function.name not in ("from", "new", "into")
        found = []
        for source, call in self.calls[function.name]:
            if source.name != function.file and not shared:
                continue
            if not function.accepts(len(call.arguments)) or source.defines(call):
                continue
            own = [f for f in source.functions if f.name == function.name]
            if source.name != function.file and any(f.accepts(len(call.arguments)) for f in own):
                continue
            found.append((source, call))
        return found

    def arguments(
        self, source: Source, call: Call, at: Function | None, function: Function
    ) -> dict[str, tuple]:
        reader = self.readers[source.name]
        out = {}
        for index, name in enumerate(function.parameters):
            if not name:
                continue
            is_rest = function.pack and index == len(function.parameters) - 1
            if is_rest:
                out[name] = reader.joined(call.arguments[index:], at, 0)
            elif index < len(call.arguments):
                begin, end = call.arguments[index]
                out[name] = reader.parts(begin, end, at)
                one = source.tokens[begin]
                if end - begin == 1 and re.match(r"(TENON_ERROR_\w+|PyExc_\w+)$", one.text):
                    out[name] = (messages.Hole(one.text, one.text),)
                elif "." in source.name and source.language in ("rust", "java"):
                    names = [t.text for t in source.tokens[begin:end] if t.kind == "name"]
                    if names[:1] in (["Status"], ["ErrorCode"]) and len(names) == 2:
                        out[name] = (messages.Hole(names[1], names[1]),)
            else:
                out[name] = ()
        return out

    def add(self, raised: Raised, found: list[Message]) -> None:
        name = raised.function.name if raised.function else ""
        if not messages.has_words(raised.parts):
            key = (raised.file, name)
            if key in self.passed_on:
                self.used.add(key)
            else:
                text = messages.spelled(raised.parts)
                self.complaints.append(
                    f"{raised.file}:{raised.line}: {name or 'top level'}: the words of the message "
                    f"must be found, got {text!r}"
                )
            return
        code = messages.spelled(raised.code).strip("<>")
        code = re.sub(r"^TENON_ERROR_|^PyExc_", "", code)
        text = messages.shown(raised.parts)
        found.append(Message(text, code if re.match(r"[A-Z]|panic", code) else "", raised.file))
