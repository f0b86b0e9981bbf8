// SPDX-License-Identifier: Apache-2.0
// Objects that stand for arguments of operators.
package dev.tenon;

/**
 * An object that may stand for any argument of any operator, in whatever language it is written:
 * {@link #overrideCall} then runs instead. Also what a {@link Mode} before dispatch runs.
 */
@FunctionalInterface
public interface Overriding {
  /**
   * Serves a call that this object, or an earlier argument of its class, takes part in.
   *
   * @return the result, an Object[] of several, null for none; any values. {@link
   *     Overridden#DECLINED} passes the call on.
   * @throws Exception what fails; the caller gets it
   */
  Object overrideCall(Overridden call) throws Exception;
}
