// SPDX-License-Identifier: Apache-2.0
// A registered lambda, which C refers to.
package dev.tenon;

import dev.tenon.internal.Memory;
import java.util.Objects;
import java.util.function.Predicate;

/** A registered kernel of any of the three interfaces, with a fallback's selector. */
final class KernelReference {
  private final Kernel plain;
  private final KeyedKernel keyed;
  private final FallbackKernel fallback;
  final Predicate<Schema> select;
  // The operator that it served last, which is nearly always the only one.
  private Op op;

  private KernelReference(
      Kernel plain, KeyedKernel keyed, FallbackKernel fallback, Predicate<Schema> select) {
    this.plain = plain;
    this.keyed = keyed;
    this.fallback = fallback;
    this.select = select;
  }

  static KernelReference of(Kernel kernel) {
    return new KernelReference(Objects.requireNonNull(kernel, "kernel"), null, null, null);
  }

  static KernelReference of(KeyedKernel kernel) {
    return new KernelReference(null, Objects.requireNonNull(kernel, "kernel"), null, null);
  }

  static KernelReference of(FallbackKernel kernel, Predicate<Schema> select) {
    return new KernelReference(null, null, Objects.requireNonNull(kernel, "kernel"), select);
  }

  boolean takesSymbols() {
    return plain != null && plain.takesSymbols();
  }

  Op op(long address) {
    Op known = op;
    if (known == null || known.address() != address) {
      known = Op.of(address);
      op = known;
    }
    return known;
  }

  /** Calls the kernel. Its key set is stored at {@code keys}. */
  Object call(Op op, long keys, Object[] args) throws Exception {
    if (plain != null) {
      return plain.call(args);
    }
    DispatchKeySet set = new DispatchKeySet(Memory.getLong(keys));
    return keyed != null ? keyed.call(set, args) : fallback.call(op, set, args);
  }
}
