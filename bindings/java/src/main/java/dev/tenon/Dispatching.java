// SPDX-License-Identifier: Apache-2.0
// Objects that run operators on their wrapper tensors.
package dev.tenon;

/**
 * What a wrapper tensor holds ({@link Tensor#wrapper}): it runs the operators that are called on
 * the tensor, below autograd. Also what a {@link Mode} below autograd runs.
 */
@FunctionalInterface
public interface Dispatching {
  /**
   * Serves a call with a wrapper tensor of this object, or of its class, among the arguments.
   *
   * @return the result, an Object[] of several, null for none, as a kernel returns them. {@link
   *     Overridden#DECLINED} passes the call on.
   * @throws Exception what fails; the caller gets it
   */
  Object dispatchCall(Overridden call) throws Exception;
}
