// SPDX-License-Identifier: Apache-2.0
// The base class of guards on a thread's keys, its grad mode and its autocast regions.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * Changes the calling thread's state until it is closed. Guards of all kinds can be nested. They
 * must be closed in reverse order on the thread that made them, and cannot be used on virtual
 * threads, whose calls may run on changing threads.
 */
abstract sealed class Guard implements AutoCloseable 
    permits KeyGuard, GradMode, Autocast, FakeMode.Entered {
  /** A native function that fills a guard's memory and enters it. */
  interface Entry {
    int enter(long guard);
  }

  private final CallFrame frame;
  private long memory;

  Guard(Entry entry) {
    this(Structs.KEY_GUARD_SIZE, entry);
  }

  Guard(int size, Entry entry) {
    frame = CallFrame.get();
    if (!frame.direct) {
      throw new IllegalStateException(
          title() + ": thread must be a platform thread, got a virtual one");
    }
    memory = Memory.allocate(size);
    int status = enter(entry);
    if (status != 0) {
      Memory.free(memory);
      throw Errors.raise(status);
    }
    frame.pushGuard(this);
  }

  // An error that is raised before C is called leaves nothing behind either.
  private int enter(Entry entry) {
    try {
      return entry.enter(memory);
    } catch (RuntimeException | Error thrown) {
      Memory.free(memory);
      throw thrown;
    }
  }

  int leave(long guard) {
    return TenonNative.tenon_key_guard_leave(guard);
  }

  private String title() {
    return getClass().getSimpleName();
  }

  /**
   * Restores the previous state. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread, or while a guard made later is still open;
   *     nothing changes on failure
   */
  @Override
  public void close() {
    if (memory == 0) {
      return;
    }
    Errors.check(leave(memory));
    frame.popGuard(); // the innermost one: C refuses any other
    Memory.free(memory);
    memory = 0;
  }
}
