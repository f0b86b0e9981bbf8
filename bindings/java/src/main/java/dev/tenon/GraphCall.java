// SPDX-License-Identifier: Apache-2.0
// What a pass over a graph is told.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * One call of a graph, as a {@link GraphPass} looks at it. It ends with the look: what it gave may
 * be kept, itself not.
 */
public final class GraphCall {
  // Offsets in what graph.cpp gives.
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

  /** Runs a pass on the call at an address, and writes there what stands for its results. */
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

  /** Returns its number in the old graph. */
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
   * Returns one of them.
   *
   * @throws TenonException INDEX for one that is not there
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
   * Appends a call to the new graph, as {@link GraphBuilder#append}.
   *
   * @throws TenonException as there; STATE after the look
   */
  public GraphRef append(Op op, Object... args) {
    checkOpen();
    return GraphBuilder.append(to, op, args);
  }

  /**
   * Says what stands for each result: a reference, a tensor or a number; null for one that nothing
   * uses any more.
   *
   * @throws TenonException INVALID_ARGUMENT for another number of results
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

  /** Leaves the call out; nothing may use its results. */
  public void remove() {
    replace(new Object[resultCount]);
  }

  private void checkOpen() {
    if (ended) {
      throw new TenonException(
          ErrorCode.STATE, "GraphCall: a call must not be used after the look, got a use");
    }
  }
}
