// SPDX-License-Identifier: Apache-2.0
// Calls the program's own operator, one of ATen and those of plugins in other languages, and reads
// an error, from Java.
import dev.tenon.Library;
import dev.tenon.Plugin;
import dev.tenon.Scope;
import dev.tenon.Tenon;
import dev.tenon.TenonException;
import dev.tenon.Tensor;
import java.util.Arrays;

public class Consumer {
  public static void main(String[] plugins) {
    try (Library library = Library.open("consumer", Library.Kind.DEF)) {
      library.define("square(int x) -> int");
      library.impl("square", "CPU", args -> (Long) args[0] * (Long) args[0]);
      System.out.println("square " + Tenon.op("consumer::square").call(7));
    }
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {-1, 0, 2}, 3);
      System.out.println("relu " + Arrays.toString(x.relu().toFloatArray()));
      for (String plugin : plugins) {
        Plugin.load(plugin);
      }
      Tensor twice = (Tensor) Tenon.op("from_cpp::twice").call(x);
      System.out.println("twice " + Arrays.toString(twice.toFloatArray()));
      System.out.println("negate " + Tenon.op("from_c::negate").call(5));
    }
    try {
      Tenon.op("aten::relu").call("no tensor");
    } catch (TenonException e) {
      System.out.println("error " + e.getMessage());
    }
  }
}
