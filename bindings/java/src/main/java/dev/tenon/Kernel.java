// SPDX-License-Identifier: Apache-2.0
// Kernels as lambdas.
package dev.tenon;

import java.util.Objects;

/**
 * A kernel: takes the arguments in schema order, defaults filled in, and returns the result.
 *
 * <p>Arguments have one Java class per schema type: Tensor, Long, Double, Boolean, String, Complex,
 * DType, Device, Layout, MemoryFormat, Stream, Generator, {@code long[]}, {@code double[]}, {@code
 * boolean[]}, {@code Tensor[]}, List for other lists, Object[] for tuples, Map, any object for
 * classes; null for an absent optional. A number of type Scalar is Long, Double, Boolean or
 * Complex.
 *
 * <p>Arguments are views that end with the call, whoever calls: closing one closes nothing of the
 * caller's, one that is merely kept is closed afterwards, and {@link Tensor#escape} or {@link
 * Tensor#retain} keeps one. Arrays and lists are the kernel's own copies. Tensors made inside are
 * closed at the end, what is returned excepted: {@link Tensor#escape} keeps one.
 *
 * <p>Whatever is thrown reaches a Java caller as the same object, and callers in other languages as
 * an error that carries it.
 */
@FunctionalInterface
public interface Kernel {
  /**
   * Computes the results.
   *
   * @return the result; null without one, an Object[] of several
   */
  Object call(Object[] args) throws Exception;

  /**
   * Tells whether it takes symbolic sizes as they are: tensors of symbolic shape, and SymInt, or
   * List of SymInt, for an int. Others get numbers, by guards.
   */
  default boolean takesSymbols() {
    return false;
  }

  /** Returns a kernel that takes symbolic sizes: {@link #takesSymbols}. */
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
