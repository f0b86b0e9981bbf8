// SPDX-License-Identifier: Apache-2.0
// Pullbacks: functions from gradients of results to gradients of arguments.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * The results of a function, and the function from their gradients to those of its arguments, which
 * can run any number of times. Made by {@link Func#vjp}.
 */
public final class Pullback extends NativeHandle {
  private final Tensor[] values;

  private Pullback(long address, Tensor[] values) {
    super(address);
    this.values = values;
  }

  static Pullback own(CallFrame frame, long address, Tensor[] values) {
    return frame.adopt(new Pullback(address, values));
  }

  /** Returns the function's results. */
  public Tensor[] values() {
    return values.clone();
  }

  /** Returns the function's first result. */
  public Tensor value() {
    return values[0];
  }

  /**
   * Returns the gradients of the arguments; zeros if no result depends on one.
   *
   * @param cotangents one for each result, of its sizes; null means 1, for a 0-dim result
   * @throws TenonException STATE for cotangents of other sizes, INVALID_ARGUMENT for a wrong number
   *     of them
   */
  public Tensor[] call(Tensor... cotangents) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long pullback = address();
      long given = frame.allocate(cotangents.length * 8L);
      for (int i = 0; i < cotangents.length; i++) {
        Memory.putLong(given + i * 8L, cotangents[i] == null ? 0 : cotangents[i].address());
      }
      long count = frame.allocate(8);
      TenonNative.tenon_pullback_count(pullback, count);
      Tensor[] grads = new Tensor[(int) Memory.getLong(count)];
      long out = frame.allocate(grads.length * 8L);
      Errors.check(TenonNative.tenon_pullback_run(pullback, given, cotangents.length, out));
      for (int i = 0; i < grads.length; i++) {
        grads[i] = Tensor.own(frame, Memory.getLong(out + i * 8L));
      }
      return grads;
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  /** Removes this object from its scope, so that it lives until it is closed. */
  public Pullback escape() {
    leaveScope();
    return this;
  }

  @Override
  int type() {
    return PULLBACK;
  }

  @Override
  String title() {
    return "Pullback";
  }
}
