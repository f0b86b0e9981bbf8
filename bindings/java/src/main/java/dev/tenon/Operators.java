// SPDX-License-Identifier: Apache-2.0
// Lookup of operators by name.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/** All operators of the process. */
public final class Operators {
  private Operators() {}

  /**
   * Finds an operator by its full name, "ns::name" or "ns::name.overload".
   *
   * @throws TenonException NOT_FOUND; the message distinguishes an unknown operator, an unknown
   *     overload and an operator without schema
   */
  public static Op find(String name) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_op_find(name, out));
      return Op.of(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns true if {@link #find} would succeed. */
  public static boolean exists(String name) {
    try {
      find(name);
      return true;
    } catch (TenonException e) {
      if (e.errorCode() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }
}
