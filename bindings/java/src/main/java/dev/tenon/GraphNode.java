// SPDX-License-Identifier: Apache-2.0
// Calls of a graph.
package dev.tenon;

import java.util.List;

/**
 * A call of a {@link Graph}.
 *
 * @param op the operator
 * @param args all arguments in the schema's order; a {@link GraphRef} refers to a value
 * @param results the values that it makes
 */
public record GraphNode(Op op, List<Object> args, List<GraphRef> results) {}
