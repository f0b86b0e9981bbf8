// SPDX-License-Identifier: Apache-2.0
// The Java part of the vision example: the schema of ink, the kernel of edges, and a caller.
import dev.tenon.Library;
import dev.tenon.Op;
import dev.tenon.Tenon;
import dev.tenon.Tensor;

/** Entry points for the host: register and unregister. */
public final class Vision {
  private static Library library;
  private static Library caller;

  private Vision() {}

  /**
   * Strength, in [0, 1], and direction, in radians, of the brightness edges of a linear-light
   * picture [height, width, 3], by Sobel's operator; borders are repeated.
   */
  private static Object edges(Object[] args) {
    Tensor image = (Tensor) args[0];
    float gain = ((Double) args[1]).floatValue();
    int height = (int) image.size(0);
    int width = (int) image.size(1);
    float[] pixels = image.toFloatArray();
    float[] gray = new float[height * width];
    for (int i = 0; i < gray.length; i++) {
      // Luminance of linear sRGB, ITU-R BT.709.
      gray[i] = 0.2126f * pixels[3 * i] + 0.7152f * pixels[3 * i + 1] + 0.0722f * pixels[3 * i + 2];
    }
    float[] strength = new float[gray.length];
    float[] direction = new float[gray.length];
    for (int y = 0; y < height; y++) {
      int up = Math.max(y - 1, 0) * width;
      int here = y * width;
      int down = Math.min(y + 1, height - 1) * width;
      for (int x = 0; x < width; x++) {
        int left = Math.max(x - 1, 0);
        int right = Math.min(x + 1, width - 1);
        float dx =
            gray[up + right] + 2 * gray[here + right] + gray[down + right]
                - gray[up + left] - 2 * gray[here + left] - gray[down + left];
        float dy =
            gray[down + left] + 2 * gray[down + x] + gray[down + right]
                - gray[up + left] - 2 * gray[up + x] - gray[up + right];
        strength[here + x] = (float) Math.min(1.0, gain * Math.sqrt(dx * dx + dy * dy));
        direction[here + x] = (float) StrictMath.atan2(dy, dx);
      }
    }
    return new Object[] {
      Tensor.of(strength, height, width), Tensor.of(direction, height, width)
    };
  }

  /** Runs the five operators; returns the blurred picture, the edges and the result. */
  private static Object pipeline(Object[] args) {
    Tensor linear = op("to_linear").callTensor(args[0]);
    Tensor blurred = op("gaussian_blur").callTensor(linear);
    Tensor edges = (Tensor) op("edges").with("gain", 4.0).callAll(blurred)[0];
    Tensor inked = op("ink").with("strength", 0.9).callTensor(linear, edges);
    return new Object[] {blurred, edges, op("to_srgb").callTensor(inked)};
  }

  private static Op op(String name) {
    return Tenon.op("vision::" + name);
  }

  /** Registers schema, kernel and caller. */
  public static void register() {
    library = Library.open("vision", Library.Kind.FRAGMENT);
    library.define("ink(Tensor image, Tensor edges, float strength=1.0) -> Tensor");
    library.impl("edges", "CPU", Vision::edges);
    caller = Library.open("vision_java", Library.Kind.DEF);
    caller.define("pipeline(Tensor image) -> (Tensor, Tensor, Tensor)");
    caller.impl("pipeline", "CompositeImplicitAutograd", Vision::pipeline);
  }

  /** Removes them again. */
  public static void unregister() {
    caller.close();
    library.close();
  }
}
