// SPDX-License-Identifier: Apache-2.0
// Registered kernels and fallbacks.
package dev.tenon;

import dev.tenon.internal.TenonNative;

/**
 * A registered kernel. It stays registered until its library or this object is closed; an
 * unreachable object changes nothing.
 */
public final class Registration extends NativeHandle {
  private final String op; // its full name; null for a fallback

  Registration(long address, String op) {
    super(address);
    this.op = op;
  }

  /**
   * Calls, from inside this kernel, the kernel that it replaced: the one that would serve the same
   * operator and key if this were closed.
   *
   * @param keys the kernel's own key set, which a {@link KeyedKernel} receives
   * @param args a complete list in schema order, as the kernel received it
   * @return as {@link Op#call(Object...)}
   * @throws TenonException NO_KERNEL if there is none; STATE for a fallback
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

  /** Removes the kernel. New calls are affected at once. Closing again does nothing. */
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
