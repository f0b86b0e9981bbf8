// SPDX-License-Identifier: Apache-2.0
// Calls of Java kernels from Java, which stay in Java.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;

/**
 * Calls that the dispatcher begins and that are not entered through C: it marks the kernel as
 * running in a tenon_frame of the calling thread, and the frame is left here by one store, on the
 * same thread, also on failure.
 */
final class DirectCall {
  /** What {@link #call} returns that called nothing. */
  static final Object BY_C = new Object();

  private DirectCall() {}

  /**
   * Calls an operator with up to four tensors, 0 for none, when a Java kernel serves it. {@code
   * args} are what the kernel gets.
   *
   * @return the one result or null; {@link #BY_C} where the call has to go through C
   */
  static Object call(Op op, Signature s, long a, long b, long c, long d, Object... args) {
    CallFrame frame = CallFrame.get();
    if (!frame.direct) {
      return BY_C;
    }
    long running =
        c == 0 && d == 0
            ? Native.begin2(op.address(), a, b)
            : Native.begin4(op.address(), a, b, c, d);
    if (running == 0) {
      throw Errors.raise();
    }
    if (running == Native.BY_C) {
      op.java = false;
      return BY_C;
    }
    try {
      return run(frame, op, s, running, args);
    } finally {
      leave(running);
      Memory.putLong(running & -Native.FRAMES_SIZE, running);
    }
  }

  /** Leaves what was begun in a tenon_frame. */
  static void leave(long running) {
    Memory.putLongRelease(
        Memory.getLong(running + Structs.FRAME_LEAVE_WORD),
        Memory.getLong(running + Structs.FRAME_LEAVE_VALUE));
  }

  /**
   * Runs the Java kernel that was begun in a tenon_frame, which the caller leaves. Returns null for
   * no result, one result as it is, an Object[] of several.
   */
  static Object run(CallFrame frame, Op op, Signature s, long running, Object[] args) {
    int guards = frame.guards;
    Object result;
    try {
      int outer = frame.openRegion();
      try {
        KernelReference kernel =
            (KernelReference) References.at(Memory.getLong(running + Structs.FRAME_CTX));
        result = kernel.call(op, running + Structs.FRAME_KEYS, args);
        frame.checkGuards(guards, op);
        result = Results.detach(frame, s.results(result, s.returnCount()));
      } finally {
        frame.closeRegion(outer);
      }
    } catch (Throwable t) {
      frame.restoreGuards(guards);
      throw Errors.sneak(t);
    }
    if (result != null) {
      Results.adopt(frame, result);
    }
    return result;
  }
}
