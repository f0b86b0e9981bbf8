// SPDX-License-Identifier: Apache-2.0
// Objects that are passed for arguments of operators.
package dev.tenon;

/**
 * An object that may be passed for any argument of any operator, in any language; {@link
 * #overrideCall} then runs instead. It is also the handler of a {@link Mode} before dispatch.
 */
@FunctionalInterface
public interface Overriding {
  /**
   * Handles a call that has this object among its arguments. If several objects of its class are
   * among them, only the first one handles the call.
   *
   * @return the result, an Object[] of several, or null for none, where results may be any values;
   *     {@link Overridden#DECLINED} if it does not handle the call
   * @throws Exception any error; it is thrown to the caller
   */
  Object overrideCall(Overridden call) throws Exception;
}
