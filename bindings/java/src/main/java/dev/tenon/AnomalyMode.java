// SPDX-License-Identifier: Apache-2.0
// Anomaly mode.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.TenonNative;

/**
 * Anomaly mode of the calling thread, which is active until it is closed. Each node stores where it
 * was recorded, in all languages that report frames, and an error of a node has these places in its
 * notes. The mode is slow. {@link ThreadState} carries it to other threads.
 *
 * <pre>{@code
 * try (AnomalyMode mode = AnomalyMode.enter(true)) {
 *   model(x).backward();                   // fails where a gradient is NaN
 * }
 * }</pre>
 */
public final class AnomalyMode implements AutoCloseable {
  private final int before;
  private boolean closed;

  private AnomalyMode(int before) {
    this.before = before;
  }

  /**
   * Enters the mode on the calling thread.
   *
   * @param checkNan whether a node that returns NaN fails
   */
  public static AnomalyMode enter(boolean checkNan) {
    int before = TenonNative.tenon_anomaly_get();
    int nan = checkNan ? TENON_ANOMALY_CHECK_NAN : 0;
    Errors.check(TenonNative.tenon_anomaly_set(TENON_ANOMALY_RECORD | nan));
    return new AnomalyMode(before);
  }

  /** Restores the previous mode. Closing again does nothing. */
  @Override
  public void close() {
    if (!closed) {
      Errors.check(TenonNative.tenon_anomaly_set(before));
      closed = true;
    }
  }
}
