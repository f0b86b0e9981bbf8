// SPDX-License-Identifier: Apache-2.0
// How C enters Java kernels without JNI: not before Java 22.
package dev.tenon;

/** Before Java 22 there is none; the class of that name in src/main/java22 makes it. */
final class EntryStub {
  private EntryStub() {}

  /** Tells whether {@link #make} may make one. A constant would be copied by the compiler. */
  static boolean isPossible() {
    return false;
  }

  /** Returns the address of a C function that calls {@link Bridge#enter}; 0 where JNI has to do. */
  static long make() {
    return 0;
  }
}
