// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Gradients: leaves, passes, nodes, and formulas as texts and lambdas. */
class AutogradTest {
  /** The plugin's operators register permanent objects on first use. */
  @BeforeAll
  static void loadOperators() {
    try (Tensor x = Tensor.of(new float[1])) {
      x.mul(x).close();
    }
  }

  private static Tensor leaf(float... data) {
    return Tensor.of(data).requiresGrad(true);
  }

  private static Tensor cubeSum(Tensor x) {
    return x.mul(x).mul(x).sum();
  }

  private static void near(Tensor tensor, float... expected) {
    assertArrayEquals(expected, tensor.toFloatArray());
  }

  /** Runs a body that closes nothing itself, in a scope, and checks that nothing is left. */
  private static void scoped(org.junit.jupiter.api.function.Executable body) throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            body.execute();
          }
        });
  }

  // ---- Tensors ----------------------------------------------------------------------------------

  @Test
  void leaves_askForGradientsAndStop() throws Throwable {
    scoped(
        () -> {
          Tensor x = Tensor.of(new float[] {1});
          assertFalse(x.requiresGrad());
          assertTrue(x.isLeaf());
          assertNull(x.grad());
          assertNull(x.gradientEdge());
          assertSame(x, x.requiresGrad(true));
          assertTrue(x.requiresGrad() && x.isLeaf());
          assertNull(x.gradFn());
          assertEquals("AccumulateGrad", x.gradientEdge().node().name());
          x.requiresGrad(false);
          assertFalse(x.requiresGrad());
          assertNull(x.gradientEdge());
        });
  }

  @Test
  void gradients_areSetAndCleared() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(1, 2);
          Tensor given = Tensor.of(new float[] {5, 7});
          x.setGrad(given);
          assertTrue(x.grad().isSame(given));
          x.setGrad(null);
          assertNull(x.grad());
          Tensor longer = Tensor.of(new float[3]);
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> x.setGrad(longer), "[2]", "[3]");
          Tensor made = x.mul(2);
          Support.fails(ErrorCode.STATE, () -> made.setGrad(given), "leaf");
        });
  }

  @Test
  void whatCannotHaveGradients_isRefused() throws Throwable {
    scoped(
        () -> {
          Tensor ints = Tensor.of(new long[] {1});
          Support.fails(ErrorCode.TYPE, () -> ints.requiresGrad(true), "int64");
          Tensor made = leaf(1).mul(2);
          Support.fails(ErrorCode.STATE, () -> made.requiresGrad(false), "leaf");
          Tensor inference = GradMode.inference(() -> Tensor.of(new float[1]));
          Support.fails(ErrorCode.STATE, () -> inference.requiresGrad(true), "inference");
          Tensor closed = leaf(1);
          closed.close();
          assertThrows(IllegalStateException.class, closed::requiresGrad);
          assertThrows(IllegalStateException.class, closed::grad);
          assertThrows(IllegalStateException.class, () -> Autograd.backward(closed));
        });
  }

  @Test
  void views_knowTheirBase() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(1, 2, 3);
          assertNull(x.base());
          Tensor inner = x.slice(0, 1, 3).slice(0, 1, 2);
          assertTrue(inner.base().isSame(x));
          inner.sum().backward();
          near(x.grad(), 0, 0, 1);
        });
  }

  // ---- Passes -----------------------------------------------------------------------------------

  @Test
  void backward_addsToTheGradientsOfLeaves() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2, 3);
          Tensor w = leaf(5, 7);
          Tensor sum = x.mul(w).sum();
          sum.backward(BackwardOptions.of().retainGraph(true));
          sum.backward();
          near(x.grad(), 10, 14);
          near(w.grad(), 4, 6);
          Support.fails(ErrorCode.STATE, () -> sum.backward(), "second time");
        });
  }

  @Test
  void inputs_chooseTheTensorsThatGradientsAreFor() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor w = leaf(5);
          Tensor y = x.mul(w);
          Tensor z = y.mul(3);
          Support.fails(
              ErrorCode.INVALID_ARGUMENT,
              () -> z.backward(BackwardOptions.of().inputs()),
              "Autograd.backward",
              "inputs");
          z.backward(BackwardOptions.of().retainGraph(true).inputs(w));
          assertNull(x.grad());
          near(w.grad(), 6);
          // The gradient of a result is retained.
          z.backward(BackwardOptions.of().inputs(y));
          near(y.grad(), 3);
          near(w.grad(), 6);
        });
  }

  @Test
  void grad_returnsAndLeavesLeavesAlone() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor w = leaf(5);
          Tensor[] grads = Autograd.grad(x.mul(w), w, x);
          near(grads[0], 2);
          near(grads[1], 5);
          assertNull(x.grad());
          assertFalse(grads[0].requiresGrad());
        });
  }

  @Test
  void unusedInputs_areErrorsOrNull() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor apart = leaf(1);
          Support.fails(
              ErrorCode.STATE, () -> Autograd.grad(x.mul(x), x, apart), "input 1", "used");
          BackwardOptions options = BackwardOptions.of().allowUnused(true);
          Tensor[] grads = Autograd.grad(options, new Tensor[] {x.mul(x)}, x, apart);
          near(grads[0], 4);
          assertNull(grads[1]);
          options.allowUnused(false);
          Support.fails(
              ErrorCode.STATE,
              () -> Autograd.grad(options, new Tensor[] {x.mul(x)}, apart),
              "used");
        });
  }

  @Test
  void outputsOfManyElements_needAGradient() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2, 3);
          Tensor y = x.mul(x);
          Tensor one = Tensor.of(new float[1]);
          BackwardOptions none = BackwardOptions.of().gradTensors();
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> y.backward(), "scalar", "[2]");
          Support.fails(
              ErrorCode.INVALID_ARGUMENT, () -> y.backward(none), "gradTensors", "must be 1", "0");
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> y.backward(one), "shape");
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> y.backward((Tensor) null), "scalar");
          y.backward(Tensor.of(new float[] {1, 10}));
          near(x.grad(), 4, 60);
        });
  }

  @Test
  void passesWithoutTheirTensors_areRefused() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor plain = Tensor.of(new float[1]);
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Autograd.backward(), "outputs");
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Autograd.grad(x), "inputs");
          Support.fails(
              ErrorCode.INVALID_ARGUMENT, () -> Autograd.backward(x, (Tensor) null), "output");
          Support.fails(ErrorCode.STATE, plain::backward, "require grad");
          Support.fails(ErrorCode.STATE, () -> Autograd.grad(x, plain), "input 0");
          BackwardOptions twice = BackwardOptions.of().inputs(x);
          Support.fails(
              ErrorCode.INVALID_ARGUMENT,
              () -> Autograd.grad(twice, new Tensor[] {x}, x),
              "Autograd.grad",
              "option");
        });
  }

  @Test
  void recordedPass_isDerivedAgain() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2, 3);
          BackwardOptions options = BackwardOptions.of().createGraph(true);
          Tensor slope = Autograd.grad(options, new Tensor[] {cubeSum(x)}, x)[0];
          near(slope, 12, 27);
          near(Autograd.grad(slope.sum(), x)[0], 12, 18);
        });
  }

  @Test
  void noGrad_recordsNothing() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor y = GradMode.noGrad(() -> x.mul(x));
          assertFalse(y.requiresGrad());
          assertTrue(y.isLeaf());
        });
  }

  @Test
  void threads_runPassesOverSharedLeaves() throws Throwable {
    Support.leavesNothing(
        () -> {
          ExecutorService executor = Executors.newFixedThreadPool(4);
          try (Tensor x = leaf(3)) {
            Runnable task =
                () -> {
                  for (int i = 0; i < 100; i++) {
                    try (Scope scope = Scope.open()) {
                      x.mul(x).backward();
                    }
                  }
                };
            for (Future<?> one :
                List.of(executor.submit(task), executor.submit(task), executor.submit(task))) {
              one.get();
            }
            try (Tensor grad = x.grad()) {
              near(grad, 1800);
            }
          } finally {
            executor.shutdown();
          }
        });
  }

  // ---- Nodes ------------------------------------------------------------------------------------

  @Test
  void nodes_leadToOlderNodes() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Node node = x.mul(Tensor.of(new float[] {5})).gradFn();
          assertEquals("MulBackward0", node.name());
          assertTrue(node.toString().startsWith("Node(MulBackward0 "));
          List<Node.Edge> next = node.nextFunctions();
          assertEquals(2, next.size());
          assertNull(next.get(1)); // no gradient is wanted for the other
          assertEquals(x.gradientEdge(), next.get(0));
          assertEquals(0, next.get(0).output());
          assertTrue(next.get(0).node().sequence() < node.sequence());
          assertEquals(List.of(), next.get(0).node().nextFunctions());
        });
  }

  @Test
  void equalNodes_areTheSameNode() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(2);
          Tensor y = x.mul(2);
          Node node = y.gradFn();
          Node same = y.gradFn();
          Node other = x.mul(2).gradFn();
          assertEquals(node, same);
          assertEquals(node.hashCode(), same.hashCode());
          assertNotEquals(node, other);
          assertNotEquals(node, null);
          assertEquals(2, new HashSet<>(List.of(node, other, node)).size());
          y.close();
          assertEquals("MulBackward0", node.name()); // the node's handle stays valid
          Node kept = node.retain();
          node.close();
          node.close();
          assertNotEquals(node, same);
          assertEquals(Set.of(same), Set.of(kept));
          assertThrows(IllegalStateException.class, node::name);
          assertEquals("Node(closed)", node.toString());
        });
  }

  @Test
  void nodes_escapeTheirScope() throws Throwable {
    Support.leavesNothing(
        () -> {
          Node kept;
          try (Scope scope = Scope.open()) {
            kept = leaf(2).mul(2).gradFn().escape();
          }
          assertEquals("MulBackward0", kept.name());
          kept.close();
        });
  }

  @Test
  void forgottenGraphs_areCollected() throws Throwable {
    Support.leavesNothingAfterCollection(
        () -> {
          for (int i = 0; i < 100; i++) {
            cubeSum(leaf(2, 3)).gradFn();
          }
        });
  }

  // ---- Formulas ---------------------------------------------------------------------------------

  private static Op product(Library lib) {
    Op op = lib.define("f(Tensor a, Tensor b) -> Tensor");
    lib.impl("f", "CPU", args -> ((Tensor) args[0]).mul((Tensor) args[1]));
    return op;
  }

  private static Tensor[] ofProduct(BackwardCall call) {
    Tensor grad = call.grad(0);
    return new Tensor[] {grad.mul(call.savedTensor(1)), grad.mul(call.savedTensor(0))};
  }

  @Test
  void operatorsWithoutFormula_followTheirPolicy() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library();
              Library all = Library.open("_", Library.Kind.IMPL)) {
            Op op = product(lib);
            Tensor x = leaf(2);
            Tensor w = leaf(5);
            Support.fails(ErrorCode.NOT_SUPPORTED, () -> op.callTensor(x, w).backward());
            all.setGradientPolicy("_", GradientPolicy.STOP);
            assertFalse(op.callTensor(x, w).requiresGrad());
            lib.setGradientPolicy("f", GradientPolicy.WARN);
            op.callTensor(x, w).backward();
            assertNull(x.grad());
            Support.fails(
                ErrorCode.ALREADY_EXISTS, () -> all.setGradientPolicy("_", GradientPolicy.ERROR));
            Support.fails(
                ErrorCode.INVALID_ARGUMENT, () -> lib.setGradientPolicy("_", GradientPolicy.ERROR));
          }
        });
  }

  @Test
  void texts_areFormulas() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            lib.registerAutograd("f", "a: grad * b; b: grad * a");
            Tensor x = leaf(2);
            Tensor w = leaf(5);
            Tensor y = op.callTensor(x, w);
            assertEquals("FBackward0", y.gradFn().name());
            y.backward();
            near(x.grad(), 5);
            near(w.grad(), 2);
          }
        });
  }

  @Test
  void lambdas_areFormulasAndCanBeDerived() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            lib.registerAutograd("f", AutogradTest::ofProduct, "a", "b");
            Tensor x = leaf(2, 3);
            Tensor cube = op.callTensor(op.callTensor(x, x), x).sum();
            BackwardOptions options = BackwardOptions.of().createGraph(true);
            Tensor slope = Autograd.grad(options, new Tensor[] {cube}, x)[0];
            near(slope, 12, 27);
            near(Autograd.grad(slope.sum(), x)[0], 12, 18);
          }
        });
  }

  @Test
  void untrackedCalls_doNotReachTheLambda() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            int[] calls = new int[1];
            lib.registerAutograd(
                "f",
                call -> {
                  calls[0]++;
                  return ofProduct(call);
                },
                "a",
                "b");
            Tensor x = leaf(2);
            Tensor w = Tensor.of(new float[] {5});
            op.callTensor(w, w);
            Tensor y = op.callTensor(x, w);
            assertEquals(0, calls[0]);
            y.backward();
            assertEquals(1, calls[0]);
            near(x.grad(), 5);
          }
        });
  }

  @Test
  void lambdas_seeWhatWasSavedAndWanted() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            String results = "(Tensor, Tensor, Tensor)";
            Op op = lib.define("f(Tensor a, Tensor[] more, str s, int[] n) -> " + results);
            lib.impl(
                "f",
                "CPU",
                args -> {
                  Tensor a = (Tensor) args[0];
                  return new Object[] {a.mul(2), a.mul(3), Tensor.scalar(1)};
                });
            Tensor[] kept = new Tensor[2];
            Node[] node = new Node[1];
            lib.registerAutograd(
                "f",
                call -> {
                  assertEquals(3, call.inputCount());
                  assertTrue(call.needs(0) && !call.needs(1) && call.needs(2));
                  Support.fails(ErrorCode.INDEX, () -> call.needs(3), "FBackward0", "below 3");
                  assertEquals(3, call.grads().length);
                  near(call.grad(0), 0); // its result is unused
                  near(call.grad(1), 1);
                  assertNull(call.grad(2)); // integers have no gradient
                  Support.fails(ErrorCode.INDEX, () -> call.grad(3), "FBackward0", "output");
                  assertEquals("text", call.saved(0));
                  assertArrayEquals(new long[] {4, 5}, (long[]) call.saved()[1]);
                  near(call.savedTensor(2), 6);
                  Support.fails(ErrorCode.TYPE, () -> call.savedTensor(0), "Tensor", "str");
                  Support.fails(ErrorCode.INDEX, () -> call.saved(-1), "saved value", "-1");
                  kept[0] = call.savedTensor(2);
                  node[0] = call.node();
                  assertEquals("FBackward0", node[0].name());
                  kept[1] = Tensor.of(new float[] {7});
                  return new Tensor[] {kept[1], null, Tensor.of(new float[] {8})};
                },
                "s",
                "n",
                "result1");
            Tensor a = leaf(2);
            Tensor c = leaf(1);
            Tensor[] more = {Tensor.of(new float[1]), c};
            Object[] made = op.callAll(a, more, "text", new long[] {4, 5});
            ((Tensor) made[1]).backward();
            near(a.grad(), 7);
            near(c.grad(), 8);
            // Views and objects that the call created are closed at its end.
            assertTrue(kept[0].isClosed() && kept[1].isClosed() && node[0].isClosed());
          }
        });
  }

  private static void fails(BackwardFunction formula, java.util.function.Consumer<Tensor> check)
      throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            lib.registerAutograd("f", formula);
            Tensor x = leaf(2);
            check.accept(op.callTensor(x, x).mul(3));
            assertNull(x.grad());
          }
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full");
    fails(
        call -> {
          throw thrown;
        },
        y -> assertSame(thrown, assertThrows(IOException.class, () -> y.backward())));
    AssertionError error = new AssertionError("as asked");
    fails(
        call -> {
          throw error;
        },
        y -> {
          BackwardOptions recorded = BackwardOptions.of().createGraph(true);
          assertSame(error, assertThrows(AssertionError.class, () -> y.backward(recorded)));
        });
  }

  @Test
  void wrongResults_areNamed() throws Throwable {
    fails(
        call -> new Tensor[1],
        y ->
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> y.backward(),
                "FBackward0",
                "must be 2",
                "got 1"));
    fails(
        call -> null,
        y -> Support.fails(ErrorCode.INVALID_ARGUMENT, () -> y.backward(), "must be 2", "null"));
    fails(
        call -> {
          Tensor closed = Tensor.of(new float[1]);
          closed.close();
          return new Tensor[] {Tensor.of(new float[1]), closed};
        },
        y -> assertThrows(IllegalStateException.class, () -> y.backward()));
    fails(
        call -> {
          GradMode.noGrad();
          return new Tensor[2];
        },
        y -> assertThrows(IllegalStateException.class, () -> y.backward()));
    assertTrue(GradMode.isEnabled());
  }

  @Test
  void formulas_goWithTheirRegistrationAndNodesKeepThem() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            int before = Introspect.referencedObjects();
            Registration registration =
                lib.registerAutograd("f", AutogradTest::ofProduct, "a", "b");
            assertEquals(before + 1, Introspect.referencedObjects());
            Tensor x = leaf(2);
            Tensor y = op.callTensor(x, x);
            registration.close();
            Introspect.reap();
            assertEquals(before + 1, Introspect.referencedObjects());
            y.backward();
            near(x.grad(), 4);
            y.close();
            Introspect.reap();
            Tensor.of(new float[1]).close(); // releasing any handle drains the queue
            assertEquals(before, Introspect.referencedObjects());
          }
        });
  }

  @Test
  void badFormulas_areRefused() throws Throwable {
    scoped(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            Support.fails(
                ErrorCode.PARSE, () -> lib.registerAutograd("f", "a"), "FBackward0", "':'");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> lib.registerAutograd("f", (String) null),
                "Library.registerAutograd",
                "gradient");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> lib.registerAutograd(null, "a: grad"),
                "Library.registerAutograd",
                "name");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> lib.registerAutograd("other::f", AutogradTest::ofProduct),
                "other");
            assertThrows(
                NullPointerException.class,
                () -> lib.registerAutograd("f", (BackwardFunction) null));
            // Argument names in a formula are resolved at the first backward call.
            lib.registerAutograd("f", AutogradTest::ofProduct, "c");
            Tensor x = leaf(1);
            Support.fails(
                ErrorCode.INVALID_ARGUMENT, () -> op.callTensor(x, x), "FBackward0", "c");
          }
        });
  }

  // ---- What is left -----------------------------------------------------------------------------

  @Test
  void tenThousandRounds_leaveNothing() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            Op op = product(lib);
            lib.registerAutograd(
                "f",
                call -> {
                  if (call.savedTensor(0).numel() == 3) {
                    throw new TenonException(ErrorCode.RUNTIME, "three");
                  }
                  return ofProduct(call);
                },
                "a",
                "b");
            for (int i = 0; i < 10_000; i++) {
              round(op);
            }
          }
        });
  }

  // First- and second-order gradients, a graph without a backward pass, and a failing pass.
  private static void round(Op op) {
    try (Scope scope = Scope.open()) {
      Tensor x = leaf(2, 3);
      Tensor sum = op.callTensor(op.callTensor(x, x), x).sum();
      assertEquals(1, sum.gradFn().nextFunctions().size());
      BackwardOptions options = BackwardOptions.of().createGraph(true);
      Tensor slope = Autograd.grad(options, new Tensor[] {sum}, x)[0];
      near(Autograd.grad(slope.sum(), x)[0], 12, 18);
      Tensor three = leaf(1, 1, 1);
      Tensor failing = op.callTensor(three, three).sum();
      Support.fails(ErrorCode.RUNTIME, () -> failing.backward(), "three");
    }
  }
}
