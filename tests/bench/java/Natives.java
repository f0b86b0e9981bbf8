// SPDX-License-Identifier: Apache-2.0
// Plain JNI for comparison, and a loop in C that calls operators.
package dev.tenon.bench;

final class Natives {
  private Natives() {}

  /** Does nothing. */
  static native long noop(long a, long b);

  /** Calls {@link #visited} `count` times. */
  static native void upcall(int count);

  /** Finds the operator that {@link #callLambda} calls, and makes its arguments. */
  static native void prepare(String name);

  /** Returns the address of an operator. */
  static native long operator(String name);

  /** Returns the address of one of the two prepared tensors. */
  static native long tensor(int index);

  /** Calls an operator's typed kernel with two tensors, as hand-written JNI code does. */
  static native int typed(long op, long a, long b);

  /** Calls the prepared operator `count` times with two tensors. */
  static native void callLambda(int count);

  static void visited(long id, long frame) {
    CallBench.seen += id + frame;
  }
}
