// SPDX-License-Identifier: Apache-2.0
// Measures the time from the first use of the package to the end of the first call; also used to
// log the loaded classes.

import dev.tenon.Operators;
import dev.tenon.Tensor;

final class FirstCall {
  private FirstCall() {}

  public static void main(String[] args) {
    System.out.println("FirstCall begins");
    System.out.flush();
    final long start = System.nanoTime();
    try (Tensor a = Tensor.of(new float[] {1});
        Tensor b = Tensor.of(new float[] {2});
        Tensor sum = Operators.find("aten::add.Tensor").callTensor(a, b)) {
      final long end = System.nanoTime();
      if (sum.sizes().length != 1) {
        throw new IllegalStateException("one dimension expected");
      }
      System.out.println("FirstCall took " + (end - start) + " ns");
    }
  }
}
