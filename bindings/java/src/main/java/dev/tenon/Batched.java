// SPDX-License-Identifier: Apache-2.0
// Results of batching rules.
package dev.tenon;

/**
 * The results of a {@link VmapRule}, and the position of the mapped dim in them.
 *
 * @param result the result, in the form of a {@link Kernel}'s: an Object[] for several
 * @param dims one for all tensors, or one for each, with elements of lists counted separately; -1
 *     if a tensor is not mapped
 */
public record Batched(Object result, long... dims) {}
