// SPDX-License-Identifier: Apache-2.0
// Gradient formulas as lambdas.
package dev.tenon;

/**
 * A gradient formula: see {@link Library#registerAutograd(String, BackwardFunction, String...)}.
 *
 * <pre>{@code
 * lib.registerAutograd("mul", call -> {
 *   Tensor grad = call.grad(0);
 *   return new Tensor[] {grad.mul(call.savedTensor(1)), grad.mul(call.savedTensor(0))};
 * }, "a", "b");
 * }</pre>
 *
 * <p>It runs on the thread that runs the backward pass, in its own scope, as a kernel does.
 * Exceptions reach a Java caller unchanged.
 */
@FunctionalInterface
public interface BackwardFunction {
  /**
   * Computes gradients. They may have the broadcast sizes and the converted dtype of the operator.
   *
   * @return a gradient for each of the call's inputs, null for none
   */
  Tensor[] backward(BackwardCall call) throws Exception;
}
