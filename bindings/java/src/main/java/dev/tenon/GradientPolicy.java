// SPDX-License-Identifier: Apache-2.0
// How backward treats operators without gradient formula.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** How backward treats an operator without formula: {@link Library#setGradientPolicy}. */
public enum GradientPolicy {
  /** A backward pass that reaches a call fails: the default. */
  ERROR(TENON_GRADIENT_ERROR),

  /** It warns and propagates no gradient. */
  WARN(TENON_GRADIENT_WARN),

  /** Calls are not recorded. */
  STOP(TENON_GRADIENT_STOP);

  final int number;

  GradientPolicy(int number) {
    this.number = number;
  }
}
