# SPDX-License-Identifier: Apache-2.0
"""Patterns in graphs of nodes: found, and replaced by other graphs."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from .. import factories
from .._tenon import OpOverload, Tensor
from ..error import InvalidArgumentError
from .graph import Graph
from .graph_module import GraphModule
from .make_fx import make_fx
from .node import Node, map_arg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Match(NamedTuple):
    """A match: the node that matches the pattern's last one, and all nodes by the pattern's."""

    anchor: Node
    nodes_map: dict[Node, Any]


def replace_pattern(
    gm: GraphModule,
    pattern: Callable[..., Any] | Graph | GraphModule,
    replacement: Callable[..., Any] | Graph | GraphModule,
    example_inputs: Sequence[Any] | None = None,
    *,
    ignore_literals: bool = False,
) -> list[Match]:
    """Replaces each match of a pattern in a module's graph, in its place.

    Placeholders of the pattern match any value, the same one wherever they are used. Matches are
    skipped if their inner nodes have other uses, if a node between their nodes writes, or if they
    share nodes with an earlier match.

    Args:
        gm: The module; it is changed and recompiled.
        pattern: The pattern. A function is traced.
        replacement: The replacement; its placeholders and results correspond to those of the
            pattern.
        example_inputs: Arguments for tracing functions; by default a 2 by 2 tensor per parameter.
        ignore_literals: If true, constants of the pattern match any constant.

    Returns:
        The matches, with the nodes that were there.
    """
    wanted, tensors = _graph_of(pattern, example_inputs)
    stands, attributes = _graph_of(replacement, example_inputs)
    wanted_inputs, wanted_results = _ends(wanted)
    inputs, results = _ends(stands)
    if len(inputs) != len(wanted_inputs) or len(results) != len(wanted_results):
        raise InvalidArgumentError(
            f"replace_pattern: replacement must have the pattern's {len(wanted_inputs)} inputs and "
            f"{len(wanted_results)} results, got {len(inputs)} and {len(results)}"
        )
    if any(not isinstance(r, Node) or r.op == "placeholder" for r in wanted_results):
        raise InvalidArgumentError(
            f"replace_pattern: results of the pattern must be results of its nodes, "
            f"got {wanted_results}"
        )
    unused = [node.name for node in wanted_inputs if not node.users]
    if unused:
        raise InvalidArgumentError(
            f"replace_pattern: inputs of the pattern must be used, got {', '.join(unused)} unused"
        )
    finder = _Finder(gm, wanted, wanted_results, tensors, ignore_literals)
    matches = finder.find_all()
    changed: dict[Node, Any] = {}  # replacements of removed nodes
    for match in matches:
        _replace(gm, match, stands, attributes, (wanted_inputs, wanted_results), changed)
    gm.graph.lint()
    gm.recompile()
    return matches


def _graph_of(what: Any, examples: Sequence[Any] | None) -> tuple[Graph, dict[str, Any]]:
    """Returns a graph, and the tensors that its `get_attr` nodes name."""
    if isinstance(what, Graph):
        return what, {}
    if not isinstance(what, GraphModule):
        if examples is None:
            examples = [factories.ones(2, 2) for _ in inspect.signature(what).parameters]
        what = make_fx(what)(*examples)
    named = what.graph.find_nodes(op="get_attr")
    return what.graph, {node.target: getattr(what, node.target) for node in named}


def _ends(graph: Graph) -> tuple[list[Node], list[Any]]:
    """Returns the graph's placeholders and results."""
    result = graph.output_node().args[0]
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    return graph.find_nodes(op="placeholder"), results


def _all_args(node: Node) -> list[Any]:
    """Arguments by position; of operators all of them, with defaults."""
    if not isinstance(node.target, OpOverload):
        return [*node.args, *(node.kwargs[name] for name in sorted(node.kwargs))]
    given = list(node.args)
    rest = node.target._schema.arguments[len(given) :]
    return given + [node.kwargs.get(one.name, one.default_value) for one in rest]


class _Finder:
    """Looks for a pattern from the nodes that it returns to those that they use."""

    def __init__(
        self,
        gm: GraphModule,
        pattern: Graph,
        results: list[Any],
        tensors: dict[str, Any],
        ignore_literals: bool,
    ) -> None:
        self._gm = gm
        self._results = set(results)
        self._tensors = tensors
        self._ignores = ignore_literals
        self._steps = [n for n in pattern.nodes if n.op not in ("placeholder", "output")]
        self._order = {node: place for place, node in enumerate(gm.graph.nodes)}
        self._taken: set[Node] = set()

    def find_all(self) -> list[Match]:
        """Returns all matches, by the nodes that match the pattern's last one."""
        if not self._steps:
            raise InvalidArgumentError("replace_pattern: pattern must have calls, got none")
        matches = []
        for node in self._gm.graph.nodes:
            found: dict[Node, Any] = {}
            if self._node(self._steps[-1], node, found):
                whole = self._complete(found)
                if whole is not None:
                    matches.append(Match(node, whole))
                    self._taken.update(self._nodes_of(whole))
        return matches

    def _nodes_of(self, found: dict[Node, Any]) -> set[Node]:
        return {there for one, there in found.items() if one.op != "placeholder"}

    def _complete(self, found: dict[Node, Any]) -> dict[Node, Any] | None:
        """Finds the nodes of the pattern that no other uses; None where there is no way."""
        missing = next((one for one in reversed(self._steps) if one not in found), None)
        if missing is None:
            return found if self._is_closed(found) else None
        for node in self._order:
            tried = dict(found)
            if self._node(missing, node, tried):
                whole = self._complete(tried)
                if whole is not None:
                    return whole
        return None

    def _node(self, wanted: Node, node: Node, found: dict[Node, Any]) -> bool:
        if wanted in found:
            return found[wanted] is node
        if wanted.op == "placeholder":
            found[wanted] = node
            return True
        if node.op != wanted.op or node in self._taken or node in found.values():
            return False
        if wanted.op == "get_attr":
            same = self._tensors.get(wanted.target) is getattr(self._gm, node.target)
        else:
            same = node.target == wanted.target
        if not same:
            return False
        found[wanted] = node
        return self._all(_all_args(wanted), _all_args(node), found)

    def _all(self, wanted: Sequence[Any], given: Sequence[Any], found: dict[Node, Any]) -> bool:
        return len(wanted) == len(given) and all(
            self._value(a, b, found) for a, b in zip(wanted, given, strict=True)
        )

    def _value(self, wanted: Any, given: Any, found: dict[Node, Any]) -> bool:
        if isinstance(wanted, Node):
            if isinstance(given, Node):
                return self._node(wanted, given, found)
            if wanted.op != "placeholder":
                return False
            return bool(found.setdefault(wanted, given) == given)
        if isinstance(given, Node):
            return False
        if isinstance(wanted, (list, tuple)) and isinstance(given, (list, tuple)):
            return self._all(wanted, given, found)
        if isinstance(wanted, Tensor) or isinstance(given, Tensor):
            return wanted is given
        return self._ignores or (type(wanted) is type(given) and bool(wanted == given))

    def _is_closed(self, found: dict[Node, Any]) -> bool:
        """Returns true if only results are used elsewhere, and nothing writes between the nodes."""
        nodes = self._nodes_of(found)
        for wanted, node in found.items():
            if wanted.op in ("placeholder", "get_attr") or wanted in self._results:
                continue
            if any(user not in nodes for user in node.users):
                return False
        places = sorted(self._order[node] for node in nodes if node.op != "get_attr")
        between = list(self._order)[places[0] : places[-1]]
        if any(node.is_impure() for node in between if node not in nodes):
            return False
        taken = {n for one, n in found.items() if one.op == "placeholder" and isinstance(n, Node)}
        if taken & nodes:
            return False
        # If a result is used before the last node, the inputs must come before the whole match.
        users = {user for one in self._results for user in found[one].users} - nodes
        early = min((self._order[user] for user in users), default=places[-1]) < places[-1]
        return not early or all(
            self._order[node] < places[0] and node not in self._taken for node in taken
        )


def _replace(
    gm: GraphModule,
    match: Match,
    stands: Graph,
    attributes: dict[str, Any],
    ends: tuple[list[Node], list[Any]],
    changed: dict[Node, Any],
) -> None:
    graph, found = gm.graph, match.nodes_map
    old_inputs, old_results = ends
    inputs, results = _ends(stands)
    known: dict[Node, Any] = {}
    for stand, old in zip(inputs, old_inputs, strict=True):
        known[stand] = map_arg(found[old], lambda node: changed.get(node, node))
    gone_nodes = set(_matched(found))
    users = {user for old in old_results for user in found[old].users} - gone_nodes
    # Insert after the last removed node, to keep the order of effects; or before the first use.
    ends_at = next(n for n in reversed(graph.nodes) if n in gone_nodes and n.op != "get_attr")
    first = next((n for n in graph.nodes if n in users or n is ends_at), ends_at)
    place = graph.inserting_after(first) if first is ends_at else graph.inserting_before(first)
    with place:
        for node in stands.nodes:
            if node.op == "get_attr":
                known[node] = graph.get_attr(_own_attribute(gm, attributes[node.target]))
            elif node.op not in ("placeholder", "output"):
                known[node] = graph.node_copy(node, known.__getitem__)
                known[node].meta = {
                    name: value
                    for name, value in match.anchor.meta.items()
                    if name == "stack_trace"
                }
    for old, stand in zip(old_results, results, strict=True):
        new = map_arg(stand, known.__getitem__)
        gone = found[old]
        if isinstance(new, Node):
            for name in ("shape", "dtype", "device"):
                if name in gone.meta:
                    new.meta.setdefault(name, gone.meta[name])
        for user in list(gone.users):
            if user not in gone_nodes:
                user.replace_input_with(gone, new)
        changed[gone] = new
    for node in reversed([n for n in graph.nodes if n in gone_nodes]):
        if not node.users:
            graph.erase_node(node)


def _matched(found: dict[Node, Any]) -> list[Node]:
    return [there for wanted, there in found.items() if wanted.op != "placeholder"]


def _own_attribute(gm: GraphModule, tensor: Any) -> str:
    """Returns the name of a tensor in a module; adds an attribute if it has none."""
    number = 0
    while True:
        name = f"_tensor_constant{number}"
        held = getattr(gm, name, None)
        if held is tensor:
            return name
        if held is None:
            setattr(gm, name, tensor)
            return name
        number += 1


__all__ = ["Match", "replace_pattern"]
