# SPDX-License-Identifier: Apache-2.0
"""Collects the messages of exceptions and warnings from Python sources."""

from __future__ import annotations

import ast
import collections
import dataclasses
import pathlib
import re

import messages
from messages import Either, Hole, Message

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
EXCEPTION = re.compile(r"_?[A-Z]\w*(Error|Exception|Refusal|Inexpressible|Warning)$|_NoArchive$")
WARNS = ("warn", "warn_explicit")
# Exceptions whose argument is a value that the protocol of Python defines.
VALUES = frozenset("KeyError StopIteration SystemExit".split())


@dataclasses.dataclass
class Raised:
    parts: tuple
    code: str
    node: ast.AST
    function: ast.AST | None
    module: Module
    depth: int = 0


class Module:
    """One file: its tree, with the function around each node."""

    def __init__(self, path: pathlib.Path, name: str) -> None:
        self.name = name
        self.tree = ast.parse(path.read_text())
        self.around: dict[ast.AST, ast.AST | None] = {}
        self.calls: list[ast.Call] = []
        self.functions: dict[str, list] = collections.defaultdict(list)
        self._walk(self.tree, None)
        self._open: set[str] = set()

    def _walk(self, node: ast.AST, function: ast.AST | None) -> None:
        for child in ast.iter_child_nodes(node):
            self.around[child] = function
            if isinstance(child, ast.Call):
                self.calls.append(child)
            if isinstance(child, FUNCTION):
                if not isinstance(child, ast.Lambda):
                    self.functions[child.name].append(child)
                self._walk(child, child)
            else:
                self._walk(child, function)

    def parts(self, node: ast.AST, function: ast.AST | None, depth: int = 0) -> tuple:
        """Returns the parts that an expression adds to a message."""
        if isinstance(node, ast.Constant):
            return (str(node.value),) if node.value is not None else ()
        if isinstance(node, ast.JoinedStr):
            return tuple(
                part for value in node.values for part in self.parts(value, function, depth)
            )
        if isinstance(node, ast.FormattedValue):
            return self.parts(node.value, function, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            leaves = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
            if not any(isinstance(leaf.value, str) for leaf in leaves):
                return (self.hole(node),)
            return self.parts(node.left, function, depth) + self.parts(node.right, function, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return ("-", *self.parts(node.operand, function, depth + 1))
        if isinstance(node, ast.IfExp):
            first = self.parts(node.body, function, depth + 1)
            second = self.parts(node.orelse, function, depth + 1)
            return (Either((first, second)),)
        if isinstance(node, ast.Name):
            return self.variable(node, function, depth)
        if isinstance(node, ast.Call):
            return self.call(node, function, depth)
        return (self.hole(node),)

    def call(self, node: ast.Call, function: ast.AST | None, depth: int) -> tuple:
        callee = node.func
        if isinstance(callee, ast.Attribute) and callee.attr == "format":
            text = self.parts(callee.value, function, depth + 1)
            return tuple(
                re.sub(r"\{\w*\}", "<value>", p) if isinstance(p, str) else p for p in text
            )
        if isinstance(callee, ast.Name) and callee.id in ("str", "repr") and node.args:
            return self.parts(node.args[0], function, depth + 1)
        if isinstance(callee, ast.Name) and depth < messages.DEEPEST:
            texts = self.returned(callee.id, depth)
            if texts:
                return texts
        return (self.hole(node),)

    def returned(self, name: str, depth: int) -> tuple:
        """The texts that a function of this module returns."""
        if len(self.functions[name]) != 1 or name in self._open:
            return ()
        function = self.functions[name][0]
        self._open.add(name)
        found = [
            unbound(self.parts(node.value, function, depth + 3))
            for node in ast.walk(function)
            if isinstance(node, ast.Return)
            and node.value is not None
            and self.around.get(node) is function
        ]
        self._open.discard(name)
        if not any(messages.has_words(one) for one in found) or len(found) > 4:
            return ()
        return found[0] if len(found) == 1 else (Either(tuple(found)),)

    def variable(self, node: ast.Name, function: ast.AST | None, depth: int) -> tuple:
        name = node.id
        hole = self.hole(node)
        if function is not None and name in parameters(function):
            return (hole,)
        if depth > messages.DEEPEST or name in self._open:
            return (Hole(hole.name),)
        self._open.add(name)
        found, added = [], []
        scope = function
        while True:
            for one in ast.walk(scope or self.tree):
                if isinstance(one, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == name for t in one.targets
                ):
                    found.append(self.parts(one.value, self.around.get(one), depth + 2))
                elif isinstance(one, ast.AugAssign) and getattr(one.target, "id", "") == name:
                    added.append(self.parts(one.value, self.around.get(one), depth + 2))
            if found or added or scope is None:
                break
            scope = self.around.get(scope)
        self._open.discard(name)
        useful = [one for one in found if messages.has_words(one)]
        more = tuple(part for one in added for part in one)
        if not useful and not messages.has_words(more):
            return (Hole(hole.name),)
        first = useful[0] if len(useful) == 1 else (Either(tuple(useful)),) if useful else ()
        return first + more

    @staticmethod
    def hole(node: ast.AST) -> Hole:
        if isinstance(node, ast.Name):
            return Hole(node.id.strip("_").replace("_", " "), node.id)
        text = ast.unparse(node)
        if re.search(r"__(qual)?name__$", text):
            return Hole("type" if text.startswith("type(") else "name")
        if re.match(r"(', '|\" \"|', '|', ')\.join", text) or ".join(" in text:
            text = text[text.index(".join(") + 6 :]
            text = re.sub(r"^.* in ", "", text)
        names = [word for word in re.findall(r"[A-Za-z_]\w*", text)]
        names = [
            w.strip("_")
            for w in names
            if w
            not in ("self", "len", "str", "repr", "sorted", "tuple", "list", "type", "map", "cls")
        ]
        return Hole(messages.short(" ".join(names[:3])))


def unbound(parts: tuple) -> tuple:
    return messages.replaced(
        parts, {hole.bare: (Hole(hole.name),) for hole in messages.holes(parts) if hole.bare}
    )


def parameters(function: ast.AST) -> list[str]:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names


class Package:
    """The sources of the package: finds what raises, and who supplies the words."""

    def __init__(self, root: pathlib.Path, folder: str, passed_on: dict) -> None:
        self.modules = [
            Module(path, path.relative_to(root).as_posix())
            for path in sorted((root / folder).rglob("*.py"))
        ]
        self.calls: dict[str, list] = collections.defaultdict(list)
        for module in self.modules:
            for call in module.calls:
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                self.calls[name].append((module, call))
        self.passed_on = passed_on
        self.used: set = set()
        self.complaints: list[str] = []

    def messages(self) -> list[Message]:
        found: list[Message] = []
        for module in self.modules:
            for call in module.calls:
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                is_warning = name in WARNS and isinstance(call.func, ast.Attribute)
                if not (is_warning or EXCEPTION.match(name)) or not call.args:
                    continue
                function = module.around[call]
                # The class that the exception is made by follows its own base.
                code = name
                if is_warning:
                    category = call.args[1] if len(call.args) > 1 else None
                    code = ast.unparse(category) if category else "UserWarning"
                parts = module.parts(call.args[0], function)
                self.follow(Raised(parts, code, call, function, module), found)
        return found

    def follow(self, raised: Raised, found: list[Message]) -> None:
        function = raised.function
        wanted = {hole.bare for hole in messages.holes(raised.parts) if hole.bare}
        if function is None or isinstance(function, ast.Lambda) or raised.depth > 6:
            return self.add(raised, found)
        names = parameters(function)
        wanted &= set(names)
        given = []
        for module, call in self.calls[function.name] if wanted else []:
            own = module.functions.get(function.name, [])
            if module is not raised.module and (own or function.name.startswith("__")):
                continue
            at = module.around[call]
            if at is function:
                continue
            given.append((module, call, at, self.arguments(module, call, at, names)))
        prose = any(
            messages.has_prose(arguments.get(name, ()))
            for *_, arguments in given
            for name in wanted
        )
        if not prose:
            return self.add(raised, found)
        for module, call, at, arguments in given:
            parts = messages.replaced(raised.parts, arguments)
            self.follow(Raised(parts, raised.code, call, at, module, raised.depth + 1), found)

    @staticmethod
    def arguments(module: Module, call: ast.Call, at: ast.AST | None, names: list[str]) -> dict:
        if names[:1] in (["self"], ["cls"]):
            names = names[1:]
        out = {}
        for name, node in zip(names, call.args, strict=False):
            out[name] = module.parts(node, at)
        for keyword in call.keywords:
            if keyword.arg in names:
                out[keyword.arg] = module.parts(keyword.value, at)
        return out

    def add(self, raised: Raised, found: list[Message]) -> None:
        if not messages.has_words(raised.parts):
            name = getattr(raised.function, "name", "")
            key = (raised.module.name, name)
            if key in self.passed_on:
                self.used.add(key)
            elif raised.code not in VALUES:
                text = messages.spelled(raised.parts)
                self.complaints.append(
                    f"{raised.module.name}:{raised.node.lineno}: {name or 'module'}: the words of "
                    f"the message must be found, got {text!r}"
                )
            return
        text = messages.shown(raised.parts)
        found.append(Message(text, raised.code.lstrip("_"), raised.module.name))
