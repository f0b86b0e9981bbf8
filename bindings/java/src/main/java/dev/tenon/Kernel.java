// SPDX-License-Identifier: Apache-2.0
// Kernels as lambdas.
package dev.tenon;

import java.util.Objects;

/**
 * A kernel: receives the arguments in schema order, with defaults filled in, and returns the
 * result.
 *
 * <p>Arguments have one Java class per schema type: Tensor, Long, Double, Boolean, String, Complex,
 * DType, Device, Layout, MemoryFormat, Stream, Generator, {@code long[]}, {@code double[]}, {@code
 * boolean[]}, {@code Tensor[]}, List for other lists, Object[] for tuples, Map, any object for
 * classes; null for an absent optional. A number of type Scalar is Long, Double, Boolean or
 * Complex.
 *
 * <p>Arguments are views that end with the call, for every caller. Closing a view does not close
 * the caller's object, and a view that is merely stored is closed afterwards; {@link Tensor#escape}
 * or {@link Tensor#retain} keeps it. Arrays and lists are the kernel's own copies. Tensors made in
 * the kernel are closed at its end, except those that are returned; {@link Tensor#escape} keeps
 * one.
 *
 * <p>Exceptions reach a Java caller unchanged, and callers in other languages as an error that
 * carries the exception.
 */
@FunctionalInterface
public interface Kernel {
  /**
   * Computes the results.
   *
   * @return the result; null for none, an Object[] of several
   */
  Object call(Object[] args) throws Exception;

  /**
   * Returns true if the kernel accepts symbolic sizes unchanged: tensors of symbolic shape, and
   * SymInt, or List of SymInt, for an int. Other kernels receive numbers, and guards are recorded.
   */
  default boolean takesSymbols() {
    return false;
  }

  /** Returns a kernel that accepts symbolic sizes: {@link #takesSymbols}. */
  static Kernel symbolic(Kernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    return new Kernel() {
      @Override
      public Object call(Object[] args) throws Exception {
        return kernel.call(args);
      }

      @Override
      public boolean takesSymbols() {
        return true;
      }
    };
  }
}
