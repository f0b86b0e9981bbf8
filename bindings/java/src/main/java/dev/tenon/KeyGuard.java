// SPDX-License-Identifier: Apache-2.0
// Guards on the calling thread's dispatch keys.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * Changes the calling thread's keys until it is closed.
 *
 * <pre>{@code
 * try (KeyGuard guard = KeyGuard.exclude(DispatchKey.AUTOGRAD_CPU)) {
 *   y = op.call(x);                 // goes to the kernel below
 * }
 * }</pre>
 *
 * <p>Guards nest, are closed in reverse order on the thread that made them, and are not for virtual
 * threads, whose calls may run on changing threads.
 */
public final class KeyGuard implements AutoCloseable {
  private final CallFrame frame;
  private long memory;

  private KeyGuard(CallFrame frame) {
    if (!frame.direct) {
      throw new IllegalStateException(
          "KeyGuard: thread must be a platform thread, got a virtual one");
    }
    this.frame = frame;
    this.memory = Memory.allocate(Structs.KEY_GUARD_SIZE);
  }

  /** Adds keys to the thread's included set. */
  public static KeyGuard include(DispatchKeySet keys) {
    KeyGuard guard = new KeyGuard(CallFrame.get());
    return guard.enter(TenonNative.tenon_key_guard_include(keys.bits(), guard.memory));
  }

  /** Adds keys to the thread's included set. */
  public static KeyGuard include(DispatchKey... keys) {
    return include(DispatchKeySet.of(keys));
  }

  /** Adds keys to the thread's excluded set; only functionalities count. */
  public static KeyGuard exclude(DispatchKeySet keys) {
    KeyGuard guard = new KeyGuard(CallFrame.get());
    return guard.enter(TenonNative.tenon_key_guard_exclude(keys.bits(), guard.memory));
  }

  /** Adds keys to the thread's excluded set; only functionalities count. */
  public static KeyGuard exclude(DispatchKey... keys) {
    return exclude(DispatchKeySet.of(keys));
  }

  /** Replaces both sets. */
  public static KeyGuard force(DispatchKeySet include, DispatchKeySet exclude) {
    KeyGuard guard = new KeyGuard(CallFrame.get());
    return guard.enter(
        TenonNative.tenon_key_guard_force(include.bits(), exclude.bits(), guard.memory));
  }

  private KeyGuard enter(int status) {
    if (status != 0) {
      Memory.free(memory);
      throw Errors.raise(status);
    }
    frame.pushGuard(this);
    return this;
  }

  /**
   * Restores the keys as they were. Closing again does nothing.
   *
   * @throws IllegalStateException on another thread, or while a guard made later is still open
   */
  @Override
  public void close() {
    if (memory == 0) {
      return;
    }
    if (Thread.currentThread() != frame.thread()) {
      throw new IllegalStateException(
          "KeyGuard: must be closed by the thread that made it, "
              + frame.thread().getName()
              + ", got "
              + Thread.currentThread().getName());
    }
    if (frame.topGuard() != this) {
      throw new IllegalStateException(
          "KeyGuard: must be closed in reverse order, got one with a later guard open");
    }
    Errors.check(TenonNative.tenon_key_guard_leave(memory));
    frame.popGuard();
    Memory.free(memory);
    memory = 0;
  }
}
