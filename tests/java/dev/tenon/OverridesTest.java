// SPDX-License-Identifier: Apache-2.0
// Objects that override operators, wrapper tensors, modes, carried thread states, the key space.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.*;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OverridesTest {
  private Library library;

  @BeforeEach
  void define() {
    library = Library.open("joverrides", Library.Kind.DEF);
    library.define("twice(Tensor a) -> Tensor");
    library.define("both(Tensor a, int n) -> int");
    library.define("pair(Tensor a) -> (Tensor, int)");
    library.impl("twice", "CPU", args -> twice((Tensor) args[0]));
  }

  @AfterEach
  void close() {
    library.close();
  }

  private static Tensor twice(Tensor a) {
    float[] elements = a.toFloatArray();
    for (int i = 0; i < elements.length; i++) {
      elements[i] *= 2;
    }
    return Tensor.of(elements, a.sizes());
  }

  private static Op op(String name) {
    return Tenon.op("joverrides::" + name);
  }

  static class Tag implements Overriding {
    final long number;

    Tag(long number) {
      this.number = number;
    }

    @Override
    public Object overrideCall(Overridden call) throws Exception {
      return number * 10;
    }
  }

  static final class Special extends Tag {
    Special() {
      super(1);
    }

    @Override
    public Object overrideCall(Overridden call) {
      return "special of " + call.op().name();
    }
  }

  static final class Declining implements Overriding {
    @Override
    public Object overrideCall(Overridden call) {
      return Overridden.DECLINED;
    }
  }

  /** Counts calls, then unwraps, calls and rewraps. */
  static final class Counting implements Dispatching {
    static int calls;
    final Tensor inner;

    Counting(Tensor inner) {
      this.inner = inner;
    }

    static Tensor wrap(Tensor inner) {
      return Tensor.wrapper(new Counting(inner), inner.dtype(), inner.device(), inner.sizes());
    }

    @Override
    public Object dispatchCall(Overridden call) {
      calls++;
      Object[] args = call.args();
      for (int i = 0; i < args.length; i++) {
        if (args[i] instanceof Tensor t && t.wrapped() instanceof Counting counting) {
          args[i] = counting.inner;
        }
      }
      Object result = call.callWith(args);
      return result instanceof Tensor t ? wrap(t.escape()) : result;
    }
  }

  @Test
  void objectInPlaceOfAnyArgument_Answers() {
    try (Tensor plain = Tensor.of(new float[] {1}, 1)) {
      assertEquals(40L, op("both").call(new Tag(4), 1));
      assertEquals(50L, op("both").call(plain, new Tag(5)));
    }
  }

  @Test
  void resultInPlaceOfTensor_IsOpened() {
    assertEquals(60L, op("twice").call(new Tag(6)));
    assertEquals("special of joverrides::twice", op("twice").call(new Special()));
    try (Tensor carrier = Tensor.carrier(new Tag(7));
        Tensor result = op("twice").callTensor(carrier)) {
      assertEquals(70L, result.carried());
    }
  }

  @Test
  void derivedClassBeforeBase_DeclinedPassesOn() {
    assertEquals(
        "special of joverrides::both", op("both").call(new Tag(1), new Special()));
    assertEquals(30L, op("both").call(new Declining(), new Tag(3)));
    TenonException error =
        assertThrows(TenonException.class, () -> op("both").call(new Declining(), 1));
    assertEquals(ErrorCode.TYPE, error.errorCode());
    assertTrue(
        error.getMessage().contains("[dev.tenon.OverridesTest$Declining]"), error::getMessage);
  }

  @Test
  void severalResults_NeedAnArrayOfThatLength() {
    Overriding two = call -> new Object[] {"first", 2L};
    Object[] results = op("pair").callAll(two);
    assertEquals("first", results[0]);
    assertEquals(2L, results[1]);
    Overriding one = call -> "only";
    assertThrows(TenonException.class, () -> op("pair").callAll(one));
  }

  @Test
  void exceptionComesHomeAsTheSameObject() {
    IllegalStateException mine = new IllegalStateException("mine");
    Overriding throwing =
        call -> {
          throw mine;
        };
    assertSame(
        mine, assertThrows(IllegalStateException.class, () -> op("twice").call(throwing)));
  }

  @Test
  void redispatchRefusesObjects() {
    TenonException error =
        assertThrows(
            TenonException.class,
            () -> op("twice").redispatch(new DispatchKeySet(1L << 24), new Tag(1)));
    assertEquals(ErrorCode.TYPE, error.errorCode());
  }

  @Test
  void wrapperCountsUnwrapsAndRewraps() {
    Counting.calls = 0;
    try (Tensor plain = Tensor.of(new float[] {1, 2}, 2);
        Tensor wrapper = Counting.wrap(plain);
        Tensor once = (Tensor) op("twice").call(wrapper);
        Tensor again = (Tensor) op("twice").call(once)) {
      assertArrayEquals(new long[] {2}, wrapper.sizes());
      assertEquals(2, Counting.calls);
      Counting result = (Counting) again.wrapped();
      assertArrayEquals(new float[] {4, 8}, result.inner.toFloatArray());
      ((Counting) once.wrapped()).inner.close();
      result.inner.close();
      assertThrows(TenonException.class, wrapper::toFloatArray);
    }
  }

  static final class Watching implements Overriding, Dispatching {
    final List<String> seen = new ArrayList<>();

    @Override
    public synchronized Object overrideCall(Overridden call) {
      seen.add(call.op().name());
      return call.callWith(call.args());
    }

    @Override
    public Object dispatchCall(Overridden call) {
      return overrideCall(call);
    }
  }

  @Test
  void modesSeeEveryCallWhileTheyAreOn() {
    Watching before = new Watching();
    Watching below = new Watching();
    try (Tensor plain = Tensor.of(new float[] {1}, 1)) {
      try (Mode outer = Mode.dispatching(below);
          Mode inner = Mode.overriding(before)) {
        op("twice").callTensor(plain).close();
      }
      op("twice").callTensor(plain).close();
    }
    assertEquals(List.of("joverrides::twice"), before.seen);
    assertEquals(List.of("joverrides::twice"), below.seen);
  }

  @Test
  void executorsCarryTheSubmittersState() throws Exception {
    Watching watching = new Watching();
    ExecutorService pool = ThreadState.carrying(Executors.newFixedThreadPool(2));
    try (Tensor plain = Tensor.of(new float[] {1}, 1)) {
      try (Mode mode = Mode.overriding(watching)) {
        for (int i = 0; i < 4; i++) {
          assertArrayEquals(
              new float[] {2},
              pool.submit(
                      () -> {
                        try (Tensor result = op("twice").callTensor(plain)) {
                          return result.toFloatArray();
                        }
                      })
                  .get());
        }
      }
      pool.submit(() -> op("twice").callTensor(plain).close()).get();
    } finally {
      pool.shutdown();
      assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES));
    }
    assertEquals(4, watching.seen.size());
  }

  @Test
  void backendsAndFunctionalitiesByName() {
    DispatchKey npu = DispatchKey.registerBackend("javanpu");
    assertEquals(npu, DispatchKey.registerBackend("javanpu"));
    assertEquals("javanpu", npu.toString());
    DispatchKey profiler = DispatchKey.register("JavaProfiler", "Batched", false, false);
    assertEquals(profiler, DispatchKey.register("JavaProfiler", "Batched", false, false));
    TenonException taken =
        assertThrows(
            TenonException.class,
            () -> DispatchKey.register("JavaProfiler", "Batched", true, false));
    assertEquals(ErrorCode.ALREADY_EXISTS, taken.errorCode());
  }

  @Test
  void keysHaveDefaultsOnThreadsFromBeforeAndAfter() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      DispatchKeySet was = executor.submit(DispatchKeySet::included).get();
      DispatchKey on =
          DispatchKey.register(
              "JavaOn", "Wrapper", false, false, DispatchKey.ThreadDefault.INCLUDED);
      assertFalse(was.has(on));
      assertTrue(executor.submit(DispatchKeySet::included).get().has(on));
      try (KeyGuard guard = KeyGuard.exclude(on)) {
        assertTrue(DispatchKeySet.excluded().has(on));
      }
      // Without a kernel at the key, calls skip it.
      try (Tensor x = Tensor.of(new float[] {1f}, 1)) {
        Tenon.op("aten::neg").callTensor(x).close();
      }
      DispatchKey off =
          DispatchKey.register(
              "JavaOff", "BackendSelect", true, false, DispatchKey.ThreadDefault.EXCLUDED);
      assertTrue(executor.submit(DispatchKeySet::excluded).get().has(off));
      Support.fails(
          ErrorCode.ALREADY_EXISTS,
          () -> DispatchKey.register("JavaOff", "BackendSelect", true, false),
          "above BackendSelect, excluded by default");
    } finally {
      executor.shutdown();
    }
  }
}
