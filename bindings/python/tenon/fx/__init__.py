# SPDX-License-Identifier: Apache-2.0
"""Traced functions as Python sees them: graphs of nodes to be walked and changed, and code."""

from __future__ import annotations

from . import subgraph_rewriter
from .graph import Graph
from .graph_module import GraphModule
from .make_fx import from_graph, make_fx
from .node import Node, map_arg
from .subgraph_rewriter import replace_pattern

__all__ = [
    "Graph",
    "GraphModule",
    "Node",
    "from_graph",
    "make_fx",
    "map_arg",
    "replace_pattern",
    "subgraph_rewriter",
]
