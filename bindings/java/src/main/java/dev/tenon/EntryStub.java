// SPDX-License-Identifier: Apache-2.0
// Entry from C to Java kernels without JNI: not available before Java 22.
package dev.tenon;

/** Makes no stub before Java 22. The class with this name in src/main/java22 does. */
final class EntryStub {
  private EntryStub() {}

  /**
   * Returns true if {@link #make} may make a stub. Not a constant, because the compiler would copy
   * that.
   */
  static boolean isPossible() {
    return false;
  }

  /**
   * Returns the address of a C function that calls {@link Bridge#enter}, or 0 if C must use JNI.
   */
  static long make() {
    return 0;
  }
}
