// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LibraryTest {
  private final String ns = Support.namespace();
  private Scope scope;
  private Tensor x;

  @BeforeEach
  void open() {
    scope = Scope.open();
    x = Tensor.of(new float[] {1});
  }

  @AfterEach
  void close() {
    scope.close();
  }

  private double value(Op op) {
    return op.callTensor(x).getDouble();
  }

  @Test
  void close_removesEverything() throws Throwable {
    Support.leavesNothing(
        () -> {
          Op op;
          try (Library lib = Library.open(ns, Library.Kind.DEF)) {
            op = lib.define("f(Tensor x) -> Tensor", "pointwise", "core");
            lib.impl("f", "CPU", args -> Tensor.scalar(1.0));
            assertEquals(List.of("pointwise", "core"), Introspect.tags(op));
            try (Scope inner = Scope.open()) {
              assertEquals(1, value(op));
            }
          }
          Support.fails(ErrorCode.NOT_FOUND, () -> op.call(x), ns + "::f");
          assertFalse(Operators.exists(ns + "::f"));
        });
  }

  @Test
  void define_twice_namesTheFirst() throws Throwable {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      lib.define("f(Tensor x) -> Tensor");
      Support.leavesNothing(
          () ->
              Support.fails(
                  ErrorCode.ALREADY_EXISTS,
                  () -> lib.define("f(Tensor x, int n) -> Tensor"),
                  ns + "::f",
                  "LibraryTest.java"));
      try (Schema schema = Operators.find(ns + "::f").schema()) {
        assertEquals(1, schema.arguments().size());
      }
    }
  }

  @Test
  void open_secondDef_namesTheFirst() {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      Support.fails(
          ErrorCode.ALREADY_EXISTS,
          () -> Library.open(ns, Library.Kind.DEF),
          ns,
          "LibraryTest.java");
      try (Library fragment = Library.open(ns, Library.Kind.FRAGMENT)) {
        fragment.define("g() -> ()");
      }
    }
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Library.open("bad ns", Library.Kind.DEF));
  }

  @Test
  void implKind_defines_isRefused() {
    try (Library lib = Library.open(ns, Library.Kind.IMPL)) {
      Support.fails(ErrorCode.INVALID_ARGUMENT, () -> lib.define("f() -> ()"));
    }
  }

  @Test
  void define_malformedOrForeign_changesNothing() throws Throwable {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      Support.leavesNothing(
          () -> {
            Support.fails(ErrorCode.PARSE, () -> lib.define("f(Tensor x -> Tensor"), "^");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT, () -> lib.define("other::f() -> ()"), "other");
          });
    }
  }

  @Test
  void impl_bad_leavesNoKernel() throws Throwable {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      lib.define("f(Tensor x) -> Tensor");
      Support.leavesNothing(
          () -> {
            Support.fails(
                ErrorCode.NOT_FOUND, () -> lib.impl("f", "NoKey", args -> args[0]), "NoKey");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> lib.impl("other::f", DispatchKey.CPU, args -> args[0]),
                "other");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> lib.impl("f", DispatchKey.UNDEFINED, args -> args[0]),
                "Undefined");
          });
    }
  }

  @Test
  void impl_beforeDefine_andDangling() {
    try (Library impl = Library.open(ns, Library.Kind.IMPL, DispatchKey.CPU)) {
      impl.impl("f", args -> Tensor.scalar(4.0));
      assertTrue(
          Introspect.danglingOperators().stream().anyMatch(op -> op.name().equals(ns + "::f")));
      Support.fails(ErrorCode.NOT_FOUND, () -> Operators.find(ns + "::f"), ns + "::f");
      try (Library lib = Library.open(ns, Library.Kind.DEF)) {
        assertEquals(4, value(lib.define("f(Tensor x) -> Tensor")));
      }
    }
  }

  @Test
  void registrations_layerAndComeBack() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Library.open(ns, Library.Kind.DEF);
              Scope inner = Scope.open()) {
            Op op = lib.define("f(Tensor x) -> Tensor");
            lib.impl("f", "CPU", args -> Tensor.scalar(1.0));
            Registration second = lib.impl("f", "CPU", args -> Tensor.scalar(2.0));
            assertEquals(2, value(op));
            second.close();
            second.close();
            assertEquals(1, value(op));
            Support.fails(
                ErrorCode.ALREADY_EXISTS,
                () -> lib.impl("f", DispatchKey.CPU, args -> args[0], Library.Policy.ERROR),
                ns + "::f");
            assertEquals(1, value(op));
            lib.impl("f", DispatchKey.CPU, args -> Tensor.scalar(3.0), Library.Policy.OVERRIDE);
            assertEquals(3, value(op));
          }
        });
  }

  @Test
  void default_servesAllBackends() {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl("f", "default", args -> Tensor.scalar(1.0));
      assertEquals(1, value(op));
      assertEquals(1, op.callTensor(Tensor.empty(DType.FLOAT32, Device.META, 2)).getDouble());
      lib.impl("f", "meta", args -> Tensor.scalar(2.0));
      assertEquals(2, op.callTensor(Tensor.empty(DType.FLOAT32, Device.META, 2)).getDouble());
    }
  }

  @Test
  void fallthrough_skipsTheKey() {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl("f", "CPU", args -> Tensor.scalar(1.0));
      lib.impl("f", DispatchKey.BATCHED, args -> Tensor.scalar(2.0));
      try (KeyGuard guard = KeyGuard.include(DispatchKey.BATCHED)) {
        assertEquals(2, value(op));
        try (Registration skip = lib.fallthrough("f", DispatchKey.BATCHED)) {
          assertEquals(1, value(op));
        }
        assertEquals(2, value(op));
      }
    }
  }

  @Test
  void fallback_servesAndSelects() throws Throwable {
    List<String> called = new ArrayList<>();
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    Support.leavesNothing(
        () -> {
          try (Library lib = Library.open(ns, Library.Kind.DEF);
              Library fallbacks = Library.open("_", Library.Kind.IMPL);
              Scope inner = Scope.open()) {
            Op one = lib.define("one(Tensor x) -> Tensor");
            Op two = lib.define("two(Tensor x) -> Tensor");
            lib.impl("one", "CPU", args -> Tensor.scalar(1.0));
            lib.impl("two", "CPU", args -> Tensor.scalar(2.0));
            fallbacks.fallback(
                DispatchKey.BATCHED,
                (op, keys, args) -> {
                  called.add(op.name());
                  return op.redispatch(keys.below(DispatchKey.BATCHED), args);
                },
                schema -> {
                  asked.add(schema.name());
                  return schema.name().endsWith("::one");
                });
            assertTrue(asked.contains(ns + "::one") && asked.contains(ns + "::two"));
            try (KeyGuard guard = KeyGuard.include(DispatchKey.BATCHED)) {
              assertEquals(1, value(one));
              assertEquals(2, value(two));
            }
            assertEquals(List.of(ns + "::one"), called);
            Support.fails(
                ErrorCode.ALREADY_EXISTS,
                () -> fallbacks.fallback(DispatchKey.BATCHED, (op, keys, args) -> null),
                "Batched");
          }
        });
  }

  @Test
  void drain_waitsForRunningKernels() throws Throwable {
    Support.leavesNothing(this::drainWhileAKernelRuns);
  }

  private void drainWhileAKernelRuns() throws Exception {
    Library lib = Library.open(ns, Library.Kind.DEF);
    Op op = lib.define("f(Tensor x) -> Tensor");
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    lib.impl(
        "f",
        "CPU",
        args -> {
          inside.countDown();
          go.await();
          return args[0];
        });
    Tensor shared = x;
    Thread runner = new Thread(() -> op.callTensor(shared).close());
    runner.start();
    inside.await();
    Library copy = lib;
    Support.fails(ErrorCode.BUSY, () -> copy.drain(Duration.ofMillis(20)), ns + "::f");
    assertTrue(lib.isClosed());
    go.countDown();
    runner.join();
  }

  @Test
  void drain_insideItsKernel_isRefused() {
    try (Library lib = Library.open(ns, Library.Kind.DEF)) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl(
          "f",
          "CPU",
          args -> {
            lib.drain(Duration.ofSeconds(1));
            return args[0];
          });
      Support.fails(ErrorCode.STATE, () -> op.call(x));
    }
  }

  @Test
  void closed_throws() {
    Library lib = Library.open(ns, Library.Kind.DEF);
    lib.close();
    lib.close();
    assertTrue(lib.isClosed());
    Support.contains(
        assertThrows(IllegalStateException.class, () -> lib.define("f() -> ()")).getMessage(), ns);
    assertThrows(IllegalStateException.class, () -> lib.impl("f", "CPU", args -> null));
  }

  @Test
  void callOlder_runsTheKernelBelow() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library();
              Library over = Library.open(lib.namespace(), Library.Kind.IMPL);
              Scope scope = Scope.open()) {
            Op op = lib.define("f(Tensor x, *, int n=1) -> Tensor");
            lib.impl("f", "CPU", args -> ((Tensor) args[0]).mul((Long) args[1]));
            Registration[] mine = new Registration[2];
            for (int i = 0; i < 2; i++) {
              Registration[] place = mine;
              int index = i;
              place[i] =
                  over.impl(
                      "f",
                      DispatchKey.CPU,
                      (keys, args) ->
                          ((Tensor) place[index].callOlder(keys, args)).add(Tensor.scalar(1.0)));
            }
            Tensor x = Tensor.scalar(5.0);
            assertEquals(7, op.callTensor(x).getDouble());
            assertEquals(17, op.with("n", 3).callTensor(x).getDouble());
            over.close();
            assertEquals(5, op.callTensor(x).getDouble());
          }
        });
  }

  @Test
  void callOlder_withoutOne_isAnError() {
    try (Library lib = Support.library();
        Scope scope = Scope.open()) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      Registration[] mine = new Registration[1];
      mine[0] =
          lib.impl("f", DispatchKey.CPU, (keys, args) -> mine[0].callOlder(keys, args));
      Tensor x = Tensor.scalar(1.0);
      Support.fails(ErrorCode.NO_KERNEL, () -> op.call(x), op.name());
      mine[0].close();
    }
  }
}
