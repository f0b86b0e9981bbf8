// SPDX-License-Identifier: Apache-2.0
// Values of graphs, as arguments and outputs.
package dev.tenon;

/**
 * A reference to a value of a {@link Graph}: an argument of a call, or an output.
 *
 * @param value its number among the graph's values
 */
public record GraphRef(long value) {}
