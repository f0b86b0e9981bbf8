// SPDX-License-Identifier: Apache-2.0
// Trains with the graph that model.py wrote: Run GRAPH DIGITS TRAINED PLUGINS
import dev.tenon.DType;
import dev.tenon.Graph;
import dev.tenon.Plugin;
import dev.tenon.Scope;
import dev.tenon.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

final class Run {
  private static final int BATCH = 32;
  private static final int ROW = 65;
  private static final int STEPS = 44;
  private static final int DONE = 2; // model.py has taken two steps

  public static void main(String[] arguments) throws Exception {
    for (int i = 3; i < arguments.length; i++) {
      Plugin.load(arguments[i]);
    }
    byte[] rows = Files.readAllBytes(Path.of(arguments[1]));
    try (Graph step = Graph.load(arguments[0])) {
      float loss = 0;
      for (int i = DONE; i < STEPS; i++) {
        byte[] batch = Arrays.copyOfRange(rows, i * BATCH * ROW, (i + 1) * BATCH * ROW);
        try (Scope scope = Scope.open()) {
          loss = step.run(Tensor.of(batch, BATCH, ROW).to(DType.UINT8))[0].toFloatArray()[0];
        }
      }
      step.save(arguments[2]); // parameters have changed
      System.out.printf(Locale.ROOT, "loss %.4f%n", loss);
    }
  }
}
