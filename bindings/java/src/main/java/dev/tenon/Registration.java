// SPDX-License-Identifier: Apache-2.0
// One registered kernel or fallback.
package dev.tenon;

import dev.tenon.internal.TenonNative;

/**
 * One registered kernel. It stays until its library is closed, or until this is closed: forgetting
 * this object changes nothing.
 */
public final class Registration extends NativeHandle {
  private final String op; // its full name; null for a fallback, which is of no operator

  Registration(long address, String op) {
    super(address);
    this.op = op;
  }

  /**
   * Calls, from inside this kernel, the kernel that it replaced: the one of the same operator and
   * key that would serve if this were closed.
   *
   * @param keys the kernel's own key set: a {@link KeyedKernel} gets it
   * @param args a complete list in schema order, as the kernel got it
   * @return as {@link Op#call(Object...)}
   * @throws TenonException NO_KERNEL when there is none; STATE for a fallback
   */
  public Object callOlder(DispatchKeySet keys, Object... args) {
    if (op == null) {
      throw new TenonException(
          ErrorCode.STATE,
          "Registration.callOlder: registration must be a kernel's, got a fallback's");
    }
    long self = beginUse();
    try {
      return Operators.find(op).callOlder(self, keys, args);
    } finally {
      endUse();
    }
  }

  /** Removes the kernel, at once for new calls. Closing again does nothing. */
  @Override
  public void close() {
    long a = tryBeginUse();
    if (a != 0) {
      TenonNative.tenon_registration_remove(a);
    }
    endUse();
    super.close();
    References.drain();
  }

  @Override
  int type() {
    return REGISTRATION;
  }

  @Override
  String title() {
    return "Registration";
  }
}
