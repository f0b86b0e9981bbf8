// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that are closed or forgotten while somebody else still uses them. */
class OwnershipTest {
  private static final int SIZE = 1 << 16;

  private static Tensor twos() {
    float[] elements = new float[SIZE];
    Arrays.fill(elements, 2);
    return Tensor.of(elements);
  }

  // Memory that was released before its time is likely to be one of these by then.
  private static void overwrite() {
    for (int i = 0; i < 8; i++) {
      float[] elements = new float[SIZE];
      Arrays.fill(elements, -1);
      Tensor.of(elements).close();
    }
  }

  private static void expectFours(Tensor tensor) {
    for (float each : tensor.toFloatArray()) {
      assertEquals(4, each);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void kernelThatClosesItsCallersArguments_goesOnWithThem(int count) throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            StringBuilder arguments = new StringBuilder("Tensor a0");
            for (int i = 1; i < count; i++) {
              arguments.append(", Tensor a").append(i);
            }
            Op op = lib.define("f(" + arguments + ") -> Tensor");
            Tensor[] given = new Tensor[count];
            lib.impl(
                "f",
                "CPU",
                args -> {
                  for (Tensor each : given) {
                    each.close();
                  }
                  overwrite();
                  return ((Tensor) args[0]).add((Tensor) args[count - 1]);
                });
            Arrays.setAll(given, i -> twos());
            try (Tensor result = op.callTensor(Arrays.copyOf(given, count, Object[].class))) {
              expectFours(result);
            }
            for (Tensor each : given) {
              assertTrue(each.isClosed());
            }
          }
        });
  }

  @Test
  void innerKernelThatClosesAnOuterCallsArgument_leavesItToThatCall() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            Op inner = lib.define("inner(Tensor a) -> ()");
            Op outer = lib.define("outer(Tensor a) -> Tensor");
            AtomicReference<Tensor> given = new AtomicReference<>();
            lib.impl(
                "inner",
                "CPU",
                args -> {
                  given.get().close();
                  return null;
                });
            lib.impl(
                "outer",
                "CPU",
                args -> {
                  try (Tensor own = twos()) {
                    inner.call(own);
                    inner.call(own); // what is closed once more stays as it is
                    overwrite();
                    return own.add((Tensor) args[0]);
                  }
                });
            given.set(twos());
            try (Tensor result = outer.callTensor(given.get())) {
              expectFours(result);
            }
          }
        });
  }

  @Test
  void functionOfTransformThatClosesItsArgument_goesOnWithIt() {
    Tensor given = twos();
    Tensor slope =
        Func.grad(
                x -> {
                  given.close();
                  overwrite();
                  return x[0].mul(x[0]).sum();
                })
            .call(given);
    expectFours(slope);
  }

  @Test
  void hookThatClosesTheGradientAndItsTensor_harmsNobody() {
    Tensor x = twos().requiresGrad(true);
    AtomicInteger runs = new AtomicInteger();
    x.registerHook(
        grad -> {
          runs.incrementAndGet();
          grad.close();
          x.close();
          overwrite();
          return null;
        });
    x.mul(x).sum().backward();
    assertEquals(1, runs.get());
  }

  @Test
  void threadThatClosesWhatAnotherUses_givesItTheTensorOrAnException() throws Exception {
    int rounds = "long".equals(System.getenv("TENON_STRESS")) ? 100_000 : 2_000;
    AtomicReference<Tensor> slot = new AtomicReference<>(twos());
    Thread closer =
        new Thread(
            () -> {
              for (int i = 0; i < rounds; i++) {
                slot.getAndSet(twos()).close();
              }
            });
    closer.start();
    Op add = Operators.find("aten::add.Tensor");
    while (closer.isAlive()) {
      Tensor tensor = slot.get();
      try (Tensor sum = tensor.add(tensor);
          Tensor other = add.callTensor(tensor, tensor)) {
        assertEquals(4, sum.getDouble(SIZE - 1));
        assertEquals(4, other.getDouble(0));
        assertEquals(2, tensor.toFloatArray()[SIZE / 2]);
      } catch (IllegalStateException closed) {
        assertTrue(tensor.isClosed(), closed::getMessage);
      }
    }
    closer.join();
    slot.get().close();
  }

  // What refers to its own tensor through a hook.
  private static WeakReference<Tensor> forget(boolean closed) {
    Tensor x = Tensor.of(new float[] {1}).requiresGrad(true);
    x.registerHook(grad -> x.isLeaf() ? null : grad);
    x.mul(x).sum().backward();
    if (closed) {
      x.close();
    }
    return new WeakReference<>(x);
  }

  private static void collect() throws InterruptedException {
    System.gc();
    Thread.sleep(5);
    Tensor.of(new float[] {1}).close(); // frees what C has dropped
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void hookThatRefersToItsOwnTensor_isCollectedWithIt(boolean closed) throws Exception {
    WeakReference<Tensor> forgotten = forget(closed);
    for (int i = 0; i < 2_000 && forgotten.get() != null; i++) {
      collect();
    }
    assertNull(forgotten.get());
  }

  @Test
  void hookOfTensorThatIsForgotten_runsWhileAGraphLeadsToIt() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Tensor y;
    {
      Tensor x = Tensor.of(new float[] {1, 2}).requiresGrad(true);
      x.registerHook(
          grad -> {
            runs.incrementAndGet();
            return x.isClosed() ? null : grad;
          });
      for (int i = 0; i < 5; i++) {
        collect(); // the hook is held weakly by now
      }
      y = x.mul(x).sum();
    }
    for (int i = 0; i < 5; i++) {
      collect();
    }
    y.backward();
    assertEquals(1, runs.get());
    assertNotNull(y);
  }

  @Test
  void hookOfTensorThatIsUsedAgainAfterCollections_runs() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Tensor x = Tensor.of(new float[] {1, 2}).requiresGrad(true);
    x.registerHook(
        grad -> {
          runs.incrementAndGet();
          return null;
        });
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 4; i++) {
        collect();
      }
      x.mul(x).sum().backward();
      assertEquals(round, runs.get());
    }
    assertArrayEquals(new float[] {6, 12}, x.grad().toFloatArray());
  }
}
