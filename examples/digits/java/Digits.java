// SPDX-License-Identifier: Apache-2.0
// The Java part of the digits demo: the schema of step_, the code of cross_entropy, and a training
// loop.
import dev.tenon.Aten;
import dev.tenon.BackwardCall;
import dev.tenon.ErrorCode;
import dev.tenon.GradMode;
import dev.tenon.Library;
import dev.tenon.Op;
import dev.tenon.Scope;
import dev.tenon.Tenon;
import dev.tenon.TenonException;
import dev.tenon.Tensor;

/** Entry points for the host: register and unregister. */
public final class Digits {
  private static final int BATCH = 32;

  private static Library library;
  private static Library caller;

  private Digits() {}

  /** Probabilities from logits [n, classes], row by row. */
  private static float[] softmax(Tensor logits) {
    int classes = (int) logits.size(1);
    float[] p = logits.toFloatArray();
    for (int row = 0; row < p.length; row += classes) {
      float largest = p[row];
      for (int i = row + 1; i < row + classes; i++) {
        largest = Math.max(largest, p[i]);
      }
      double total = 0;
      for (int i = row; i < row + classes; i++) {
        p[i] = (float) StrictMath.exp(p[i] - largest);
        total += p[i];
      }
      for (int i = row; i < row + classes; i++) {
        p[i] = (float) (p[i] / total);
      }
    }
    return p;
  }

  /** Mean cross-entropy of the softmax of logits for the labels [n]. */
  private static Object crossEntropy(Object[] args) {
    Tensor logits = (Tensor) args[0];
    long[] labels = ((Tensor) args[1]).toLongArray();
    int classes = (int) logits.size(1);
    float[] p = softmax(logits);
    double total = 0;
    for (int row = 0; row < labels.length; row++) {
      if (labels[row] < 0 || labels[row] >= classes) {
        String text = "labels must be from 0 to " + (classes - 1) + ", got " + labels[row];
        throw new TenonException(ErrorCode.INDEX, "digits::cross_entropy: " + text);
      }
      total -= StrictMath.log(Math.max(p[row * classes + (int) labels[row]], Float.MIN_NORMAL));
    }
    return Tensor.of(new float[] {(float) (total / labels.length)});
  }

  /** Returns the gradient of the logits: probabilities, minus 1 at the labels. Labels have none. */
  private static Tensor[] crossEntropyBackward(BackwardCall call) {
    Tensor logits = call.savedTensor(0);
    long[] labels = call.savedTensor(1).toLongArray();
    int classes = (int) logits.size(1);
    float scale = call.grad(0).toFloatArray()[0] / labels.length;
    float[] grad = softmax(logits);
    for (int row = 0; row < labels.length; row++) {
      grad[row * classes + (int) labels[row]] -= 1;
    }
    for (int i = 0; i < grad.length; i++) {
      grad[i] *= scale;
    }
    return new Tensor[] {Tensor.of(grad, labels.length, classes), null};
  }

  private static Tensor logits(Tensor images, Tensor[] p) {
    Tensor sums = op("linear").callTensor(images, p[0], p[1]);
    return op("linear").callTensor(op("leaky_relu").callTensor(sums), p[2], p[3]);
  }

  private static void step(Tensor[] parameters, Tensor[] velocities, double rate) {
    for (int i = 0; i < parameters.length; i++) {
      op("step_").call(parameters[i], velocities[i], parameters[i].grad(), rate);
      parameters[i].setGrad(null);
    }
  }

  /** Trains a network; returns its parameters and the mean loss of each epoch. */
  private static Object train(Object[] args) {
    Tensor images = (Tensor) args[0];
    Tensor labels = (Tensor) args[1];
    long epochs = (Long) args[3];
    Tensor[] parameters = (Tensor[]) op("parameters").call(args[2]);
    Tensor[] velocities = new Tensor[parameters.length];
    for (int i = 0; i < parameters.length; i++) {
      velocities[i] = Aten.zerosLike(parameters[i]);
      parameters[i].requiresGrad(true);
    }
    long count = images.size(0);
    double[] losses = new double[(int) epochs];
    for (int epoch = 0; epoch < epochs; epoch++) {
      double rate = 0.1 * (epochs - epoch) / epochs;
      double total = 0;
      for (long start = 0; start < count; start += BATCH) {
        long end = Math.min(start + BATCH, count);
        try (Scope batch = Scope.open()) {
          Tensor z = logits(images.slice(0, start, end), parameters);
          Tensor loss = op("cross_entropy").callTensor(z, labels.slice(0, start, end));
          loss.backward();
          GradMode.noGrad(() -> step(parameters, velocities, rate));
          total += (Double) loss.item() * (end - start);
        }
      }
      losses[epoch] = total / count;
    }
    return new Object[] {parameters, Tensor.of(losses, epochs)};
  }

  private static Op op(String name) {
    return Tenon.op("digits::" + name);
  }

  /** Registers schema, operator and loop. */
  public static void register() {
    library = Library.open("digits", Library.Kind.FRAGMENT);
    library.define(
        "step_(Tensor(a!) parameter, Tensor(b!) velocity, Tensor gradient, float rate,"
            + " float momentum=0.9, float decay=0.001) -> ()");
    library.impl("cross_entropy", "CPU", Digits::crossEntropy);
    library.registerAutograd("cross_entropy", Digits::crossEntropyBackward, "logits", "labels");
    caller = Library.open("digits_java", Library.Kind.DEF);
    caller.define(
        "train(Tensor images, Tensor labels, int seed, int epochs) -> (Tensor[], Tensor)");
    caller.impl("train", "CompositeImplicitAutograd", Digits::train);
  }

  /** Removes them again. */
  public static void unregister() {
    caller.close();
    library.close();
  }
}
