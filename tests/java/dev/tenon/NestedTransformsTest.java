// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Two transforms of x -> square(x) * x, nested in every order. The function and the operator with a
 * formula return 3 times the derivative of x * x, so that a layer that sees the operators inside
 * them computes a different result.
 */
class NestedTransformsTest {
  private static final class Square implements AutogradFunction {
    @Override
    public Object forward(FunctionContext ctx, Object[] args) {
      Tensor x = (Tensor) args[0];
      ctx.saveForBackward(x);
      return x.mul(x);
    }

    @Override
    public Tensor[] backward(BackwardCall call) {
      return new Tensor[] {call.grad(0).mul(call.savedTensor(0)).mul(3)};
    }

    @Override
    public Tensor[] jvp(JvpCall call) {
      return new Tensor[] {call.tangent(0).mul(call.savedTensor(0)).mul(3)};
    }
  }

  /** A transform, and how many derivatives it takes. */
  private record Transform(UnaryOperator<TensorFunction> apply, int order) {}

  private static TensorFunction byJvp(TensorFunction f) {
    return a -> Func.jvp(f, a[0], Operators.find("aten::ones_like").callTensor(a[0])).tangent();
  }

  private static TensorFunction byJacrev(TensorFunction f) {
    TensorFunction rows = Func.jacrev(f);
    return a -> {
      Tensor found = rows.call(a);
      return a[0].dim() == 0 ? found : found.sum(new long[] {0});
    };
  }

  private static TensorFunction byCreateGraph(TensorFunction f) {
    BackwardOptions options = BackwardOptions.of().createGraph(true);
    return a -> {
      Tensor leaf = Operators.find("aten::clone").callTensor(a[0]);
      if (!leaf.requiresGrad()) {
        leaf.requiresGrad(true);
      }
      return Autograd.grad(options, new Tensor[] {f.call(leaf).sum()}, leaf)[0];
    };
  }

  private static final Map<String, Transform> TRANSFORMS =
      new TreeMap<>(
          Map.of(
              "grad", new Transform(f -> Func.grad(a -> f.call(a).sum()), 1),
              "vmap", new Transform(Func::vmap, 0),
              "jvp", new Transform(NestedTransformsTest::byJvp, 1),
              "jacrev", new Transform(NestedTransformsTest::byJacrev, 1),
              "createGraph", new Transform(NestedTransformsTest::byCreateGraph, 1)));

  // With s(x) = x x and s' = c x: s(x) x, c x x + s, 2 c x + c x.
  private static double[] expected(int c, int order) {
    return switch (order) {
      case 0 -> new double[] {1, 8};
      case 1 -> new double[] {c + 1, 4 * (c + 1)};
      default -> c == 2 ? new double[] {6, 12} : new double[] {3 * c, 6 * c};
    };
  }

  private static void check(
      TensorFunction square, boolean isFunction, int c, String outer, String inner) {
    Transform outside = TRANSFORMS.get(outer);
    Transform inside = TRANSFORMS.get(inner);
    TensorFunction f = a -> ((Tensor) square.apply(a)).mul(a[0]);
    TensorFunction nested = outside.apply.apply(inside.apply.apply(f));
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new double[] {1, 2});
      if (outer.equals("vmap") && inner.equals("vmap")) {
        return; // other tests cover this, because it needs two dims to map
      }
      if (outer.equals("vmap") && inner.equals("createGraph")
          || isFunction && outside.order > 0 && inner.equals("vmap")) {
        TenonException refused = assertThrows(TenonException.class, () -> nested.call(x));
        assertTrue(refused.getMessage().contains("vmap"), refused::getMessage);
        return;
      }
      Tensor found = nested.call(x);
      assertArrayEquals(
          expected(c, outside.order + inside.order),
          Operators.find("aten::detach").callTensor(found).toDoubleArray());
    }
  }

  @TestFactory
  List<DynamicTest> nestedTwice_givesTheRightNumbersOrRefuses() {
    ForeignObject function = Autograd.function(new Square());
    Library lib = Support.library();
    Op op = lib.define("square(Tensor x) -> Tensor");
    lib.impl("square", "default", args -> ((Tensor) args[0]).mul((Tensor) args[0]));
    lib.registerAutograd("square", "x: grad * x * 3");
    List<DynamicTest> tests = new ArrayList<>();
    for (String outer : TRANSFORMS.keySet()) {
      for (String inner : TRANSFORMS.keySet()) {
        String name = outer + " of " + inner;
        tests.add(
            DynamicTest.dynamicTest(
                name + ", operator", () -> check(a -> a[0].mul(a[0]), false, 2, outer, inner)));
        tests.add(
            DynamicTest.dynamicTest(
                name + ", function", () -> check(a -> function.call(a[0]), true, 3, outer, inner)));
        tests.add(
            DynamicTest.dynamicTest(
                name + ", own operator",
                () -> check(a -> op.callTensor(a[0]), false, 3, outer, inner)));
      }
    }
    return tests;
  }
}
