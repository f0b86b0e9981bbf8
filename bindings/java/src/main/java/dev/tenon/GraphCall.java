// SPDX-License-Identifier: Apache-2.0
// The argument of a graph pass.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * A call of a graph, as seen by a {@link GraphPass}. It can be used until the pass returns; values
 * that it returned can be kept.
 */
public final class GraphCall {
  // Offsets in the array that graph.cpp passes.
  private static final int ARGS = 8;
  private static final int TO = 16;
  private static final int RESULTS = 24;
  private static final int INDEX = 32;
  private static final int ARG_COUNT = 40;
  private static final int RESULT_COUNT = 48;
  private static final int IS_REPLACED = 56;

  private final Op op;
  private final int index;
  private final Object[] args;
  private final long to;
  private final int resultCount;
  private Object[] standIns;
  private boolean ended;

  private GraphCall(CallFrame frame, long subject) {
    op = Op.of(Memory.getLong(subject));
    index = (int) Memory.getLong(subject + INDEX);
    int count = (int) Memory.getLong(subject + ARG_COUNT);
    args = Values.readAll(frame, Memory.getLong(subject + ARGS), count, Values.RETAIN);
    to = Memory.getLong(subject + TO);
    resultCount = (int) Memory.getLong(subject + RESULT_COUNT);
  }

  /** Runs a pass on the call at an address, and writes the replacements of its results there. */
  static void run(CallFrame frame, GraphPass pass, long subject, int guards) throws Exception {
    GraphCall call = new GraphCall(frame, subject);
    try {
      pass.look(call);
    } finally {
      call.ended = true;
    }
    frame.checkGuards(guards, "Graph.rewrite");
    if (call.standIns == null) {
      return;
    }
    long results = Memory.getLong(subject + RESULTS);
    for (int i = 0; i < call.resultCount; i++) {
      Signature.ANY.writeOwned(frame, results + (long) i * Structs.VALUE_SIZE, call.standIns[i]);
    }
    Memory.putLong(Memory.getLong(subject + IS_REPLACED), 1);
  }

  /** Returns its index in the old graph. */
  public int index() {
    return index;
  }

  /** Returns the operator. */
  public Op op() {
    return op;
  }

  /** Returns the operator's name, such as {@code aten::relu}. */
  public String name() {
    return op.name();
  }

  /** Returns all arguments, with values of the new graph. */
  public Object[] args() {
    return args.clone();
  }

  /**
   * Returns an argument, with values of the new graph.
   *
   * @throws TenonException INDEX if the argument does not exist
   */
  public Object arg(int index) {
    if (index < 0 || index >= args.length) {
      throw new TenonException(
          ErrorCode.INDEX,
          "GraphCall.arg: index must be below " + args.length + ", got " + index);
    }
    return args[index];
  }

  /**
   * Appends a call to the new graph, like {@link GraphBuilder#append}.
   *
   * @throws TenonException as {@link GraphBuilder#append}; STATE after the pass has returned
   */
  public GraphRef append(Op op, Object... args) {
    checkOpen();
    return GraphBuilder.append(to, op, args);
  }

  /**
   * Sets the replacement of each result: a reference, a tensor or a number; null for a result that
   * nothing uses any more.
   *
   * @throws TenonException INVALID_ARGUMENT for a wrong number of results
   */
  public void replace(Object... results) {
    checkOpen();
    if (results.length != resultCount) {
      throw new TenonException(
          ErrorCode.INVALID_ARGUMENT,
          "GraphCall.replace: results must be the call's "
              + resultCount
              + ", got "
              + results.length);
    }
    standIns = results.clone();
  }

  /** Removes the call. Nothing may use its results. */
  public void remove() {
    replace(new Object[resultCount]);
  }

  private void checkOpen() {
    if (ended) {
      throw new TenonException(
          ErrorCode.STATE,
          "GraphCall: a call must not be used after the pass function has returned, got a use");
    }
  }
}
