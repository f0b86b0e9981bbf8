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
 * <p>It runs on the thread that asked for the backward pass, in a scope of its own, as a kernel
 * does. Whatever is thrown reaches a Java caller as the same object.
 */
@FunctionalInterface
public interface BackwardFunction {
  /**
   * Computes gradients. They need not have the inputs' sizes and dtype where the operator has
   * broadcast or converted those.
   *
   * @return a gradient for each of the call's inputs, null for none
   */
  Tensor[] backward(BackwardCall call) throws Exception;
}
