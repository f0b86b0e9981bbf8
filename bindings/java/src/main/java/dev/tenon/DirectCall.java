// SPDX-License-Identifier: Apache-2.0
// Calls of Java kernels from Java without going through C.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;

/**
 * Calls that the dispatcher begins but that do not go through C. The dispatcher marks the kernel as
 * running in a tenon_frame of the calling thread. The frame is left here by one store, on the same
 * thread, also on failure.
 *
 * <p>Kernels receive the same arguments as from {@link Bridge}: views of the tensors that end with
 * the call, and other values in the form in which C would pass them.
 */
final class DirectCall {
  /** The result of {@link #call} if it called nothing. */
  static final Object BY_C = new Object();

  private DirectCall() {}

  /**
   * Calls an operator with {@code s.tensors} tensors (0 for unused parameters) if a Java kernel
   * serves it. The caller holds the tensors.
   *
   * @return the only result or null; {@link #BY_C} if the call must go through C
   */
  static Object call(Op op, Signature s, long a, long b, long c, long d) {
    CallFrame frame = CallFrame.get();
    if (!frame.direct) {
      return BY_C;
    }
    long running =
        c == 0 ? Native.begin2(op.address(), a, b) : Native.begin4(op.address(), a, b, c, d);
    if (running == 0) {
      throw Errors.raise();
    }
    if (running == Native.BY_C) {
      op.java = false;
      return BY_C;
    }
    try {
      return run(frame, op, s, running, a, b, c, d);
    } finally {
      leave(running);
      Memory.putLong(running & -Native.FRAMES_SIZE, running);
    }
  }

  private static Tensor viewOf(CallFrame frame, long tensor) {
    return tensor == 0 ? null : Tensor.viewOf(frame, tensor);
  }

  /** Leaves a tenon_frame. */
  static void leave(long running) {
    Memory.putLongRelease(
        Memory.getLong(running + Structs.FRAME_LEAVE_WORD),
        Memory.getLong(running + Structs.FRAME_LEAVE_VALUE));
  }

  // Views are local variables, as in Bridge: the compiler need not allocate those that the kernel
  // does not keep.
  private static Object run(
      CallFrame frame, Op op, Signature s, long running, long a, long b, long c, long d) {
    Tensor w = viewOf(frame, a);
    Tensor x = viewOf(frame, b);
    Tensor y = viewOf(frame, c);
    Tensor z = viewOf(frame, d);
    Object[] args =
        b == 0
            ? new Object[] {w}
            : c == 0
                ? new Object[] {w, x}
                : d == 0 ? new Object[] {w, x, y} : new Object[] {w, x, y, z};
    int guards = frame.guards;
    Object result;
    try {
      int outer = frame.openRegion();
      try {
        result = enter(frame, op, s, running, guards, args);
      } finally {
        Tensor.endViewOf(w);
        Tensor.endViewOf(x);
        Tensor.endViewOf(y);
        Tensor.endViewOf(z);
        frame.closeRegion(outer);
      }
    } catch (Throwable t) {
      frame.restoreGuards(guards);
      throw Errors.sneak(t);
    }
    return adopted(frame, result);
  }

  /**
   * Runs the Java kernel that was begun in a tenon_frame, which the caller leaves, on boxed
   * arguments. Returns null for no result, the result itself for one, and an Object[] for several.
   */
  static Object run(CallFrame frame, Op op, Signature s, long running, long values, int count) {
    int guards = frame.guards;
    Object result;
    try {
      int outer = frame.openRegion();
      try {
        Object[] args = Values.readAll(frame, values, count, Values.BORROW);
        result = enter(frame, op, s, running, guards, args);
      } finally {
        frame.closeRegion(outer);
      }
    } catch (Throwable t) {
      frame.restoreGuards(guards);
      throw Errors.sneak(t);
    }
    return adopted(frame, result);
  }

  private static Object enter(
      CallFrame frame, Op op, Signature s, long running, int guards, Object[] args)
      throws Exception {
    KernelReference kernel =
        (KernelReference) References.at(Memory.getLong(running + Structs.FRAME_CTX));
    Object result = kernel.call(op, running + Structs.FRAME_KEYS, args);
    frame.checkGuards(guards, op.name());
    return Results.detach(frame, s.results(result, s.returnCount()));
  }

  private static Object adopted(CallFrame frame, Object result) {
    if (result != null) {
      Results.adopt(frame, result);
    }
    return result;
  }
}
