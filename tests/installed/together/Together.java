// SPDX-License-Identifier: Apache-2.0
// A Java process with a plugin of each language.
import dev.tenon.Plugin;
import dev.tenon.Scope;
import dev.tenon.Tenon;
import dev.tenon.Tensor;
import java.util.Arrays;

public final class Together {
  private Together() {}

  public static void main(String[] plugins) {
    FromJava.load();
    for (String plugin : plugins) {
      Plugin.load(plugin);
    }
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {-1, 0, 2}, 3);
      System.out.println("C " + Tenon.op("from_c::negate").call(5));
      System.out.println("C++ " + floats(Tenon.op("from_cpp::twice").callTensor(x)));
      System.out.println("Rust " + floats(Tenon.op("from_rust::halve").callTensor(x)));
      System.out.println("Java " + Tenon.op("from_java::cube").call(3));
    }
    FromJava.unload();
  }

  private static String floats(Tensor x) {
    return Arrays.toString(x.toFloatArray());
  }
}
