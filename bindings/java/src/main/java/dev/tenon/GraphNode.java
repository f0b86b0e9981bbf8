// SPDX-License-Identifier: Apache-2.0
// Calls that graphs are made of.
package dev.tenon;

import java.util.List;

/**
 * One call of a {@link Graph}.
 *
 * @param op the operator
 * @param args all arguments in the schema's order; a {@link GraphRef} names a value
 * @param results the values that it gives
 */
public record GraphNode(Op op, List<Object> args, List<GraphRef> results) {}
