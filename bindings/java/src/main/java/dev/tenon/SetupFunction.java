// SPDX-License-Identifier: Apache-2.0
// What looks at recorded calls, as lambdas.
package dev.tenon;

/**
 * Looks at a recorded call after its kernel ran, without recording: see {@link
 * Library#registerAutograd(String, SetupFunction, BackwardFunction)}. Whatever is thrown reaches a
 * Java caller as the same object.
 */
@FunctionalInterface
public interface SetupFunction {
  /** Leaves in the context what the backward pass needs. Arguments are as a {@link Kernel}'s. */
  void setup(FunctionContext ctx, Object[] args, Object[] results) throws Exception;
}
