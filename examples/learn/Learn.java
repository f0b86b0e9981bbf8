// SPDX-License-Identifier: Apache-2.0
// Trains a small network on handwritten digits, with Tenon's operators and a backward pass.
import dev.tenon.DType;
import dev.tenon.Generator;
import dev.tenon.GradMode;
import dev.tenon.Scope;
import dev.tenon.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;

final class Learn {
  private static final int EPOCHS = 40;
  private static final int BATCH = 32;
  private static final int TRAINING = 1437; // images; the remaining ones are held out
  private static final long[] ROWS = {1};

  private static Tensor weight(long ins, long outs, Generator generator) {
    double bound = Math.sqrt(6.0 / (ins + outs));
    return Tensor.zeros(DType.FLOAT32, ins, outs).uniform_(-bound, bound, generator);
  }

  private static Tensor logits(Tensor x, Tensor[] p) {
    return x.mm(p[0]).add(p[1]).relu().mm(p[2]).add(p[3]);
  }

  private static Tensor crossEntropy(Tensor logits, Tensor target) {
    Tensor z = logits.sub(logits.detach().amax(ROWS, true));
    return z.exp().sum(ROWS).log().sub(z.mul(target).sum(ROWS)).mean();
  }

  private static void step(Tensor[] parameters, double rate) {
    for (Tensor parameter : parameters) {
      parameter.sub_(parameter.grad(), rate);
      parameter.setGrad(null);
    }
  }

  public static void main(String[] arguments) throws Exception {
    String path = arguments.length > 0 ? arguments[0] : "examples/learn/data/digits.bin";
    byte[] rows = Files.readAllBytes(Path.of(path));
    int count = rows.length / 65;
    float[] pixels = new float[count * 64];
    float[] ones = new float[count * 10]; // 1 at the label, 0 elsewhere
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < 64; j++) {
        pixels[i * 64 + j] = rows[i * 65 + j] / 16f;
      }
      ones[i * 10 + rows[i * 65 + 64]] = 1;
    }
    try (Scope all = Scope.open()) {
      Tensor images = Tensor.of(pixels, count, 64);
      Tensor targets = Tensor.of(ones, count, 10);
      Generator generator = Generator.onCpu(2);
      Tensor w1 = weight(64, 32, generator);
      Tensor w2 = weight(32, 10, generator);
      Tensor[] parameters = {
        w1, Tensor.zeros(DType.FLOAT32, 32), w2, Tensor.zeros(DType.FLOAT32, 10)
      };
      for (Tensor parameter : parameters) {
        parameter.requiresGrad(true);
      }

      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double rate = 0.8 * (EPOCHS - epoch) / EPOCHS;
        for (int start = 0; start < TRAINING; start += BATCH) {
          int end = Math.min(start + BATCH, TRAINING);
          try (Scope batch = Scope.open()) {
            Tensor x = images.slice(0, start, end);
            crossEntropy(logits(x, parameters), targets.slice(0, start, end)).backward();
            GradMode.noGrad(() -> step(parameters, rate));
          }
        }
      }

      Tensor heldOut = images.slice(0, TRAINING, count);
      long[] guesses = logits(heldOut, parameters).argmax(1L).toLongArray();
      int right = 0;
      for (int i = 0; i < guesses.length; i++) {
        right += guesses[i] == rows[(TRAINING + i) * 65 + 64] ? 1 : 0;
      }
      System.out.printf(
          java.util.Locale.ROOT,
          "%.1f %% of held-out digits are right%n",
          100.0 * right / guesses.length);
    }
  }
}
