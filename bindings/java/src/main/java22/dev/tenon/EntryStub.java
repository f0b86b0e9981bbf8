// SPDX-License-Identifier: Apache-2.0
// Entry from C to Java kernels by the Foreign Function API, from Java 22 on.
package dev.tenon;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The upcall stub of {@link Bridge#enter}, which costs a third of a JNI call. */
final class EntryStub {
  private EntryStub() {}

  /**
   * Returns true if {@link #make} may make a stub. Not a constant, because the compiler would copy
   * that.
   */
  static boolean isPossible() {
    return true;
  }

  /**
   * Returns the address of a C function that calls {@link Bridge#enter}, or 0 if C must use JNI.
   */
  @SuppressWarnings("restricted")
  static long make() {
    try {
      MethodHandle enter =
          MethodHandles.lookup()
              .findStatic(
                  Bridge.class,
                  "enter",
                  MethodType.methodType(int.class, int.class, long.class));
      return Linker.nativeLinker()
          .upcallStub(enter, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), Arena.global())
          .address();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    } catch (IllegalCallerException | UnsupportedOperationException e) {
      return 0; // native access is denied, or this platform has no linker: C keeps using JNI
    }
  }
}
