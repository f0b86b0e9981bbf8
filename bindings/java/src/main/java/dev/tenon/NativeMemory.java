// SPDX-License-Identifier: Apache-2.0
// Native memory that the garbage collector does not count.
package dev.tenon;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of tensors that only a cleaner will release.
 *
 * <p>A tensor object is small, but its data may be large: a program that does not close tensors
 * would run out of native memory long before its heap is full. When the count exceeds a limit,
 * garbage is collected once, as direct buffers do. The limit is the property {@code
 * tenon.maxNativeBytes}, by default the size of the heap.
 */
final class NativeMemory {
  private static final long LIMIT =
      Long.getLong("tenon.maxNativeBytes", Runtime.getRuntime().maxMemory());
  private static final int WAIT_MILLIS = 50;

  private static final AtomicLong USED = new AtomicLong();
  private static final AtomicLong NEXT = new AtomicLong(LIMIT);

  private NativeMemory() {}

  static void add(long bytes) {
    long used = USED.addAndGet(bytes);
    long next = NEXT.get();
    if (used > next && NEXT.compareAndSet(next, Long.MAX_VALUE)) {
      collect();
    }
  }

  static void remove(long bytes) {
    USED.addAndGet(-bytes);
  }

  // One thread collects garbage and then waits briefly for the cleaner. If the memory is still in
  // use, the limit is raised, so that a program with much live data does not collect all the time.
  private static void collect() {
    try {
      System.gc();
      for (int i = 0; i < WAIT_MILLIS && USED.get() > LIMIT / 2; i++) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      NEXT.set(Math.max(LIMIT, 2 * USED.get()));
    }
  }
}
