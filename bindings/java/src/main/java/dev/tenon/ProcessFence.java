// SPDX-License-Identifier: Apache-2.0
// The expensive half of an asymmetric fence.
package dev.tenon;

import dev.tenon.internal.Native;

/**
 * Makes another thread pass a full memory fence. The caller then sees everything that the thread
 * wrote before the fence, and the thread sees everything that the caller wrote before it.
 */
final class ProcessFence {
  private ProcessFence() {}

  /** Runs the fence; returns at once for a thread that has ended. */
  static void run(Thread thread) {
    if (thread.isAlive() && !Native.fenceProcess()) {
      // Systems without membarrier(2): the virtual machine stops a thread to read its stack.
      thread.getStackTrace();
    }
  }
}
