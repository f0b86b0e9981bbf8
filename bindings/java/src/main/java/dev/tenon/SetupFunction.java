// SPDX-License-Identifier: Apache-2.0
// Setups of gradient formulas, as lambdas.
package dev.tenon;

/**
 * Runs after the kernel of a recorded call, without recording: see {@link
 * Library#registerAutograd(String, SetupFunction, BackwardFunction)}. Exceptions reach a Java
 * caller unchanged.
 */
@FunctionalInterface
public interface SetupFunction {
  /** Saves what the backward pass needs in the context. Arguments are as in a {@link Kernel}. */
  void setup(FunctionContext ctx, Object[] args, Object[] results) throws Exception;
}
