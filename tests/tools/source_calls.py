# SPDX-License-Identifier: Apache-2.0
"""Reads functions and calls in C, C++, CUDA, Java and Rust, as far as messages need it."""

from __future__ import annotations

import bisect
import dataclasses
import pathlib
import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>"{3}.*?"{3}|(?:u8|[uUL])?R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"
        |r(?P<fence>\#*)".*?"(?P=fence)|(?:u8|[uULbc])?"(?:[^"\\]|\\.)*")
    |(?P<char>[uULb]?'(?:[^'\\]|\\(?:u\{?\w+\}?|x\w+|.))')
    |(?P<name>[A-Za-z_]\w*!?(?<!!)|[A-Za-z_]\w*)
    |(?P<number>\d[\w'.]*)
    |(?P<sign>::|->|\+=|==|!=|<=|>=|&&|\|\||=>|\.\.\.|[^\s\w])""",
    re.S | re.X,
)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*\w(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.M | re.S)
OPENING, CLOSING = "([{", ")]}"
NO_FUNCTIONS = frozenset(
    "if for while switch catch return sizeof decltype alignas noexcept requires else match "
    "synchronized try new throw case do assert static_assert alignof".split()
)
BEFORE_BODY = frozenset(
    "const noexcept override final mutable throws where requires constexpr try".split()
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int


@dataclasses.dataclass(eq=False)
class Function:
    """A definition: its name, parameters, and the range of its tokens."""

    file: str
    name: str
    parameters: list[str]
    pack: bool  # the last parameter takes all further arguments
    optional: int  # number of parameters with a default
    begin: int
    end: int

    def accepts(self, arguments: int) -> bool:
        most = len(self.parameters)
        return most - self.optional - self.pack <= arguments and (self.pack or arguments <= most)


@dataclasses.dataclass(eq=False)
class Call:
    name: str
    arguments: list[tuple[int, int]]  # ranges of tokens
    at: int


def decoded(literal: str) -> str:
    """The text of a string literal."""
    raw = re.match(r'(?:u8|[uUL])?R"([^()\s]*)\(', literal)
    if raw:
        return literal[raw.end() : -len(raw[1]) - 2]
    if literal.startswith("r"):
        return literal[literal.index('"') + 1 : literal.rindex('"')]
    if literal.startswith('"""'):
        return literal[3:-3].strip()
    inner = literal[literal.index('"') + 1 : -1]
    inner = re.sub(r"\\\n\s*", "", inner)  # Rust: a literal goes on in the next line
    return re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), inner, flags=re.S)


class Source:
    """The tokens of a file, with its functions and calls."""

    def __init__(self, path: pathlib.Path, name: str) -> None:
        self.name = name
        text = path.read_text()
        self.language = {".rs": "rust", ".java": "java", ".c": "c"}.get(path.suffix, "c++")
        if self.language in ("c", "c++"):
            text = DIRECTIVE.sub(lambda match: "\n" * match[0].count("\n"), text)
        self._lines = [match.start() for match in re.finditer("\n", text)]
        self.tokens = [
            Token(match.lastgroup or "", match[0], match.start())
            for match in TOKEN.finditer(text)
            if match.lastgroup != "comment" and not match["comment"]
        ]
        self.tokens = [self._normal(token) for token in self.tokens]
        self.ends = self._pairs()
        self.functions = self._functions()
        self.calls = self._calls()

    @staticmethod
    def _normal(token: Token) -> Token:
        kind = "text" if token.kind in ("mark", "fence") else token.kind
        return Token(kind, token.text, token.at)

    def line(self, index: int) -> int:
        return bisect.bisect(self._lines, self.tokens[index].at) + 1

    def _pairs(self) -> dict[int, int]:
        """The closing bracket of each opening one."""
        stack: list[int] = []
        found = {}
        for index, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPENING:
                stack.append(index)
            elif token.text in CLOSING and stack:
                found[stack.pop()] = index
        return found

    def split(self, begin: int, end: int, sign: str = ",") -> list[tuple[int, int]]:
        """The ranges between the signs at the top level of a range."""
        found, start, index, angles = [], begin, begin, 0
        while index < end:
            text = self.tokens[index].text
            if index in self.ends and text in OPENING:
                index = self.ends[index]
            elif text == "<" and self._is_template(index):
                angles += 1
            elif text == ">" and angles:
                angles -= 1
            elif text == sign and self.tokens[index].kind == "sign" and not angles:
                found.append((start, index))
                start = index + 1
            index += 1
        if start < end:
            found.append((start, end))
        return found

    def _is_template(self, index: int) -> bool:
        """Returns true if `<` opens arguments of a template: they end before a `;` or `)`."""
        depth = 0
        for token in self.tokens[index : index + 40]:
            if token.text == "<":
                depth += 1
            elif token.text == ">":
                depth -= 1
                if depth == 0:
                    return True
            elif token.kind in ("text", "char") or token.text in (
                ";",
                "(",
                ")",
                "{",
                "&&",
                "||",
                "?",
            ):
                return False
        return False

    def _functions(self) -> list[Function]:
        found = []
        for index, token in enumerate(self.tokens):
            if token.kind == "name" and token.text not in NO_FUNCTIONS:
                one = self._rust(index) if self.language == "rust" else self._function(index)
                one = one or self._lambda(index)
                if one is not None:
                    found.append(one)
        return found

    def _body(self, index: int) -> int | None:
        """The opening brace of the body that follows a list of parameters."""
        tokens = self.tokens
        for at in range(index, min(index + 80, len(tokens))):
            text = tokens[at].text
            if text == "{":
                # A member that is initialized with braces is no body.
                if tokens[at - 1].kind == "name" and tokens[at - 1].text not in BEFORE_BODY:
                    if any(tokens[i].text == ":" for i in range(index, at)):
                        continue
                return at
            if text in (";", "}", "=") or tokens[at].kind == "text":
                return None
            if text in ("?", "&&", "||", "+", ".") and self.language != "c++":
                return None
        return None

    def _function(self, index: int) -> Function | None:
        tokens = self.tokens
        if index == 0 or index + 1 >= len(tokens) or tokens[index + 1].text != "(":
            return None
        before = tokens[index - 1]
        if before.text in NO_FUNCTIONS or before.kind not in ("name", "sign"):
            return None
        if before.kind == "sign" and before.text not in (
            ">",
            "*",
            "&",
            "::",
            "~",
            "}",
            ";",
            "]",
            "{",
            ")",
        ):
            return None
        close = self.ends.get(index + 1)
        if close is None or close + 1 >= len(tokens):
            return None
        after = tokens[close + 1]
        if after.text not in ("{", ":", "->") and after.text not in BEFORE_BODY:
            return None
        body = self._body(close + 1)
        if body is None or body not in self.ends:
            return None
        return self._made(tokens[index].text, index + 2, close, body)

    def _rust(self, index: int) -> Function | None:
        tokens = self.tokens
        if index == 0 or tokens[index - 1].text != "fn":
            return None
        opening = next(
            (i for i in range(index, min(index + 60, len(tokens))) if tokens[i].text == "("), None
        )
        if opening is None or opening not in self.ends:
            return None
        close = self.ends[opening]
        body = next((i for i in range(close, len(tokens)) if tokens[i].text in ("{", ";")), None)
        if body is None or body not in self.ends:
            return None
        parameters = []
        for begin, end in self.split(opening + 1, close):
            names = [t.text for t in tokens[begin:end] if t.kind == "name" and t.text != "mut"]
            if names and names[0] != "self":
                parameters.append(names[0])
        return Function(self.name, tokens[index].text, parameters, False, 0, body, self.ends[body])

    def _lambda(self, index: int) -> Function | None:
        """A function that a local variable holds: `name = [](parameters) {`."""
        tokens = self.tokens
        if index + 3 >= len(tokens) or tokens[index + 1].text != "=":
            return None
        if self.language == "rust" and tokens[index + 2].text == "|":
            return self._closure(index)
        if tokens[index + 2].text != "[":
            return None
        captures = self.ends.get(index + 2)
        if captures is None or tokens[captures + 1].text != "(":
            return None
        close = self.ends.get(captures + 1)
        body = self._body(close + 1) if close else None
        if body is None or body not in self.ends:
            return None
        return self._made(tokens[index].text, captures + 2, close, body)

    def _closure(self, index: int) -> Function | None:
        """A closure of Rust with parameters: `name = |parameters| expression;`."""
        tokens = self.tokens
        bars = [i for i in range(index + 3, min(index + 40, len(tokens))) if tokens[i].text == "|"]
        if not bars:
            return None
        end = next((i for i in self.level(bars[0] + 1) if tokens[i].text == ";"), None)
        if end is None:
            return None
        names = [self.tokens[begin].text for begin, _ in self.split(index + 3, bars[0])]
        return Function(self.name, tokens[index].text, names, False, 0, bars[0], end)

    def level(self, begin: int, end: int | None = None) -> Iterator[int]:
        """The tokens of a range that are not inside of brackets, the opening ones among them."""
        index = begin
        while index < (len(self.tokens) if end is None else end):
            yield index
            index = self.ends.get(index, index) + 1

    def _made(self, name: str, begin: int, end: int, body: int) -> Function:
        parameters, optional, pack = [], 0, False
        for first, last in self.split(begin, end):
            parts = self.split(first, last, "=")
            optional += len(parts) > 1
            tokens = self.tokens[parts[0][0] : parts[0][1]]
            pack = any(token.text == "..." for token in tokens)
            # The type of a pointer to a function or array follows the name; messages have none.
            names = [token.text for token in tokens if token.kind == "name"]
            parameters.append(names[-1] if len(names) > 1 or (pack and names) else "")
        return Function(self.name, name, parameters, pack, optional, body, self.ends[body])

    def _calls(self) -> list[Call]:
        found = []
        for index, token in enumerate(self.tokens[:-1]):
            at = index + 1
            if token.kind != "name":
                continue
            if self.tokens[at].text == "!" and self.language == "rust":
                at += 1
            if at in self.ends and (
                self.tokens[at].text == "("
                or (self.tokens[at].text == "{" and token.text == "Error")
            ):
                found.append(Call(token.text, self.split(at + 1, self.ends[at]), index))
        return found

    def within(self, index: int) -> Function | None:
        """The innermost function around a token."""
        around = [one for one in self.functions if one.begin < index < one.end]
        return max(around, key=lambda one: one.begin) if around else None

    def defines(self, call: Call) -> bool:
        """Returns true if the call is in fact the head of a definition or a declaration."""
        before = self.tokens[call.at - 1] if call.at else None
        if before is None:
            return False
        if before.kind == "name":
            return before.text not in ("return", "throw", "else", "do", "new", "in")
        if before.text in ("*", "&", ">", "::", "]"):
            close = self.ends.get(call.at + 1)
            return close is not None and any(
                one.name == call.name and one.begin > close and self._body(close + 1) == one.begin
                for one in self.functions
            )
        return False
