// SPDX-License-Identifier: Apache-2.0
// Functions as values.
package dev.tenon;

/**
 * A function that is passed to operators, where a schema says {@code Function}, and called by
 * kernels of any language. One of another language is a {@link ForeignObject}, one of Java the
 * object that was passed.
 *
 * <pre>{@code
 * apply.call((Callback) args -> ((Tensor) args[0]).mul(2), x);
 * }</pre>
 *
 * <p>Arguments and results are as a {@link Kernel}'s. It may be called on any thread.
 */
@FunctionalInterface
public interface Callback {
  /**
   * Computes the result.
   *
   * @return the result; an Object[] where the caller asks for several
   */
  Object call(Object... args) throws Exception;
}
