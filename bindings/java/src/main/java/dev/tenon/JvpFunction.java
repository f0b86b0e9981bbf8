// SPDX-License-Identifier: Apache-2.0
// Forward mode of formulas, as lambdas.
package dev.tenon;

/**
 * Computes tangents of an operator in forward mode: see {@link Library#registerAutograd(String,
 * SetupFunction, BackwardFunction, JvpFunction)}. Exceptions reach a Java caller unchanged.
 */
@FunctionalInterface
public interface JvpFunction {
  /**
   * Computes tangents, right after the call.
   *
   * @return one for each of the call's outputs, null for none
   */
  Tensor[] jvp(JvpCall call) throws Exception;
}
