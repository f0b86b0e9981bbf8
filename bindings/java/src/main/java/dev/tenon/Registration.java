// SPDX-License-Identifier: Apache-2.0
// One registered kernel or fallback.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;

/**
 * One registered kernel. It stays until its library is closed, or until this is closed: forgetting
 * this object changes nothing.
 */
public final class Registration extends NativeHandle {
  Registration(long address) {
    super(address);
  }

  /** Removes the kernel, at once for new calls. Closing again does nothing. */
  @Override
  public void close() {
    long a = address;
    if (a != 0) {
      TenonNative.tenon_registration_remove(a);
      Reference.reachabilityFence(this);
    }
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
