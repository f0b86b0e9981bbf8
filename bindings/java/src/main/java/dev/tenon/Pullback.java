// SPDX-License-Identifier: Apache-2.0
// Pullbacks: what a function's call leaves for gradients.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * The results of a function, and the way from gradients of these to gradients of its arguments,
 * which may be gone as often as wanted. {@link Func#vjp} makes it.
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
   * Returns the gradients of the arguments; zeros where no result depends on one.
   *
   * @param cotangents one for each result, of its sizes; null is 1, for one without dims
   * @throws TenonException STATE for cotangents of other sizes, INVALID_ARGUMENT for another number
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

  /** Takes this object out of its scope, so that it lives until it is closed. */
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
