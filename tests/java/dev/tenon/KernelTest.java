// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Java kernels called by C: through the trampoline, from its threads, with every type. */
class KernelTest {
  private Library lib;
  private Scope scope;
  private Tensor x;
  private String ns;

  @BeforeEach
  void open() {
    Support.plugin();
    lib = Support.library();
    ns = lib.namespace();
    scope = Scope.open();
    x = Tensor.of(new float[] {1, 2, 3});
  }

  @AfterEach
  void close() {
    scope.close();
    lib.close();
  }

  private Tensor invoke(String op, Tensor t) {
    return Operators.find("javatest::invoke").callTensor(ns + "::" + op, t);
  }

  private void define(Kernel kernel) {
    lib.define("k(Tensor x) -> Tensor");
    lib.impl("k", "CPU", kernel);
  }

  @Test
  void closingItsLibraryInside_returnsItsResultAndIsTheLastCall() {
    define(
        args -> {
          lib.close();
          return args[0];
        });
    assertTrue(invoke("k", x).isSame(x));
    TenonException gone = assertThrows(TenonException.class, () -> Operators.find(ns + "::k"));
    assertEquals(ErrorCode.NOT_FOUND, gone.errorCode());
  }

  @Test
  void definingAnotherOperatorInside_returnsResultsOfTheOldSchema() {
    lib.define("two(Tensor x) -> (Tensor, Tensor)");
    define(
        args -> {
          lib.define("later(Tensor x) -> Tensor");
          return args[0];
        });
    lib.impl("two", "CPU", args -> new Object[] {args[0], Operators.find(ns + "::k").call(args)});
    Object[] both = (Object[]) Operators.find(ns + "::two").call(new Object[] {x});
    assertTrue(((Tensor) both[1]).isSame(x));
  }

  @Test
  void calledFromC_seesTheSameMemory() throws Throwable {
    long[] address = new long[1];
    define(
        args -> {
          Tensor t = (Tensor) args[0];
          address[0] = t.dataAddress();
          t.asByteBuffer().putFloat(0, 42);
          return t;
        });
    Tensor y = invoke("k", x);
    assertEquals(x.dataAddress(), address[0]);
    assertTrue(y.isSame(x));
    assertEquals(42, x.getDouble(0));
  }

  @Test
  void calledFromC_leavesNothing() throws Throwable {
    define(
        args -> {
          Tensor.of(new float[10]); // closed when the kernel returns
          return Tensor.of(((Tensor) args[0]).toFloatArray());
        });
    Support.leavesNothing(
        () -> {
          for (int i = 0; i < 100; i++) {
            invoke("k", x).close();
          }
        });
  }

  @Test
  void calledFromAThreadOfC_attachesAndDetaches() throws Throwable {
    Set<String> names = new HashSet<>();
    boolean[] daemon = new boolean[1];
    define(
        args -> {
          names.add(Thread.currentThread().getName());
          daemon[0] = Thread.currentThread().isDaemon();
          return Tensor.of(((Tensor) args[0]).toFloatArray());
        });
    Op op = Operators.find("javatest::invoke_on_thread");
    Support.leavesNothing(
        () -> {
          for (int i = 0; i < 20; i++) {
            try (Tensor y = op.callTensor(ns + "::k", x)) {
              assertTrue(y.dataEquals(x));
            }
          }
        });
    assertEquals(20, names.size());
    assertTrue(names.iterator().next().startsWith("tenon-native-"));
    assertTrue(daemon[0]);
    long left =
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.getName().startsWith("tenon-native-"))
            .count();
    assertEquals(0, left);
  }

  @Test
  void arguments_endWithTheCall_retainAndEscapeKeepThem() throws Throwable {
    Tensor[] kept = new Tensor[4];
    define(
        args -> {
          kept[0] = (Tensor) args[0];
          try (Scope inner = Scope.open()) {
            kept[1] = ((Tensor) args[0]).retain().escape();
            kept[2] = Tensor.of(new float[1]).escape();
            kept[3] = Tensor.of(new float[1]);
          }
          return args[0];
        });
    invoke("k", x);
    assertThrows(IllegalStateException.class, kept[0]::numel);
    assertTrue(kept[1].isSame(x));
    assertFalse(kept[2].isClosed());
    assertTrue(kept[3].isClosed());
    kept[1].close();
    kept[2].close();
  }

  /** The routes by which a kernel can be called; it must receive the same on all of them. */
  private Map<String, Executable> routes(Op op, Object... args) {
    Map<String, Executable> routes = new LinkedHashMap<>();
    Object[] named = new Object[args.length + 1];
    named[0] = op.name();
    System.arraycopy(args, 0, named, 1, args.length);
    String invoke = args.length == 1 ? "javatest::invoke" : "javatest::invoke_many";
    routes.put("C", () -> Operators.find(invoke).call(named));
    routes.put("Java", () -> op.call(args));
    routes.put("Java, boxed", () -> op.callBoxed(args));
    routes.put("C again", () -> Operators.find(invoke).call(named));
    routes.put(
        "profiled",
        () -> {
          try (Profile profile = Introspect.profile()) {
            op.call(args);
          }
        });
    routes.put("Java again", () -> op.call(args));
    return routes;
  }

  @Test
  void arguments_closedByTheKernel_leaveTheCallersOpen() throws Throwable {
    Op op = lib.define("k(Tensor x) -> Tensor");
    boolean[] closed = new boolean[1];
    lib.impl(
        "k",
        "CPU",
        args -> {
          ((Tensor) args[0]).close();
          closed[0] = ((Tensor) args[0]).isClosed();
          return Tensor.scalar(1);
        });
    for (Map.Entry<String, Executable> route : routes(op, x).entrySet()) {
      route.getValue().execute();
      assertTrue(closed[0], route.getKey());
      assertFalse(x.isClosed(), route.getKey());
      assertEquals(1, x.useCount(), route.getKey());
    }
  }

  @Test
  void arguments_keptWithoutAReference_areClosedAfterTheCall() throws Throwable {
    Op op = lib.define("k(Tensor x) -> Tensor");
    Tensor[] kept = new Tensor[2];
    lib.impl(
        "k",
        "CPU",
        args -> {
          kept[0] = (Tensor) args[0];
          kept[1] = ((Tensor) args[0]).retain().escape();
          return args[0];
        });
    for (Map.Entry<String, Executable> route : routes(op, x).entrySet()) {
      Support.leavesNothing(
          () -> {
            try (Scope inner = Scope.open()) {
              route.getValue().execute();
            }
            assertTrue(kept[0].isClosed(), route.getKey());
            assertTrue(kept[1].isSame(x), route.getKey());
            kept[1].close();
          });
    }
  }

  @Test
  void arguments_thatAreLists_areTheKernelsOwn() throws Throwable {
    Op op =
        lib.define("k(Tensor[] ts, int[] l, float[] f, bool[] b, Any a, Generator g) -> Tensor");
    Object[] seen = new Object[6];
    lib.impl(
        "k",
        DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
        args -> {
          System.arraycopy(args, 0, seen, 0, 6);
          Tensor[] tensors = (Tensor[]) args[0];
          tensors[0].close();
          tensors[1] = null;
          ((long[]) args[1])[0] = 99;
          ((double[]) args[2])[0] = 99;
          ((boolean[]) args[3])[0] = true;
          ((Generator) args[5]).close();
          return Tensor.scalar(1);
        });
    Tensor[] tensors = {x, x};
    long[] longs = {1, 2};
    double[] doubles = {1};
    boolean[] booleans = {false};
    Object[] list = {1, 2f, List.of((short) 3), new int[] {4}};
    Generator generator = Generator.onCpu(7);
    Object[] all = {tensors, longs, doubles, booleans, Arrays.asList(list), generator};
    for (Map.Entry<String, Executable> route : routes(op, all).entrySet()) {
      route.getValue().execute();
      String name = route.getKey();
      assertFalse(x.isClosed(), name);
      assertSame(x, tensors[1], name);
      assertEquals(1, longs[0], name);
      assertEquals(1, doubles[0], name);
      assertFalse(booleans[0], name);
      assertFalse(generator.isClosed(), name);
      List<?> any = (List<?>) seen[4];
      assertEquals(Arrays.asList(1L, 2.0, List.of(3L)), any.subList(0, 3), name);
      assertArrayEquals(new long[] {4}, (long[]) any.get(3), name);
      assertThrows(UnsupportedOperationException.class, () -> any.remove(0), name);
    }
  }

  @Test
  void results_areTheCallersOwn() throws Throwable {
    Op op = lib.define("k(Tensor x) -> (int[], Any)");
    long[] kept = {1, 2};
    List<Object> keptList = new ArrayList<>(List.of(1, 2f));
    lib.impl("k", "CPU", args -> new Object[] {kept, keptList});
    for (boolean profiled : new boolean[] {true, false, true, false}) {
      Object[] results;
      try (Profile profile = profiled ? Introspect.profile() : null) {
        results = op.callAll(x);
      }
      ((long[]) results[0])[0] = 99;
      assertEquals(1, kept[0]);
      assertEquals(List.of(1L, 2.0), results[1]);
    }
  }

  @Test
  void nullTensorOfATypedKernel_isATypeErrorThatNamesOperatorAndResult() {
    Op typed = Operators.find("javatest::null_typed");
    Op boxed = Operators.find("javatest::null_boxed");
    Op withDefault = Operators.find("javatest::null_default");
    for (Op op : List.of(typed, boxed, withDefault)) {
      Support.fails(
          ErrorCode.TYPE, () -> op.call(x), op.name(), "result 0", "must be Tensor", "got NULL");
      Support.fails(ErrorCode.TYPE, () -> op.call((Object) x), op.name(), "must be Tensor");
      Support.fails(ErrorCode.TYPE, () -> op.callTensor(x), op.name(), "must be Tensor");
    }
  }

  @Test
  void absentTensorOfATypedKernel_isNull() {
    for (String name : List.of("javatest::maybe_boxed", "javatest::maybe_typed")) {
      Op op = Operators.find(name);
      Tensor empty = Tensor.empty(DType.FLOAT32, 0);
      assertNull(op.call(empty), name);
      assertNull(op.callTensor(empty), name);
      assertNull(op.call((Object) empty), name);
      assertTrue(op.callTensor(x).isSame(x), name);
    }
  }

  @Test
  void arguments_escape_takesAReference() throws Throwable {
    Tensor[] kept = new Tensor[1];
    define(
        args -> {
          kept[0] = ((Tensor) args[0]).escape();
          return args[0];
        });
    Support.leavesNothing(
        () -> {
          try (Tensor y = invoke("k", x)) {
            assertEquals(3, x.useCount());
          }
          kept[0].close();
          assertEquals(1, x.useCount());
        });
  }

  @Test
  void everyType_passesThroughC() {
    Op echo = Operators.find("javatest::echo");
    Op pass = Operators.find("javatest::invoke_any");
    lib.define("any(Any x) -> Any");
    Object[] seen = new Object[1];
    lib.impl(
        "any",
        DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
        args -> {
          seen[0] = args[0];
          return args[0];
        });
    Object mine = new Object();
    Map<String, Long> map = new LinkedHashMap<>();
    map.put("a", 1L);
    map.put("b", 2L);
    List<Object> values =
        Arrays.asList(
            null,
            3L,
            2.5,
            true,
            "text é 🍰",
            new Complex(1, -2),
            DType.BFLOAT16,
            Layout.STRIDED,
            MemoryFormat.CHANNELS_LAST,
            Device.of("cuda:1"),
            new Stream(7, Device.of("cuda:0")),
            List.of(1L, "a", 2.5),
            Arrays.asList(null, List.of(true)),
            map,
            mine);
    for (Object value : values) {
      assertEquals(value, echo.call(value));
      assertEquals(value, pass.call(ns + "::any", value));
      assertEquals(value, seen[0]);
    }
    assertSame(mine, seen[0]);
    assertArrayEquals(new long[] {1, 2}, (long[]) echo.call((Object) new long[] {1, 2}));
    assertArrayEquals(new double[] {1, 2}, (double[]) echo.call((Object) new double[] {1, 2}));
    assertArrayEquals(
        new boolean[] {true, false}, (boolean[]) echo.call((Object) new boolean[] {true, false}));
    assertArrayEquals(
        new Object[] {1L, "a"}, (Object[]) echo.call((Object) new Object[] {1L, "a"}));
    Tensor[] tensors = (Tensor[]) pass.call(ns + "::any", new Tensor[] {x, null});
    assertTrue(tensors[0].isSame(x));
    assertNull(tensors[1]);
    assertTrue(((Tensor) echo.call((Object) x)).isSame(x));
    try (Storage storage = (Storage) echo.call(x.storage())) {
      assertTrue(storage.isSame(x.storage()));
    }
  }

  @Test
  void everyType_leavesNothing() throws Throwable {
    Op echo = Operators.find("javatest::echo");
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            echo.call(new Object());
            echo.call(List.of(new Object(), x, "text"));
            echo.call(Map.of("k", List.of(new Object())));
            echo.call((Object) new Tensor[] {x, x});
            echo.call("text");
          }
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full", new IllegalStateException("inner"));
    define(
        args -> {
          throw thrown;
        });
    Support.leavesNothing(
        () -> {
          Op direct = Operators.find(ns + "::k");
          assertSame(thrown, assertThrows(IOException.class, () -> direct.call(x)));
          assertSame(thrown, assertThrows(IOException.class, () -> invoke("k", x)));
          Op onThread = Operators.find("javatest::invoke_on_thread");
          assertSame(
              thrown, assertThrows(IOException.class, () -> onThread.callTensor(ns + "::k", x)));
        });
    assertEquals(0, thrown.getSuppressed().length);
  }

  @Test
  void thrown_throughManyLayers_staysItself() throws Throwable {
    RuntimeException thrown = new RuntimeException("deep");
    lib.define("k(Tensor x) -> Tensor");
    lib.impl(
        "k",
        "CPU",
        args -> {
          throw thrown;
        });
    String inner = ns + "::k";
    for (int i = 0; i < 5; i++) {
      String name = "k" + i;
      String below = inner;
      lib.define(name + "(Tensor x) -> Tensor");
      lib.impl(name, "CPU", args -> Operators.find("javatest::invoke").callTensor(below, args[0]));
      inner = ns + "::" + name;
    }
    Support.leavesNothing(
        () -> assertSame(thrown, assertThrows(RuntimeException.class, () -> invoke("k4", x))));
  }

  @Test
  void error_ofC_comesThroughJavaAsItIs() throws Throwable {
    define(args -> Operators.find("javatest::fail").call());
    TenonException direct =
        Support.fails(ErrorCode.INDEX, () -> Operators.find("javatest::fail").call());
    assertEquals("IndexError", direct.kind());
    Support.contains(direct.getMessage(), "é and 🍰", "a note");
    assertEquals(List.of("a note"), direct.notes());
    assertEquals(new ErrorFrame("C", "fail", "javatest.c", 77), direct.frames().get(0));
    assertEquals("fail", direct.getStackTrace()[0].getMethodName());
    TenonException cause = (TenonException) direct.getCause();
    assertEquals(ErrorCode.SYSTEM, cause.errorCode());
    assertEquals("the cause", cause.getMessage());
    Support.fails(ErrorCode.INDEX, () -> invoke("k", x), "🍰");
  }

  @Test
  void error_withForeignPayload_keepsIt() throws Throwable {
    Op failing = Operators.find("javatest::fail_foreign");
    TenonException[] inside = new TenonException[1];
    lib.define("through(Any x) -> Any");
    lib.impl(
        "through",
        DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
        args -> {
          try {
            return failing.call(args[0]);
          } catch (TenonException e) {
            inside[0] = e;
            throw e;
          }
        });
    Op keeps = Operators.find("javatest::keeps_payload");
    Support.leavesNothingAfterCollection(
        () -> {
          assertEquals(1L, keeps.call(ns + "::through", 1L));
          TenonException outside =
              Support.fails(
                  ErrorCode.FOREIGN,
                  () -> Operators.find("javatest::invoke_any").call(ns + "::through", 1L),
                  "division by zero");
          assertEquals("ZeroDivisionError", outside.kind());
          assertSame(inside[0], outside);
          inside[0] = null;
        });
  }

  @Test
  void thrown_showsKindMessageCauseAndSourceInC() throws Throwable {
    define(
        args -> {
          throw new IllegalStateException("no luck", new IOException("disk full"));
        });
    lib.define("outer(Tensor x) -> Tensor");
    lib.impl("outer", "CPU", args -> invoke("k", (Tensor) args[0]));
    Support.leavesNothing(
        () -> {
          Op errorText = Operators.find("javatest::error_text");
          String text = (String) errorText.call(ns + "::k", x);
          Support.contains(
              text,
              "IllegalStateException",
              "no luck",
              "IOException",
              "disk full",
              "KernelTest.java",
              "thrown_showsKindMessageCauseAndSourceInC");
          assertFalse(text.contains("Bridge"), text);
          // Through two kernels: the frames of both, up to the outer one's entry.
          String outer = (String) errorText.call(ns + "::outer", x);
          Support.contains(outer, "no luck", "KernelTest.invoke");
          assertFalse(outer.contains("leavesNothing"), outer);
        });
  }

  @Test
  void stackOverflow_isAnErrorNotACrash() {
    define(args -> recurse(0));
    assertThrows(StackOverflowError.class, () -> invoke("k", x));
    assertThrows(StackOverflowError.class, () -> Operators.find(ns + "::k").call(x));
    assertEquals(1, x.useCount());
  }

  @Test
  void kernelsInsideKernels_deeperThanAThreadKeepsFramesFor_allRun() {
    Op[] self = new Op[1];
    int[] left = {200};
    int[] deepest = {0};
    define(
        args -> {
          deepest[0]++;
          return --left[0] > 0 ? self[0].call((Tensor) args[0]) : args[0];
        });
    self[0] = Operators.find(ns + "::k");
    for (int i = 1; i <= 3; i++) { // the first call enters through C, later ones do not
      left[0] = 200;
      assertTrue(self[0].callTensor(x).isSame(x));
      assertEquals(200 * i, deepest[0]);
    }
    // All frames have been left, so the library can be drained.
    lib.drain(Duration.ofSeconds(10));
  }

  @Test
  void kernelsOfJavaAndC_thatTakeTurns_areEachFound() {
    Op neg = Operators.find("aten::neg");
    for (int turn = 0; turn < 2; turn++) {
      try (Library over = Library.open("aten", Library.Kind.IMPL)) {
        over.impl("neg", "CPU", args -> ((Tensor) args[0]).mul(10.0));
        for (int i = 0; i < 3; i++) {
          assertArrayEquals(new float[] {10, 20, 30}, neg.callTensor(x).toFloatArray());
        }
      }
      for (int i = 0; i < 3; i++) {
        assertArrayEquals(new float[] {-1, -2, -3}, neg.callTensor(x).toFloatArray());
      }
    }
  }

  @Test
  void recursionThroughC_isAnErrorNotACrash() throws Throwable {
    define(args -> invoke("k", (Tensor) args[0]));
    Support.leavesNothing(
        () -> {
          Throwable thrown = assertThrows(Throwable.class, () -> invoke("k", x));
          assertTrue(
              thrown instanceof StackOverflowError || thrown instanceof TenonException,
              thrown.toString());
          assertEquals(1, x.useCount());
        });
  }

  @Test
  void recursionThroughC_onStacksOfEverySize_isAnError() throws Throwable {
    define(args -> invoke("k", (Tensor) args[0]));
    for (long kib : new long[] {160, 512, 1024, 64 << 10}) {
      Throwable[] thrown = new Throwable[1];
      Thread thread =
          new Thread(
              null,
              () -> thrown[0] = assertThrows(Throwable.class, () -> invoke("k", x)),
              "deep",
              kib << 10);
      thread.start();
      thread.join();
      assertTrue(
          thrown[0] instanceof StackOverflowError
              || thrown[0] instanceof TenonException e && e.errorCode() == ErrorCode.RECURSION,
          kib + " KiB: " + thrown[0]);
      assertEquals(1, x.useCount());
    }
  }

  @Test
  void calledFromC_entersByTheStubWhereOneIsMade() {
    assumeTrue(Integer.getInteger("tenon.linkAfter", -1) == 0);
    boolean[] byStub = new boolean[1];
    define(
        args -> {
          byStub[0] = Support.enteredByStub();
          return args[0];
        });
    invoke("k", x); // a thread's first call uses JNI
    invoke("k", x);
    assertEquals(Runtime.version().feature() >= 22, byStub[0]);
  }

  private static Object recurse(int depth) {
    return depth < 0 ? null : List.of(recurse(depth + 1));
  }

  @Test
  void results_areChecked() {
    lib.define("n(Tensor x) -> int");
    lib.define("two(Tensor x) -> (Tensor, int)");
    lib.define("t(Tensor x) -> Tensor");
    lib.impl("n", "CPU", args -> "text");
    lib.impl("two", "CPU", args -> args[0]);
    lib.impl("t", "CPU", args -> null);
    for (boolean throughC : new boolean[] {false, true}) {
      Support.fails(ErrorCode.TYPE, () -> call(throughC, "n"), ns + "::n", "result", "int", "str");
      Support.fails(ErrorCode.TYPE, () -> call(throughC, "t"), ns + "::t", "Tensor", "None");
    }
    Support.fails(ErrorCode.TYPE, () -> call(false, "two"), ns + "::two", "2 values");
    Tensor closed = Tensor.of(new float[1]);
    closed.close();
    lib.impl("t", "CPU", args -> closed);
    assertThrows(IllegalStateException.class, () -> call(true, "t"));
    assertThrows(IllegalStateException.class, () -> call(false, "t"));
  }

  private Object call(boolean throughC, String op) {
    return throughC ? invoke(op, x) : Operators.find(ns + "::" + op).callAll(x);
  }

  @Test
  void guardLeftOpen_isRestoredAndReported() {
    DispatchKeySet before = DispatchKeySet.excluded();
    define(
        args -> {
          KeyGuard.exclude(DispatchKey.BATCHED);
          return args[0];
        });
    assertThrows(IllegalStateException.class, () -> Operators.find(ns + "::k").call(x));
    assertEquals(before, DispatchKeySet.excluded());
    assertThrows(IllegalStateException.class, () -> invoke("k", x));
    assertEquals(before, DispatchKeySet.excluded());
  }

  @Test
  void keyed_seesItsKeySet() {
    DispatchKeySet[] keys = new DispatchKeySet[2];
    lib.define("k(Tensor x) -> Tensor");
    lib.impl(
        "k",
        DispatchKey.CPU,
        (set, args) -> {
          keys[keys[0] == null ? 0 : 1] = set;
          return args[0];
        });
    invoke("k", x);
    Operators.find(ns + "::k").call(x);
    assertEquals(DispatchKey.CPU, keys[0].highest());
    assertEquals(keys[0], keys[1]);
  }

  @Test
  void heldByC_releasedOnItsThread_freesTheBuffer() throws Throwable {
    Support.leavesNothing(
        () -> {
          long before = Introspect.referencedObjects();
          ByteBuffer buffer = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
          try (Tensor wrapped = Tensor.wrap(buffer, DType.FLOAT32)) {
            Operators.find("javatest::hold").call((Object) wrapped);
          }
          assertEquals(before + 1, Introspect.referencedObjects());
          Operators.find("javatest::release").call();
        });
  }

  @Test
  void callsBackIntoC_nested() {
    lib.define("down(Tensor x, int n) -> Tensor");
    lib.impl(
        "down",
        "CPU",
        args -> {
          long n = (long) args[1];
          Tensor t = (Tensor) args[0];
          return n == 0 ? t : Operators.find(ns + "::down").callTensor(invoke("up", t), n - 1);
        });
    lib.define("up(Tensor x) -> Tensor");
    lib.impl("up", "CPU", args -> Tensor.scalar(((Tensor) args[0]).getDouble() + 1));
    assertEquals(50, Operators.find(ns + "::down").callTensor(Tensor.scalar(0.0), 50).getDouble());
  }
}
