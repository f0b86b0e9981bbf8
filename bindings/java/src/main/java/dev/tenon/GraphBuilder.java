// SPDX-License-Identifier: Apache-2.0
// Graphs built by hand.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Builds a graph call by call, without running anything.
 *
 * <pre>{@code
 * GraphBuilder builder = new GraphBuilder();
 * GraphRef x = builder.input("x");
 * builder.output(builder.append(Operators.find("aten::exp"), x));
 * Graph graph = builder.build();
 * }</pre>
 */
public final class GraphBuilder {
  private final Graph graph;

  /** Creates an empty graph. */
  public GraphBuilder() {
    graph = Graph.made(TenonNative::tenon_graph_new);
  }

  /**
   * Adds an input.
   *
   * @param name an identifier; if it is null, one is generated
   * @throws TenonException INVALID_ARGUMENT for a name that is no identifier or is taken
   */
  public GraphRef input(String name) {
    return made(out -> TenonNative.tenon_graph_add_input(graph.address(), 0, name, out));
  }

  /**
   * Adds a tensor that the graph holds.
   *
   * @param name an identifier; if it is null, one is generated
   * @throws TenonException as {@link #input}
   */
  public GraphRef attribute(Tensor tensor, String name) {
    return made(
        out ->
            TenonNative.tenon_graph_add_attribute(graph.address(), tensor.address(), name, out));
  }

  /**
   * Appends a call and returns its first result; the other results follow it. Trailing arguments
   * that are omitted have their defaults.
   *
   * @throws TenonException INVALID_ARGUMENT for a wrong number of arguments, TYPE for an argument
   *     of the wrong type, INDEX for a value that does not exist
   */
  public GraphRef append(Op op, Object... args) {
    long self = graph.beginUse();
    try {
      return append(self, op, args);
    } finally {
      graph.endUse();
    }
  }

  /**
   * Adds a value that is an element of another value, a list of tensors.
   *
   * @throws TenonException TYPE for a value that is no list
   */
  public GraphRef element(GraphRef list, int index) {
    return made(
        out -> TenonNative.tenon_graph_add_element(graph.address(), list.value(), index, out));
  }

  /**
   * Adds an output: a reference, a tensor, a number, or a list of these.
   *
   * @throws TenonException INDEX for a value that does not exist
   */
  public void output(Object value) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long at = frame.allocate(Structs.VALUE_SIZE);
      Values.putAny(frame, at, value);
      Errors.check(TenonNative.tenon_graph_add_output(graph.address(), at));
    } finally {
      Reference.reachabilityFence(value);
      frame.reset(mark);
    }
  }

  /** Returns the graph. */
  public Graph build() {
    return graph;
  }

  /** Appends a call to a graph that the calling thread may change. */
  static GraphRef append(long graph, Op op, Object[] args) {
    Objects.requireNonNull(op, "op");
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long values = frame.allocate((long) args.length * Structs.VALUE_SIZE + 8);
      for (int i = 0; i < args.length; i++) {
        Values.putAny(frame, values + (long) i * Structs.VALUE_SIZE, args[i]);
      }
      return made(
          out -> TenonNative.tenon_graph_append(graph, op.address(), values, args.length, out));
    } finally {
      Reference.reachabilityFence(args);
      frame.reset(mark);
    }
  }

  static GraphRef made(java.util.function.LongToIntFunction make) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(make.applyAsInt(out));
      return new GraphRef(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }
}
