// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Forward mode of functions and formulas, and formulas that inspect a call after it ran. */
class JvpCallTest {
  private static final IOException THROWN = new IOException("disk full");

  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  private static Tensor of(float... elements) {
    return Tensor.of(elements);
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

  /** Returns the tangent of a function's result for a tangent of ones. */
  private static Tensor slope(Tensor x, UnaryOperator<Tensor> function) {
    try (DualLevel level = DualLevel.enter()) {
      Tensor ones = x.mul(0).add(1).detach();
      return level.unpackDual(function.apply(level.makeDual(x, ones))).tangent();
    }
  }

  /** x * n * y; its jvp is ten times too large, which shows that it was called. */
  private static final class Product implements AutogradFunction {
    JvpCall kept;

    @Override
    public Object forward(FunctionContext ctx, Object[] args) {
      return ((Tensor) args[0]).mul((Tensor) args[2]).mul((Double) args[1]);
    }

    @Override
    public void setupContext(FunctionContext ctx, Object[] args, Object output)
        throws IOException {
      assertEquals(3, args.length);
      assertEquals(Tensor.class, output.getClass());
      if ((Double) args[1] == 13) {
        throw THROWN;
      }
      ctx.setState(args[1]);
      ctx.saveForBackward(args[0], args[2], "text");
    }

    @Override
    public Tensor[] backward(BackwardCall call) {
      Tensor grad = call.grad(0).mul((Double) call.state());
      return new Tensor[] {grad.mul(call.savedTensor(1)), null, grad.mul(call.savedTensor(0))};
    }

    @Override
    public Tensor[] jvp(JvpCall call) throws IOException {
      kept = call;
      assertEquals(3, call.inputCount());
      assertEquals(1, call.outputCount());
      assertNull(call.tangent(1));
      int n = ((Double) call.state()).intValue();
      switch (n) {
        case 0 -> throw THROWN;
        case 1 -> {
          return null;
        }
        case 2 -> {
          return new Tensor[2];
        }
        case 3 -> call.savedTensor(2);
        case 4 -> call.saved(3);
        case 5 -> call.tangent(3);
        default -> assertEquals("text", call.saved(2));
      }
      Tensor left = call.tangent(0).mul(call.savedTensor(1));
      Tensor right = call.tangent(2).mul(call.savedTensor(0));
      return new Tensor[] {left.add(right).mul(10.0 * n)};
    }
  }

  @Test
  void setupContext_servesBackward() throws Throwable {
    scoped(
        () -> {
          ForeignObject product = Autograd.function(new Product());
          Tensor x = of(2).requiresGrad(true);
          Tensor y = of(5).requiresGrad(true);
          ((Tensor) product.call(x, 3.0, y)).backward();
          near(x.grad(), 15);
          near(y.grad(), 6);
          assertSame(THROWN, assertThrows(IOException.class, () -> product.call(x, 13.0, y)));
        });
  }

  @Test
  void jvp_givesTheTangent() throws Throwable {
    scoped(
        () -> {
          ForeignObject product = Autograd.function(new Product());
          Tensor y = of(5, 7);
          UnaryOperator<Tensor> f = x -> (Tensor) product.call(x, 6.0, y);
          near(slope(of(2, 3), f), 300, 420);
          near(slope(of(2, 3).requiresGrad(true), f).detach(), 300, 420);
        });
  }

  @Test
  void whatJvpThrows_comesHome() throws Throwable {
    scoped(
        () -> {
          Product function = new Product();
          ForeignObject product = Autograd.function(function);
          Tensor x = of(2);
          for (double n = 0; n < 6; n++) {
            double number = n;
            Executable run = () -> slope(x, dual -> (Tensor) product.call(dual, number, dual));
            switch ((int) n) {
              case 0 -> assertSame(THROWN, assertThrows(IOException.class, run));
              case 1 -> Support.fails(ErrorCode.INVALID_ARGUMENT, run, "Product", "1, one", "null");
              case 2 -> Support.fails(ErrorCode.INVALID_ARGUMENT, run, "Product", "1, one", "2");
              case 3 -> Support.fails(ErrorCode.TYPE, run, "saved value 2", "Tensor");
              case 4 -> Support.fails(ErrorCode.INDEX, run, "3");
              default -> Support.fails(ErrorCode.INDEX, run, "input", "3");
            }
          }
          assertThrows(IllegalStateException.class, () -> function.kept.saved(0)); // jvp has ended
          near(slope(x, dual -> dual.mul(dual)), 4);
        });
  }

  @Test
  void withoutJvp_isRefused() throws Throwable {
    AutogradFunction plain =
        new AutogradFunction() {
          @Override
          public Object forward(FunctionContext ctx, Object[] args) {
            return ((Tensor) args[0]).mul(2);
          }

          @Override
          public Tensor[] backward(BackwardCall call) {
            return new Tensor[] {call.grad(0).mul(2)};
          }

          @Override
          public String name() {
            return "Plain";
          }
        };
    scoped(
        () -> {
          ForeignObject function = Autograd.function(plain);
          Support.fails(
              ErrorCode.NOT_SUPPORTED,
              () -> slope(of(2), x -> (Tensor) function.call(x)),
              "Plain",
              "jvp");
        });
  }

  // ---- Formulas ---------------------------------------------------------------------------------

  private static Object[] weigh(Object[] args) {
    Tensor[] list = (Tensor[]) args[0];
    Tensor sum = list[0].mul(0);
    for (int i = 0; i < list.length; i++) {
      sum = sum.add(list[i].mul(i + 1));
    }
    return new Object[] {sum, sum.mul((Long) args[2])};
  }

  private static void setup(FunctionContext ctx, Object[] args, Object[] results)
      throws IOException {
    assertEquals(2, results.length);
    if ((Long) args[2] == 13) {
      throw THROWN;
    }
    ctx.setState(args[2]);
  }

  private static Tensor[] backward(BackwardCall call) {
    Tensor sum = call.grad(0).add(call.grad(1).mul((Long) call.state()));
    Tensor[] grads = new Tensor[call.inputCount()];
    for (int i = 0; i < grads.length; i++) {
      grads[i] = sum.mul(i + 1);
    }
    return grads;
  }

  private static Tensor[] jvp(JvpCall call) throws IOException {
    assertEquals(3, call.inputCount()); // two of the list, and the absent one
    assertEquals(2, call.outputCount());
    assertNull(call.tangent(2));
    if ((Long) call.state() == 7) {
      throw THROWN;
    }
    return new Tensor[] {call.tangent(0).mul(100), null};
  }

  private static Op define(Library lib) {
    Op op = lib.define("weigh(Tensor[] list, Tensor? more, int n) -> (Tensor, Tensor)");
    lib.impl("weigh", "CPU", JvpCallTest::weigh);
    return op;
  }

  private static Tensor[] call(Op op, Tensor x, int n) {
    Object[] results = (Object[]) op.call(new Tensor[] {x, of(1)}, null, n);
    return new Tensor[] {(Tensor) results[0], (Tensor) results[1]};
  }

  @Test
  void formulas_lookAtCalls() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = define(lib);
            lib.registerAutograd("weigh", JvpCallTest::setup, JvpCallTest::backward);
            Tensor x = of(2).requiresGrad(true);
            Tensor[] both = call(op, x, 3);
            both[0].add(both[1]).backward();
            near(x.grad(), 4);
            assertSame(THROWN, assertThrows(IOException.class, () -> call(op, x, 13)));
          }
        });
  }

  @Test
  void formulas_haveAJvp() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = define(lib);
            lib.registerAutograd(
                "weigh", JvpCallTest::setup, JvpCallTest::backward, JvpCallTest::jvp);
            near(slope(of(2), x -> call(op, x, 3)[0]), 100);
            near(slope(of(2), x -> call(op, x, 3)[1]), 0);
            Executable fails = () -> slope(of(2), x -> call(op, x, 7)[0]);
            assertSame(THROWN, assertThrows(IOException.class, fails));
          }
        });
  }

  @Test
  void formulas_needTheirFunctions() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            define(lib);
            SetupFunction none = null;
            BackwardFunction backward = JvpCallTest::backward;
            SetupFunction setup = JvpCallTest::setup;
            assertThrows(
                NullPointerException.class, () -> lib.registerAutograd("weigh", none, backward));
            assertThrows(
                NullPointerException.class, () -> lib.registerAutograd("weigh", setup, null));
            assertThrows(
                NullPointerException.class,
                () -> lib.registerAutograd("weigh", setup, backward, (JvpFunction) null));
          }
        });
  }
}
