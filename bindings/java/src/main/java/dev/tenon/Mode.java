// SPDX-License-Identifier: Apache-2.0
// Modes: objects that see every call of a thread while they are on.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;

/**
 * A mode of the calling thread, on until it is closed. Its object sees every call. The mode is off
 * while its handler runs, so that operators called there go to the modes and kernels outside it.
 * Modes must be closed on the thread that opened them, innermost first.
 */
public final class Mode implements AutoCloseable {
  private final int kind;
  private final long object;
  private boolean closed;

  private Mode(int kind, Object handler) {
    this.kind = kind;
    Bridge.open();
    CallFrame frame = CallFrame.get();
    if (!frame.direct) {
      throw new IllegalStateException("Mode: thread must be a platform thread, got a virtual one");
    }
    object = ForeignObject.wrap(frame, handler, null);
    try {
      Errors.check(TenonNative.tenon_mode_push(kind, object));
    } finally {
      TenonNative.tenon_object_release(object);
    }
  }

  /** Turns on a mode that sees calls before dispatch. */
  public static Mode overriding(Overriding handler) {
    return new Mode(TenonNativeConstants.TENON_MODE_OVERRIDE, handler);
  }

  /** Turns on a mode that sees calls below autograd. */
  public static Mode dispatching(Dispatching handler) {
    return new Mode(TenonNativeConstants.TENON_MODE_WRAPPER, handler);
  }

  /**
   * Turns the mode off. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread, or while a mode turned on later is still on;
   *     nothing changes on failure
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    Errors.check(TenonNative.tenon_mode_pop(kind, object));
    closed = true;
  }
}
