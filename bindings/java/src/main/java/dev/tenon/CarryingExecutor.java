// SPDX-License-Identifier: Apache-2.0
// An executor whose tasks run under the state of the thread that submitted them.
package dev.tenon;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Delegates to another executor; see {@link ThreadState#carrying}. */
final class CarryingExecutor extends AbstractExecutorService {
  private final ExecutorService executor;

  CarryingExecutor(ExecutorService executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    ThreadState state = ThreadState.capture();
    boolean taken = false;
    try {
      executor.execute(
          () -> {
            // The task's thread owns the state from here on; the submitting thread does not use it
            // any more.
            state.belongTo(CallFrame.get());
            try (state) {
              state.bind(task).run();
            }
          });
      taken = true;
    } finally {
      if (!taken) {
        state.close();
      }
    }
  }

  @Override
  public void shutdown() {
    executor.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return executor.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return executor.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return executor.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return executor.awaitTermination(timeout, unit);
  }
}
