// SPDX-License-Identifier: Apache-2.0
// Quick start in Java: define an operator, give it a kernel, call it.
// [quickstart.begin]
import dev.tenon.Library;
import dev.tenon.Tenon;
import dev.tenon.Tensor;

final class Quickstart {
  public static void main(String[] arguments) {
    try (Library library = Library.open("quick_java", Library.Kind.DEF);
        Tensor x = Tensor.of(new float[] {1, 2}, 2)) {
      library.define("twice(Tensor x) -> Tensor");
      library.impl("twice", "CPU", args -> ((Tensor) args[0]).add((Tensor) args[0]));
      System.out.println(Tenon.op("quick_java::twice").call(x));
    }
  }
}
// [quickstart.end]
