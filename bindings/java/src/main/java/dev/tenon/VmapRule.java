// SPDX-License-Identifier: Apache-2.0
// Batching rules.
package dev.tenon;

/**
 * Serves an operator in a vmap: {@link Library#registerVmap}. Operators that it calls run outside
 * of the vmap.
 *
 * <pre>{@code
 * lib.registerVmap("twice", call -> new Batched(call.tensor(0).mul(2), call.inDim(0)));
 * }</pre>
 */
@FunctionalInterface
public interface VmapRule {
  /** Computes the results for the whole batch. */
  Batched apply(VmapCall call) throws Exception;
}
