// SPDX-License-Identifier: Apache-2.0
// Objects that run operators on their wrapper tensors.
package dev.tenon;

/**
 * The object in a wrapper tensor ({@link Tensor#wrapper}). It runs the operators that are called on
 * the tensor, below autograd. It is also the handler of a {@link Mode} below autograd.
 */
@FunctionalInterface
public interface Dispatching {
  /**
   * Handles a call that has a wrapper tensor of this object among its arguments. If wrapper tensors
   * of several objects of its class are among them, only the first one handles the call.
   *
   * @return the result, an Object[] of several, or null for none, as from a kernel; {@link
   *     Overridden#DECLINED} if it does not handle the call
   * @throws Exception any error; it is thrown to the caller
   */
  Object dispatchCall(Overridden call) throws Exception;
}
