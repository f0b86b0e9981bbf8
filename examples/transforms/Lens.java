// SPDX-License-Identifier: Apache-2.0
// The lens of lens.py: its surface is found by tracing rays, differentiated by its two parameters.
import dev.tenon.Func;
import dev.tenon.Scope;
import dev.tenon.Tensor;
import dev.tenon.TensorFunction;
import dev.tenon.VmapOptions;
import java.util.Arrays;
import java.util.stream.IntStream;

final class Lens {
  private static final double INDEX = 1.5; // refractive index of the glass
  private static final double FOCUS = 2.0; // where the rays should meet, measured from the vertex

  /** Traces one ray; returns its distance from the focus in the focal plane. */
  private static Tensor miss(Tensor surface, Tensor height) {
    Tensor curvature = surface.select(0, 0);
    Tensor conic = surface.select(0, 1);
    Tensor square = height.mul(height).mul(curvature);
    Tensor root = conic.add(1).mul(square).mul(curvature).rsub(1).sqrt();
    Tensor sag = square.div(root.add(1));
    Tensor slope = curvature.mul(height).div(root);
    // Snell's law by vectors: the normal is (1, slope) / sqrt(1 + slope^2), the ray (1, 0).
    Tensor cosIn = slope.mul(slope).add(1).sqrt().reciprocal();
    Tensor cosOut = cosIn.mul(cosIn).rsub(1).mul(INDEX * INDEX).rsub(1).sqrt();
    Tensor bent = cosOut.sub(cosIn.mul(INDEX)).mul(cosIn);
    return height.add(bent.mul(slope).div(bent.add(INDEX)).mul(sag.add(FOCUS)));
  }

  /** One step of Gauss-Newton, by the normal equations. */
  private static double[] improved(double[] s, Tensor misses, Tensor jacobian) {
    double[] m = jacobian.t().mm(jacobian).contiguous().toDoubleArray();
    double[] r = jacobian.t().matmul(misses).contiguous().toDoubleArray();
    double determinant = m[0] * m[3] - m[1] * m[2];
    return new double[] {
      s[0] - (m[3] * r[0] - m[1] * r[1]) / determinant,
      s[1] - (m[0] * r[1] - m[2] * r[0]) / determinant
    };
  }

  public static void main(String[] args) {
    double[] surface = {0.7, 0};
    double[] places = IntStream.rangeClosed(-6, 6).mapToDouble(i -> 0.1 * i).toArray();
    try (Scope scope = Scope.open()) {
      Tensor heights = Tensor.of(places, places.length);
      TensorFunction rays =
          Func.vmap(a -> miss(a[0], a[1]), VmapOptions.of().inDims(null, 0));
      TensorFunction misses = a -> rays.apply(a[0], heights);
      for (int step = 0; step < 12; step++) {
        Tensor now = Tensor.of(surface, 2);
        surface = improved(surface, misses.call(now), Func.jacfwd(misses).call(now));
      }
      double[] left = misses.call(Tensor.of(surface, 2)).toDoubleArray();
      double worst = Arrays.stream(left).map(Math::abs).max().orElseThrow();
      System.out.printf(
          "lens: curvature %.4f, conic constant %.4f; rays miss the focus by %.0e%n",
          surface[0], surface[1], worst);
      if (worst > 1e-9) {
        throw new AssertionError("rays must meet");
      }
    }
  }
}
