// SPDX-License-Identifier: Apache-2.0
// What becomes of gradients that come to operators without formula.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** What becomes of gradients at an operator without formula: {@link Library#setGradientPolicy}. */
public enum GradientPolicy {
  /** A backward pass that comes to a call fails: the default. */
  ERROR(TENON_GRADIENT_ERROR),

  /** It warns, and gives no gradient. */
  WARN(TENON_GRADIENT_WARN),

  /** Calls are not recorded. */
  STOP(TENON_GRADIENT_STOP);

  final int number;

  GradientPolicy(int number) {
    this.number = number;
  }
}
