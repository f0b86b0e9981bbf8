# SPDX-License-Identifier: Apache-2.0
"""Traced functions as graphs of nodes, which can be walked and changed, and as Python code."""

from __future__ import annotations

from . import subgraph_rewriter
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .make_fx import from_graph, make_fx
from .node import Node, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern
from .tracer import Tracer, symbolic_trace, wrap

__all__ = [
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "from_graph",
    "make_fx",
    "map_arg",
    "replace_pattern",
    "subgraph_rewriter",
    "symbolic_trace",
    "wrap",
]
