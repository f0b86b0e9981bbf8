// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

/** Forgets many large tensors in a small heap that has no reason to collect. */
final class PressureRun {
  private PressureRun() {}

  public static void main(String[] arguments) {
    long most = 0;
    for (int i = 0; i < 200; i++) {
      Tensor.zeros(DType.UINT8, 16 << 20);
      most = Math.max(most, Introspect.liveHandles().get("tensor"));
    }
    System.out.println("PressureRun: at most " + most + " tensors");
    System.exit(most < 40 ? 0 : 1);
  }
}
