// SPDX-License-Identifier: Apache-2.0
// What batching rules return.
package dev.tenon;

/**
 * The results of a {@link VmapRule}, and where the mapped dim is in them.
 *
 * @param result as a {@link Kernel}'s: an Object[] for several
 * @param dims one for all tensors, or one for each, elements of lists one by one; -1 where nothing
 *     is mapped
 */
public record Batched(Object result, long... dims) {}
