// SPDX-License-Identifier: Apache-2.0
// Function values.
package dev.tenon;

/**
 * A function that is passed to operators for an argument of type {@code Function}, and called by
 * kernels of any language. A function of another language is a {@link ForeignObject}; a Java
 * function is the object that was passed.
 *
 * <pre>{@code
 * apply.call((Callback) args -> ((Tensor) args[0]).mul(2), x);
 * }</pre>
 *
 * <p>Arguments and results are as in a {@link Kernel}. It may be called on any thread.
 */
@FunctionalInterface
public interface Callback {
  /**
   * Computes the result.
   *
   * @return the result; an Object[] if the caller requests several
   */
  Object call(Object... args) throws Exception;
}
