// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closes or drops objects that calls, hooks or other threads still use. */
class OwnershipTest {
  private static final int SIZE = 1 << 16;

  private static Tensor twos() {
    float[] elements = new float[SIZE];
    Arrays.fill(elements, 2);
    return Tensor.of(elements);
  }

  // Allocates tensors of the same size, one of which would probably reuse memory freed too early.
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
  void kernelThatClosesItsCallersArguments_canStillReadThem(int count) throws Throwable {
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
  void innerKernelThatClosesAnOuterCallsArgument_leavesItToTheOuterCall() throws Throwable {
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
                    inner.call(own); // closes the argument of `outer` a second time
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
  void functionOfTransformThatClosesItsArgument_canStillReadIt() {
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

  // ---- Threads: which one made the tensor, calls and closes -------------------------------------

  private static long tensors() {
    return Introspect.liveHandles().get("tensor");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void runElsewhere(Runnable body) {
    CompletableFuture.runAsync(body, task -> new Thread(task).start()).join();
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, false", "true, true"})
  void tensorClosedByAnotherThread_isReleasedWhenTheCallReturns(boolean madeHere, boolean fixed) {
    Support.handles();
    try (Library lib = Support.library()) {
      Op op = lib.define("f(Tensor a, int n=0) -> Tensor");
      Tensor[] given = new Tensor[1];
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      lib.impl(
          "f",
          "CPU",
          args -> {
            entered.countDown();
            await(closed);
            overwrite();
            return ((Tensor) args[0]).add((Tensor) args[0]);
          });
      if (madeHere) {
        given[0] = twos();
      } else {
        runElsewhere(() -> given[0] = twos());
      }
      long before = tensors();
      CompletableFuture<Tensor> call =
          CompletableFuture.supplyAsync(
              () -> fixed ? op.callTensor(given[0]) : op.callTensor(given[0], 1));
      await(entered);
      given[0].close();
      assertTrue(given[0].isClosed());
      assertThrows(IllegalStateException.class, () -> given[0].numel());
      closed.countDown();
      try (Tensor result = call.join()) {
        expectFours(result);
        assertEquals(before, tensors()); // one tensor less and one more, without any collection
      }
    }
  }

  @Test
  void tensorClosedByACallOnAnotherThread_isReleasedWhenTheLastCallReturns() {
    Support.handles();
    try (Library lib = Support.library()) {
      Op op = lib.define("f(Tensor a) -> ()");
      long before = tensors();
      Tensor given = twos();
      CyclicBarrier inside = new CyclicBarrier(3);
      lib.impl(
          "f",
          "CPU",
          args -> {
            inside.await(60, TimeUnit.SECONDS);
            given.close();
            expectFours(((Tensor) args[0]).add((Tensor) args[0]));
            return null;
          });
      CompletableFuture<?>[] calls = new CompletableFuture<?>[2];
      Arrays.setAll(
          calls, i -> CompletableFuture.runAsync(() -> op.call(given), t -> new Thread(t).start()));
      op.call(given);
      CompletableFuture.allOf(calls).join();
      assertEquals(before, tensors());
    }
  }

  @Test
  void viewThatAnotherThreadUses_outlivesTheKernelThatGotIt() {
    Support.handles();
    try (Library lib = Support.library()) {
      Op slow = lib.define("slow(Tensor a) -> Tensor");
      Op outer = lib.define("outer(Tensor a) -> ()");
      long before = tensors();
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      AtomicReference<CompletableFuture<Tensor>> other = new AtomicReference<>();
      lib.impl(
          "slow",
          "CPU",
          args -> {
            entered.countDown();
            await(released);
            return ((Tensor) args[0]).add((Tensor) args[0]);
          });
      lib.impl(
          "outer",
          "CPU",
          args -> {
            Tensor view = (Tensor) args[0];
            other.set(CompletableFuture.supplyAsync(() -> slow.callTensor(view)));
            await(entered);
            return null;
          });
      Tensor given = twos();
      outer.call(given);
      given.close();
      overwrite();
      released.countDown();
      try (Tensor result = other.get().join()) {
        expectFours(result);
      }
      assertEquals(before, tensors());
    }
  }

  // ---- Every way to use a tensor ----------------------------------------------------------------

  private interface Use {
    void of(Tensor tensor);
  }

  private static final Op ADD = Operators.find("aten::add.Tensor");
  private static final Op ALIAS = Operators.find("aten::alias");
  private static final Op CAT = Operators.find("aten::cat");
  private static final Op LERP = Operators.find("aten::lerp.Tensor");
  private static final Op MUL = Operators.find("aten::mul.Scalar");
  private static final Op NARROW = Operators.find("aten::narrow");
  private static final DispatchKey CPU = DispatchKey.of("CPU");

  // Each refuses a closed tensor.
  private static final Map<String, Use> USES =
      Map.ofEntries(
          Map.entry("one tensor", t -> ALIAS.callTensor(t).close()),
          Map.entry("two tensors", t -> expectFour(ADD.callTensor(t, t))),
          Map.entry("three tensors", t -> LERP.callTensor(t, t, t).close()),
          Map.entry("tensor and number", t -> expectFour(MUL.callTensor(t, 2.0))),
          Map.entry("tensor and integers", t -> NARROW.callTensor(t, 0, 1, 2).close()),
          Map.entry("boxed", t -> expectFour((Tensor) ADD.callBoxed(new Object[] {t, t, 1L})[0])),
          Map.entry("with names", t -> expectFour(ADD.with("alpha", 1).callTensor(t, t))),
          Map.entry("list", t -> CAT.callTensor(List.of(t, t)).close()),
          Map.entry("key", t -> expectFour((Tensor) ADD.callKey(CPU, t, t))),
          Map.entry("redispatch", t -> expectFour((Tensor) ADD.redispatch(t.keys(), t, t, 1))),
          Map.entry("explain", t -> ADD.explain(t, t)),
          Map.entry("method", t -> expectFour(t.add(t))),
          Map.entry("sizes", t -> assertArrayEquals(new long[] {SIZE}, t.sizes())),
          Map.entry("numel", t -> assertEquals(SIZE, t.numel())),
          Map.entry("device", Tensor::device),
          Map.entry("storage", t -> t.storage().close()),
          Map.entry("isSame", t -> assertTrue(t.isSame(t))),
          Map.entry("retain", t -> expectTwo(t.retain())),
          Map.entry("elements", t -> assertEquals(2, t.toFloatArray()[SIZE / 2])),
          Map.entry("element", t -> assertEquals(2, t.getDouble(SIZE / 2))),
          Map.entry("buffer", t -> assertEquals(2, t.asByteBuffer().getFloat(4))),
          Map.entry("grad", t -> assertNull(t.grad())),
          Map.entry("setGrad", t -> t.setGrad(null)),
          Map.entry("gradient edge", Tensor::gradientEdge),
          Map.entry("graph", t -> Graph.record(x -> new Tensor[] {x[0].add(x[0])}, t).close()));

  private static void expectFour(Tensor tensor) {
    try (tensor) {
      assertEquals(4, tensor.getDouble(SIZE - 1));
    }
  }

  private static void expectTwo(Tensor tensor) {
    try (tensor) {
      assertEquals(2, tensor.getDouble(SIZE - 1));
    }
  }

  static Set<String> uses() {
    return new TreeSet<>(USES.keySet());
  }

  @ParameterizedTest
  @MethodSource("uses")
  void useThatReturnsOrThrows_isCountedNoMore(String name) {
    Use use = USES.get(name);
    Tensor tensor = twos();
    use.of(tensor);
    assertTrue(tensor.isUnusedAfterFence());
    runElsewhere(() -> use.of(tensor));
    assertTrue(tensor.isUnusedAfterFence());
    tensor.close();
    assertThrows(RuntimeException.class, () -> use.of(tensor));
    assertTrue(tensor.isUnusedAfterFence());
  }

  @Test
  void callThatFails_countsNoUseAnyMore() {
    try (Tensor two = twos();
        Tensor other = Tensor.of(new float[] {1, 2, 3})) {
      assertThrows(TenonException.class, () -> ADD.call(two, other));
      assertThrows(TenonException.class, () -> ADD.with("alpha", 2).call(two, other));
      assertThrows(TenonException.class, () -> CAT.call(List.of(two, other), 3));
      assertThrows(TenonException.class, () -> NARROW.callTensor(two, 7, 1, 1));
      assertTrue(two.isUnusedAfterFence());
      assertTrue(other.isUnusedAfterFence());
    }
  }

  // Threads use objects that others close; no use may read freed memory.
  @Test
  void threadsThatCloseWhatOthersUse_giveThemTheTensorOrAnException() throws Exception {
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
    List<Use> uses = List.copyOf(USES.values());
    for (int i = 0; closer.isAlive(); i++) {
      Tensor tensor = slot.get();
      try {
        uses.get(i % uses.size()).of(tensor);
        if (i % 7 == 0) {
          tensor.close(); // both may close it
        }
      } catch (IllegalStateException | TenonException closed) {
        assertTrue(tensor.isClosed(), closed::getMessage);
      }
    }
    closer.join();
    slot.get().close();
  }

  // ---- Resizing ---------------------------------------------------------------------------------

  private static final long[][] SHAPES = {
    {1}, {2, 3}, {1, 1, 2, 1, 1, 1, 4}, {40, 50}, {3, 1, 30_000}, {300_000}
  };

  private static final Map<String, Use> READS =
      Map.of(
          "sizes", t -> expectKnown(t.sizes()),
          "strides", Tensor::strides,
          "array", t -> expectKnownCount(t.toFloatArray().length),
          "bytes", t -> expectKnownCount(t.toByteArray().length / 4),
          "buffer", t -> expectKnownCount(t.asByteBuffer().remaining() / 4),
          "text", Tensor::toString,
          "element", t -> t.getDouble(new long[t.dim()]));

  private static void expectKnown(long[] sizes) {
    boolean known = Arrays.stream(SHAPES).anyMatch(shape -> Arrays.equals(shape, sizes));
    assertTrue(known || Arrays.equals(sizes, new long[] {0}), () -> Arrays.toString(sizes));
  }

  private static void expectKnownCount(int count) {
    boolean known =
        Arrays.stream(SHAPES)
            .anyMatch(shape -> Arrays.stream(shape).reduce(1, (a, b) -> a * b) == count);
    assertTrue(known || count == 0, () -> count + " elements");
  }

  static Set<String> reads() {
    return new TreeSet<>(READS.keySet());
  }

  @ParameterizedTest
  @MethodSource("reads")
  void readerOfATensorThatAnotherThreadResizes_seesOneShape(String name) throws Exception {
    Use read = READS.get(name);
    Op mul = Operators.find("aten::mul.out");
    AtomicReference<Tensor> slot = new AtomicReference<>(Tensor.zeros(DType.FLOAT32, 0));
    Tensor one = Tensor.of(new float[] {1});
    Thread resizer =
        new Thread(
            () -> {
              for (int round = 0; round < 10; round++) {
                Tensor growing = Tensor.zeros(DType.FLOAT32, 0);
                slot.set(growing);
                for (long[] shape : SHAPES) {
                  try (Scope scope = Scope.open()) {
                    mul.with("out", growing).call(Tensor.zeros(DType.FLOAT32, shape), one);
                  }
                }
              }
            });
    resizer.start();
    while (resizer.isAlive()) {
      try {
        read.of(slot.get());
      } catch (TenonException other) {
        assertEquals(ErrorCode.INDEX, other.errorCode(), other::toString); // it has other dims now
      }
    }
    resizer.join();
  }

  // ---- Hooks that refer to their own tensors ----------------------------------------------------

  // Makes a tensor with a hook that refers to it, and drops it.
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
    Tensor.of(new float[] {1}).close(); // frees the Java objects whose last C reference has gone
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
        collect(); // makes C's reference to the hook weak
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
