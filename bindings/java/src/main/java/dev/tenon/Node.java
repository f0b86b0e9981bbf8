// SPDX-License-Identifier: Apache-2.0
// Nodes of backward graphs.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A reference to a step of a backward graph. The node is recorded with a call and has the formula
 * and, by its edges, the nodes that made the arguments.
 *
 * <p>Like a tensor, each object is closed by its owner, by the {@link Scope} it was made in, or
 * otherwise by a cleaner. Two objects are equal if they refer to the same node and both are open.
 */
public final class Node extends NativeHandle {
  /**
   * An edge to a node, which receives gradients.
   *
   * @param node the node
   * @param output index of the output
   */
  public record Edge(Node node, long output) {}

  private final long identity;

  private Node(long address) {
    super(address);
    identity = address;
  }

  /** Shares a node that C lends for the duration of a call. */
  static Node retain(CallFrame frame, long address) {
    return frame.adopt(new Node(TenonNative.tenon_node_retain(address)));
  }

  /** A native function that returns a node and the index of one of its outputs. */
  interface Source {
    int call(long node, long output);
  }

  /** Calls a source. Returns null if there is no node. */
  static Edge edge(Source source) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(16);
      Errors.check(source.call(out, out + 8));
      long node = Memory.getLong(out);
      return node == 0 ? null : new Edge(frame.adopt(new Node(node)), Memory.getLong(out + 8));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns a new reference to the same node, owned by the open scope or the caller. */
  public Node retain() {
    Node copy = retain(CallFrame.get(), beginUse());
    endUse();
    return copy;
  }

  /** Removes this object from its scope, so that it lives until it is closed. */
  public Node escape() {
    leaveScope();
    return this;
  }

  /** Returns the name, such as "MulBackward0", or "AccumulateGrad" for a leaf's. */
  public String name() {
    String name = TenonNative.tenon_node_name(beginUse());
    endUse();
    return name;
  }

  /** Returns a sequence number that is larger than that of every node that the edges lead to. */
  public long sequence() {
    long sequence = TenonNative.tenon_node_sequence(beginUse());
    endUse();
    return sequence;
  }

  /** Returns the edges, one for each input of the formula; null if an input needs no gradient. */
  public List<Edge> nextFunctions() {
    long self = beginUse();
    try {
      Edge[] edges = new Edge[(int) TenonNative.tenon_node_edge_count(self)];
      for (int i = 0; i < edges.length; i++) {
        long index = i;
        edges[i] =
            edge((node, output) -> TenonNative.tenon_node_copy_edge(self, index, node, output));
      }
      return Collections.unmodifiableList(Arrays.asList(edges));
    } finally {
      endUse();
    }
  }

  /**
   * Returns the tensor whose gradients a leaf accumulates; null for other nodes, or if it has died.
   */
  public Tensor variable() {
    long variable = TenonNative.tenon_node_copy_variable(beginUse());
    endUse();
    return Tensor.ownOrNull(CallFrame.get(), variable);
  }

  /** Adds a hook that runs before this node. */
  public Hook registerPrehook(Hook.BeforeNode hook) {
    return addHook(TENON_HOOK_BEFORE, Hook.beforeNode(hook));
  }

  /** Adds a hook that runs after this node. */
  public Hook registerHook(Hook.AfterNode hook) {
    return addHook(TENON_HOOK_AFTER, Hook.afterNode(hook));
  }

  private Hook addHook(int kind, Hook.Body body) {
    return Hook.add(
        kind, body, (options, out) -> TenonNative.tenon_node_add_hook(address(), options, out));
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof Node node && address != 0 && address == node.address;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(References.key(identity));
  }

  @Override
  int type() {
    return NODE;
  }

  @Override
  String title() {
    return "Node";
  }

  @Override
  public String toString() {
    return isClosed() ? "Node(closed)" : "Node(" + name() + " " + sequence() + ")";
  }
}
