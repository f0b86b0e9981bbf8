// SPDX-License-Identifier: Apache-2.0
// The expensive half of an asymmetric fence.
package dev.tenon;

import dev.tenon.internal.Native;

/**
 * A full memory fence on a thread that runs none of its own. What that thread wrote before the
 * fence is visible after it, and what it reads after the fence is what was written before.
 */
final class ProcessFence {
  private ProcessFence() {}

  /** Runs the fence; returns at once for a thread that has ended. */
  static void run(Thread thread) {
    if (thread.isAlive() && !Native.fenceProcess()) {
      // Systems without membarrier(2): the virtual machine stops a thread whose stack it reads.
      thread.getStackTrace();
    }
  }
}
