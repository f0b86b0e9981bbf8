// SPDX-License-Identifier: Apache-2.0
// Kernels that serve many operators.
package dev.tenon;

/** A kernel for all operators at a key. It receives the operator that was called. */
@FunctionalInterface
public interface FallbackKernel {
  /** Computes the results of {@code op}; see {@link Kernel#call}. */
  Object call(Op op, DispatchKeySet keys, Object[] args) throws Exception;
}
