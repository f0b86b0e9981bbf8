// SPDX-License-Identifier: Apache-2.0
// A thread's dispatch state, which can be carried to other threads.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;

/**
 * A captured copy of Tenon's state of a thread: keys, grad mode, modes, and the state of layers.
 * Executors do not inherit that state; this class carries it.
 */
public final class ThreadState extends NativeHandle {
  private ThreadState(long address) {
    super(address);
  }

  /** Captures the calling thread's state. */
  public static ThreadState capture() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_thread_state_capture(out));
      ThreadState state = new ThreadState(Memory.getLong(out));
      state.guardByCleaner();
      return state;
    } finally {
      frame.reset(mark);
    }
  }

  /** Runs a task on the calling thread under this state, then restores the thread's own state. */
  public <T> T call(Callable<T> task) throws Exception {
    CallFrame frame = CallFrame.get();
    if (!frame.direct) {
      throw new IllegalStateException(
          "ThreadState: thread must be a platform thread, got a virtual one");
    }
    long mark = frame.mark();
    long previous;
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_thread_state_enter(address(), out));
      previous = Memory.getLong(out);
    } finally {
      frame.reset(mark);
    }
    try {
      return task.call();
    } finally {
      int status = TenonNative.tenon_thread_state_leave(previous);
      if (status != 0) { // the task left a state open that it entered itself
        TenonNative.tenon_thread_state_release(previous);
        Errors.check(status);
      }
    }
  }

  /** Returns a task that runs another one under this state, on any thread. */
  public Runnable bind(Runnable task) {
    return () -> {
      try {
        call(
            () -> {
              task.run();
              return null;
            });
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e); // a Runnable throws no checked exception
      }
    };
  }

  /** Returns a task that runs another one under this state and returns its result. */
  public <T> Callable<T> bind(Callable<T> task) {
    return () -> call(task);
  }

  /**
   * Returns an executor that passes tasks to another one, each bound to the state of the thread
   * that submits it. Closing either closes both.
   */
  public static ExecutorService carrying(ExecutorService executor) {
    return new CarryingExecutor(executor);
  }

  @Override
  int type() {
    return THREAD_STATE;
  }

  @Override
  String title() {
    return "ThreadState";
  }
}
