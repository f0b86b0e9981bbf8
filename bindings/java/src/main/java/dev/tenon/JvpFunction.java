// SPDX-License-Identifier: Apache-2.0
// Forward mode of formulas, as lambdas.
package dev.tenon;

/**
 * Serves forward mode of an operator: see {@link Library#registerAutograd(String, SetupFunction,
 * BackwardFunction, JvpFunction)}. Whatever is thrown reaches a Java caller as the same object.
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
