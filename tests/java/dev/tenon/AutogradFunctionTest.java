// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Custom autograd functions. */
class AutogradFunctionTest {
  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  private static Tensor leaf(float... data) {
    return Tensor.of(data).requiresGrad(true);
  }

  private static void near(Tensor tensor, float... expected) {
    assertArrayEquals(expected, tensor.toFloatArray());
  }

  private static void scoped(Executable body) throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            body.execute();
          }
        });
  }

  /** Computes x^3 and saves x. */
  private static final class Cube implements AutogradFunction {
    @Override
    public Object forward(FunctionContext ctx, Object[] args) {
      assertFalse(GradMode.isEnabled());
      Tensor x = (Tensor) args[0];
      ctx.saveForBackward(x);
      return x.mul(x).mul(x);
    }

    @Override
    public Tensor[] backward(BackwardCall call) {
      Tensor x = call.savedTensor(0);
      return new Tensor[] {call.grad(0).mul(x).mul(x).mul(3)};
    }
  }

  @Test
  void calls_areOneNodeAndDerivedTwice() throws Throwable {
    scoped(
        () -> {
          ForeignObject cube = Autograd.function(new Cube());
          assertTrue(cube.isFunction());
          Tensor x = leaf(2, 3);
          Tensor y = (Tensor) cube.call(x);
          assertEquals("CubeBackward", y.gradFn().name());
          BackwardOptions options = BackwardOptions.of().createGraph(true);
          Tensor slope = Autograd.grad(options, new Tensor[] {y.sum()}, x)[0];
          near(slope, 12, 27);
          near(Autograd.grad(slope.sum(), x)[0], 12, 18);
        });
  }

  @Test
  void untrackedCalls_areNotRecorded() throws Throwable {
    scoped(
        () -> {
          ForeignObject cube = Autograd.function(new Cube());
          assertFalse(((Tensor) cube.call(Tensor.of(new float[1]))).requiresGrad());
          Tensor x = leaf(2);
          assertFalse(GradMode.noGrad(() -> (Tensor) cube.call(x)).requiresGrad());
        });
  }

  @Test
  void functions_arePassedToOperators() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = lib.define("apply(Function f, Tensor x) -> Tensor");
            lib.impl(
                "apply", "CompositeImplicitAutograd", args -> ((Callback) args[0]).call(args[1]));
            ForeignObject cube = Autograd.function(new Cube());
            Tensor y = op.callTensor(cube, leaf(2));
            assertEquals("CubeBackward", y.gradFn().name());
          }
        });
  }

  /** (a * b, "text", a + b): stores as state which gradients are needed. */
  private static final class Several implements AutogradFunction {
    @Override
    public Object forward(FunctionContext ctx, Object[] args) {
      Tensor a = (Tensor) args[0];
      Tensor b = (Tensor) args[2];
      ctx.setState("forgotten");
      ctx.setState(new boolean[] {ctx.needsInputGrad(0), ctx.needsInputGrad(1)});
      ctx.saveForBackward(b, 7);
      Tensor sum = a.add(b);
      ctx.markNonDifferentiable(sum);
      return new Object[] {a.mul(b), "text", sum};
    }

    @Override
    public Tensor[] backward(BackwardCall call) {
      assertArrayEquals(new boolean[] {true, false}, (boolean[]) call.state());
      assertEquals(7L, call.saved(1));
      assertEquals(3, call.inputCount());
      return new Tensor[] {call.grad(0).mul(call.savedTensor(0)), null, null};
    }

    @Override
    public boolean isOnceDifferentiable() {
      return true;
    }
  }

  @Test
  void tuplesAndState_areKept() throws Throwable {
    scoped(
        () -> {
          ForeignObject several = Autograd.function(new Several());
          Tensor a = leaf(2);
          Object[] parts = (Object[]) several.call(a, 3, Tensor.of(new float[] {5}));
          assertEquals("text", parts[1]);
          assertFalse(((Tensor) parts[2]).requiresGrad());
          Tensor product = (Tensor) parts[0];
          BackwardOptions options = BackwardOptions.of().createGraph(true);
          Tensor slope = Autograd.grad(options, new Tensor[] {product}, a)[0];
          near(slope, 5);
          Support.fails(ErrorCode.STATE, () -> slope.backward(), "once_differentiable");
        });
  }

  @Test
  void dirtyArguments_areResults() throws Throwable {
    AutogradFunction twice =
        new AutogradFunction() {
          @Override
          public Object forward(FunctionContext ctx, Object[] args) {
            Tensor x = (Tensor) args[0];
            ctx.markDirty(x);
            return x.mul_(2);
          }

          @Override
          public Tensor[] backward(BackwardCall call) {
            return new Tensor[] {call.grad(0).mul(2)};
          }
        };
    scoped(
        () -> {
          ForeignObject inPlace = Autograd.function(twice);
          Tensor x = leaf(3);
          Tensor y = x.mul(x);
          assertTrue(((Tensor) inPlace.call(y)).isSame(y));
          assertEquals("FunctionBackward", y.gradFn().name());
          y.backward();
          near(x.grad(), 12);
          Support.fails(ErrorCode.STATE, () -> inPlace.call(x), "leaf");
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full");
    FunctionContext[] kept = new FunctionContext[1];
    AutogradFunction failing =
        new AutogradFunction() {
          @Override
          public Object forward(FunctionContext ctx, Object[] args) throws IOException {
            kept[0] = ctx;
            if (args.length > 1) {
              throw thrown;
            }
            return ((Tensor) args[0]).mul(2);
          }

          @Override
          public Tensor[] backward(BackwardCall call) throws IOException {
            throw thrown;
          }

          @Override
          public String name() {
            return "Failing";
          }
        };
    scoped(
        () -> {
          ForeignObject function = Autograd.function(failing);
          Tensor x = leaf(3);
          assertSame(thrown, assertThrows(IOException.class, () -> function.call(x, 1)));
          Tensor y = (Tensor) function.call(x);
          assertEquals("FailingBackward", y.gradFn().name());
          assertSame(thrown, assertThrows(IOException.class, () -> y.backward()));
          assertNull(x.grad());
          assertThrows(IllegalStateException.class, () -> kept[0].setState(1)); // forward has ended
        });
  }

  @Test
  void tenThousandCalls_leaveNothing() throws Throwable {
    Support.leavesNothing(
        () -> {
          for (int i = 0; i < 10_000; i++) {
            try (Scope scope = Scope.open()) {
              Tensor a = leaf(2);
              Object[] parts =
                  (Object[])
                      Autograd.function(new Several()).call(a, 3, Tensor.of(new float[] {5}));
              ((Tensor) parts[0]).backward();
              near(a.grad(), 5);
            }
          }
        });
  }
}
