// SPDX-License-Identifier: Apache-2.0
// Misuse that only Java allows: nulls, closed handles, wrong threads, strings with NUL, durations.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Each misuse throws an exception that names the mistake, and leaks nothing. */
class MisuseTest {
  private static final int REPEATS = 200;

  private static void refuses(
      Class<? extends Throwable> type, Executable body, String... texts) throws Throwable {
    Executable once =
        () -> Support.contains(String.valueOf(assertThrows(type, body).getMessage()), texts);
    once.execute();
    Support.leavesNothing(
        () -> {
          for (int i = 0; i < REPEATS; i++) {
            once.execute();
          }
        });
  }

  @Test
  void textsWithNul_areRefusedByEveryFunction() throws Throwable {
    try (Library lib = Support.library()) {
      String ns = lib.namespace();
      Op op = lib.define("f(int x=1) -> int");
      List<Executable> calls =
          List.of(
              () -> Operators.find(ns + "::f\0"),
              () -> Library.open("a\0b", Library.Kind.FRAGMENT),
              () -> lib.define("g\0() -> ()"),
              () -> lib.define("g() -> ()", "pointwise", "a\0b"),
              () -> lib.impl("f\0", "CPU", args -> 1),
              () -> lib.impl("f", "CPU\0", args -> 1),
              () -> DispatchKey.of("CPU\0"),
              () -> DispatchKey.registerBackend("np\0u"),
              () -> DispatchKey.register("Pr\0f", "Autograd", false, false),
              () -> DispatchKey.register("Prof", "Auto\0grad", false, false),
              () -> DType.of("float32\0"),
              () -> Device.of("cpu\0"),
              () -> Plugin.load("no\0thing"),
              () -> Schema.parse("f() -> ()\0"));
      for (Executable call : calls) {
        refuses(IllegalArgumentException.class, call, "NUL");
      }
      refuses(TenonException.class, () -> op.with("x\0", 1).call(), ns + "::f", "x\0");
    }
  }

  @Test
  void nulls_areRefused() throws Throwable {
    try (Library lib = Support.library();
        Library wildcard = Library.open("_", Library.Kind.IMPL)) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl("f", "CPU", args -> args[0]);
      Class<TenonException> error = TenonException.class;
      refuses(error, () -> wildcard.impl(null, DispatchKey.TRACER, args -> null), "name");
      refuses(error, () -> wildcard.fallthrough(null, DispatchKey.TRACER), "name");
      refuses(error, () -> lib.impl(null, "CPU", args -> null), "name");
      refuses(error, () -> lib.define(null), "schema");
      refuses(error, () -> lib.define("g() -> ()", (String) null), "tag");
      refuses(error, () -> op.call((Object) null), "x must be Tensor, got None");
      refuses(error, () -> op.call((Tensor) null), "x must be Tensor, got None");
      Class<NullPointerException> java = NullPointerException.class;
      refuses(java, () -> lib.impl("f", "CPU", (Kernel) null), "kernel");
      refuses(java, () -> lib.impl("f", "CPU", (KeyedKernel) null), "kernel");
      refuses(java, () -> wildcard.fallback(DispatchKey.TRACER, null), "kernel");
      refuses(java, () -> Library.open("misuse", null));
      refuses(java, () -> Tensor.empty(null, 2));
      refuses(java, () -> DispatchKeySet.of((DispatchKey) null));
    }
  }

  @Test
  void closedHandles_areRefusedByEveryClass() throws Throwable {
    Library lib = Support.library();
    Op op = lib.define("f(Tensor x) -> Tensor");
    Registration registration = lib.impl("f", "CPU", args -> args[0]);
    registration.close();
    lib.close();
    Tensor tensor = Tensor.of(new float[] {1, 2});
    Storage storage = tensor.storage();
    storage.close();
    tensor.close();
    Generator generator = Generator.onCpu(1);
    generator.close();
    Schema schema = Schema.parse("f() -> ()");
    schema.close();
    ThreadState state = ThreadState.capture();
    state.close();
    Class<IllegalStateException> closed = IllegalStateException.class;
    for (Executable call :
        List.<Executable>of(
            () -> lib.define("g() -> ()"),
            () -> lib.impl("f", "CPU", args -> args[0]),
            () -> lib.drain(Duration.ZERO),
            tensor::sizes,
            tensor::toFloatArray,
            tensor::asByteBuffer,
            tensor::retain,
            tensor::storage,
            tensor::toDLPack,
            () -> tensor.getDouble(0),
            storage::byteCount,
            generator::initialSeed,
            () -> generator.seed(1),
            schema::arguments,
            () -> schema.checkCompatible(schema, false),
            () -> state.call(() -> 1))) {
      refuses(closed, call, "closed");
    }
    refuses(TenonException.class, () -> op.call(1), "f");
    for (AutoCloseable again :
        List.of(lib, registration, storage, tensor, generator, schema, state)) {
      again.close();
      again.close();
    }
  }

  @Test
  void guardsAndModes_wantTheirThreadAndOrder() throws Throwable {
    try (KeyGuard outer = KeyGuard.include(DispatchKey.TRACER);
        KeyGuard inner = KeyGuard.exclude(DispatchKey.TRACER)) {
      DispatchKeySet included = DispatchKeySet.included();
      Support.fails(ErrorCode.STATE, outer::close, "innermost");
      Support.fails(ErrorCode.STATE, elsewhere(inner::close), "thread");
      assertEquals(included, DispatchKeySet.included());
    }
    Overriding handler = call -> Overridden.DECLINED;
    try (Mode outer = Mode.overriding(handler);
        Mode inner = Mode.overriding(handler)) {
      Support.fails(ErrorCode.STATE, outer::close, "innermost");
      Support.fails(ErrorCode.STATE, elsewhere(inner::close));
    }
  }

  // Wraps a body to run on another thread.
  private static Executable elsewhere(Runnable body) {
    return () -> {
      try {
        CompletableFuture.runAsync(body).join();
      } catch (CompletionException e) {
        throw e.getCause();
      }
    };
  }

  @Test
  void durations_neverHangOrOverflow() throws Throwable {
    Library lib = Support.library();
    lib.define("f() -> ()");
    Plugin plugin = Support.plugin();
    Duration below = Duration.ofSeconds(-1);
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          refuses(TenonException.class, () -> lib.drain(below), "timeout", "PT-1S");
          refuses(TenonException.class, () -> plugin.unload(below), "timeout", "PT-1S");
          lib.define("still_open() -> ()");
          lib.drain(longest);
        });
  }

  @Test
  void kernelsThatReturnWhatTheyMayNot_areNamed() throws Throwable {
    try (Library lib = Support.library();
        Tensor x = Tensor.of(new float[] {1, 2})) {
      String name = lib.namespace() + "::f";
      Op op = lib.define("f(Tensor x) -> Tensor");
      Op pair = lib.define("pair(Tensor x) -> (Tensor, int)");
      List<Object> results = new ArrayList<>();
      Tensor closed = Tensor.of(new float[1]);
      closed.close();
      lib.impl("f", "CPU", args -> results.get(0));
      lib.impl("pair", "CPU", args -> results.get(0));
      for (Object result : new Object[] {"text", 1L, new Object[] {x, x}, new Object()}) {
        results.clear();
        results.add(result);
        refuses(TenonException.class, () -> op.call(x), name, "Tensor");
      }
      for (Object result : new Object[] {x, new Object[] {x}, new Object[] {1L, x}}) {
        results.clear();
        results.add(result);
        refuses(TenonException.class, () -> pair.call(x), lib.namespace() + "::pair");
      }
      results.clear();
      results.add(closed);
      refuses(IllegalStateException.class, () -> op.call(x), "closed");
      assertEquals(1, x.useCount());
    }
  }

  @Test
  void kernelsThatKeepOrCloseTheirArguments_harmNobody() throws Throwable {
    try (Library lib = Support.library();
        Tensor x = Tensor.of(new float[] {1, 2})) {
      lib.define("f(Tensor x) -> Tensor");
      List<Tensor> kept = new ArrayList<>();
      lib.impl(
          "f",
          "CPU",
          args -> {
            kept.add((Tensor) args[0]);
            return Tensor.scalar(1);
          });
      Support.plugin();
      Operators.find("javatest::invoke").callAll(lib.namespace() + "::f", x);
      refuses(IllegalStateException.class, kept.get(0)::sizes, "closed");
      lib.impl(
          "f",
          "CPU",
          args -> {
            ((Tensor) args[0]).close();
            return Tensor.scalar(1);
          });
      Operators.find("javatest::invoke").callAll(lib.namespace() + "::f", x);
      assertEquals(2, x.numel());
      assertEquals(1, x.useCount());
    }
  }

  @Test
  void listsThatHoldThemselves_andVeryLongOnes() throws Throwable {
    try (Library lib = Support.library()) {
      Op any = lib.define("f(Any x) -> int");
      lib.impl("f", "default", args -> 1L);
      List<Object> endless = new ArrayList<>();
      endless.add(endless);
      Support.fails(ErrorCode.RECURSION, () -> any.call((Object) endless));
      refuses(TenonException.class, () -> any.call((Object) endless), "nest at most 1000");
      Op count = lib.define("count(int[] xs) -> int");
      lib.impl("count", "default", args -> (long) ((long[]) args[0]).length);
      assertEquals(5_000_000L, count.call(new long[5_000_000]));
    }
  }

  @Test
  void elementsThatAreNotThere_areRefused() throws Throwable {
    try (Tensor x = Tensor.of(new float[] {1, 2});
        Tensor meta = Tensor.empty(DType.FLOAT32, Device.META, 2);
        Tensor undefined = Tensor.undefined()) {
      Class<TenonException> error = TenonException.class;
      refuses(error, () -> x.getDouble(2), "dim 0", "2");
      refuses(error, () -> x.getDouble(-3), "dim 0", "-3");
      refuses(error, () -> x.getDouble(Long.MIN_VALUE), "dim 0");
      refuses(error, () -> x.getDouble(0, 0), "index", "2");
      refuses(error, () -> x.size(1), "dim", "1");
      refuses(error, x::toLongArray, "toLongArray", "float32");
      refuses(error, meta::toFloatArray, "meta");
      refuses(error, meta::asByteBuffer, "meta");
      refuses(error, undefined::toFloatArray);
      refuses(error, undefined::asByteBuffer);
      refuses(error, () -> Tensor.of(new float[6], Long.MAX_VALUE, 4), "6 elements");
      refuses(error, () -> Tensor.of(new float[0], 1L << 32, 1L << 32), "0 elements");
      refuses(error, () -> Tensor.of(new float[6], -2, -3), "6 elements");
    }
  }
}
