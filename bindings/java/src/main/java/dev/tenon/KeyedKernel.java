// SPDX-License-Identifier: Apache-2.0
// Kernels that receive the key set that they were dispatched with.
package dev.tenon;

/** A {@link Kernel} that also receives the key set of the call, to redispatch below its own key. */
@FunctionalInterface
public interface KeyedKernel {
  /** Computes the results; see {@link Kernel#call}. The highest key of the set is the kernel's. */
  Object call(DispatchKeySet keys, Object[] args) throws Exception;
}
