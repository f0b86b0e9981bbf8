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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Hooks of tensors and nodes: arguments and replacements, order, and removal. */
class HookTest {
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

  @Test
  void gradients_areSeenAndReplaced() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          List<Float> seen = new ArrayList<>();
          Tensor[] kept = new Tensor[1];
          Hook look =
              x.registerHook(
                  grad -> {
                    kept[0] = grad;
                    seen.add(grad.toFloatArray()[0]);
                    return null;
                  });
          try (Hook twice = x.registerHook(grad -> grad.mul(2))) {
            x.mul(x).backward();
          }
          assertEquals(List.of(6f), seen);
          assertTrue(kept[0].isClosed()); // a view, as kernels' arguments are
          near(x.grad(), 12);
          x.mul(x).backward();
          near(x.grad(), 18);
          look.close();
          look.close();
          x.mul(x).backward();
          assertEquals(2, seen.size());
        });
  }

  @Test
  void accumulatedLeaves_areShown() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          List<Float> seen = new ArrayList<>();
          try (Hook hook =
              x.registerPostAccumulateGradHook(
                  leaf -> {
                    seen.add(leaf.grad().toFloatArray()[0]);
                    leaf.setGrad(null);
                  })) {
            x.mul(x).backward();
            x.mul(2).backward();
          }
          assertEquals(List.of(6f, 2f), seen);
          assertNull(x.grad());
          Tensor made = x.mul(2);
          Support.fails(
              ErrorCode.STATE, () -> made.registerPostAccumulateGradHook(leaf -> {}), "leaf");
        });
  }

  @Test
  void nodes_haveHooksBeforeAndAfter() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Tensor w = leaf(5);
          Tensor y = x.mul(w);
          Node node = y.gradFn();
          try (Hook before =
                  node.registerPrehook(
                      grads -> {
                        assertEquals(1, grads.length);
                        return new Tensor[] {grads[0].mul(10)};
                      });
              Hook after =
                  node.registerHook(
                      (inputs, outputs) -> {
                        assertEquals(2, inputs.length);
                        near(outputs[0], 10);
                        return new Tensor[] {inputs[0], inputs[1].add(1)};
                      })) {
            y.backward();
          }
          near(x.grad(), 50);
          near(w.grad(), 31);
        });
  }

  @Test
  void leaves_knowTheirVariable() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Node node = x.gradientEdge().node();
          assertTrue(node.variable().isSame(x));
          assertNull(x.mul(2).gradFn().variable());
        });
  }

  @Test
  void retainedGradients_stayWithResults() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Tensor y = x.mul(x);
          assertFalse(y.retainsGrad());
          assertSame(y, y.retainGrad());
          assertTrue(y.retainsGrad());
          y.mul(2).backward();
          near(y.grad(), 2);
          Tensor plain = Tensor.of(new float[1]);
          Support.fails(ErrorCode.STATE, () -> plain.retainGrad(), "require");
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full");
    scoped(
        () -> {
          Tensor x = leaf(3);
          try (Hook hook =
              x.registerHook(
                  grad -> {
                    throw thrown;
                  })) {
            Tensor y = x.mul(x);
            assertSame(thrown, assertThrows(IOException.class, () -> y.backward()));
          }
          Tensor z = x.mul(x);
          try (Hook hook = z.gradFn().registerPrehook(grads -> new Tensor[0])) {
            Support.fails(
                ErrorCode.INVALID_ARGUMENT, () -> z.backward(), "MulBackward0", "must be 1", "0");
          }
          Tensor u = x.mul(x);
          try (Hook hook =
              x.registerPostAccumulateGradHook(
                  leaf -> {
                    GradMode.noGrad();
                  })) {
            assertThrows(IllegalStateException.class, () -> u.backward());
          }
          assertTrue(GradMode.isEnabled());
        });
  }

  @Test
  void whatCannotHaveHooks_isRefused() throws Throwable {
    scoped(
        () -> {
          Tensor plain = Tensor.of(new float[1]);
          Support.fails(ErrorCode.STATE, () -> plain.registerHook(grad -> null), "require");
          assertThrows(NullPointerException.class, () -> leaf(1).registerHook(null));
          Support.fails(ErrorCode.STATE, () -> Autograd.whenDone(() -> {}), "pass");
          assertThrows(NullPointerException.class, () -> Autograd.whenDone(null));
        });
  }

  @Test
  void forgottenHooks_stayAndEndWithTheirTensor() throws Throwable {
    scoped(
        () -> {
          int[] calls = new int[1];
          Tensor x = leaf(3);
          x.registerHook(
                  grad -> {
                    calls[0]++;
                    return null;
                  })
              .toString();
          Support.collect();
          x.mul(x).backward();
          assertEquals(1, calls[0]);
        });
  }

  @Test
  void tasks_runWhenThePassIsDone() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          List<String> order = new ArrayList<>();
          try (Hook hook =
              x.registerHook(
                  grad -> {
                    Autograd.whenDone(() -> order.add("done"));
                    order.add("hook");
                    return null;
                  })) {
            x.mul(x).backward();
          }
          assertEquals(List.of("hook", "done"), order);
          IllegalStateException thrown = new IllegalStateException("at the end");
          Runnable throwing =
              () -> {
                throw thrown;
              };
          try (Hook hook =
              x.registerHook(
                  grad -> {
                    Autograd.whenDone(throwing);
                    return null;
                  })) {
            Tensor y = x.mul(x);
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> y.backward()));
          }
        });
  }

  @Test
  void tenThousandHooks_leaveNothing() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Tensor x = leaf(3)) {
            for (int i = 0; i < 10_000; i++) {
              try (Scope scope = Scope.open();
                  Hook hook = x.registerHook(grad -> grad.mul(2))) {
                x.mul(x).backward();
                x.setGrad(null);
              }
            }
          }
        });
  }
}
