// SPDX-License-Identifier: Apache-2.0
// Forward mode: dual levels, in which calls propagate tangents of tensors.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A dual level of the calling thread, which is open until it is closed. Tensors made by {@link
 * #makeDual} have a tangent, and so have results of calls with them, also without recording.
 *
 * <pre>{@code
 * try (DualLevel level = DualLevel.enter()) {
 *   Tensor x = level.makeDual(primal, direction);
 *   Tensor slope = level.unpackDual(x.mul(x)).tangent();
 * }
 * }</pre>
 *
 * <p>A thread has only one level at a time. The level must be closed by the thread that opened it,
 * and its tangents end with it.
 */
public final class DualLevel implements AutoCloseable {
  /**
   * The two parts of a tensor.
   *
   * @param primal an alias without tangent
   * @param tangent null without one
   */
  public record Parts(Tensor primal, Tensor tangent) {}

  private final long number;
  private boolean closed;

  private DualLevel(long number) {
    this.number = number;
  }

  /**
   * Opens a level on the calling thread.
   *
   * @throws TenonException STATE inside of another level
   */
  public static DualLevel enter() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_dual_enter(out));
      return new DualLevel(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Makes a view of a tensor that has a tangent, of the tensor's sizes, dtype and device.
   *
   * @throws TenonException TYPE for a dtype that is neither floating nor complex, and for a tangent
   *     of another dtype; STATE for sizes that differ, for tensors that have a tangent, and when
   *     closed
   */
  public Tensor makeDual(Tensor primal, Tensor tangent) {
    return Tensor.make(
        (frame, out) ->
            TenonNative.tenon_dual_make(number, primal.address(), tangent.address(), out));
  }

  /** Returns the two parts of a tensor. */
  public Parts unpackDual(Tensor dual) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(16);
      Errors.check(TenonNative.tenon_dual_unpack(number, dual.address(), out, out + 8));
      Tensor primal = Tensor.own(frame, Memory.getLong(out));
      return new Parts(primal, Tensor.ownOrNull(frame, Memory.getLong(out + 8)));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Closes the level and drops all its tangents. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    Errors.check(TenonNative.tenon_dual_leave(number));
    closed = true;
    References.drain();
  }
}
