// SPDX-License-Identifier: Apache-2.0
// What guards on a thread's keys and on its grad mode have in common.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * Changes the calling thread's state until it is closed. Guards of both kinds nest, are closed in
 * reverse order on the thread that made them, and are not for virtual threads, whose calls may run
 * on changing threads.
 */
abstract sealed class Guard implements AutoCloseable permits KeyGuard, GradMode {
  /** A native function that fills a guard's memory and enters it. */
  interface Entry {
    int enter(long guard);
  }

  private final CallFrame frame;
  private long memory;

  Guard(Entry entry) {
    frame = CallFrame.get();
    if (!frame.direct) {
      throw new IllegalStateException(
          title() + ": thread must be a platform thread, got a virtual one");
    }
    memory = Memory.allocate(Structs.KEY_GUARD_SIZE);
    int status = entry.enter(memory);
    if (status != 0) {
      Memory.free(memory);
      throw Errors.raise(status);
    }
    frame.pushGuard(this);
  }

  private String title() {
    return getClass().getSimpleName();
  }

  /**
   * Restores what was before. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread, or while a guard made later is still open;
   *     nothing changes then
   */
  @Override
  public void close() {
    if (memory == 0) {
      return;
    }
    Errors.check(TenonNative.tenon_key_guard_leave(memory));
    frame.popGuard(); // the innermost one: C would have refused another
    Memory.free(memory);
    memory = 0;
  }
}
