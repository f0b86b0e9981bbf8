// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpTest {
  private Scope scope;
  private Library lib;
  private Tensor x;
  private Object[] seen;

  @BeforeEach
  void open() {
    scope = Scope.open();
    lib = Support.library();
    x = Tensor.of(new float[] {1, 2, 3});
  }

  @AfterEach
  void close() {
    lib.close();
    scope.close();
  }

  /** Defines an operator whose kernel notes its arguments and returns the first result of them. */
  private Op note(String schema) {
    Op op = lib.define(schema);
    lib.impl(
        schema.substring(0, schema.indexOf('(')),
        DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
        args -> {
          seen = args.clone();
          return args.length == 0 ? null : args[0];
        });
    return op;
  }

  @Test
  void find_tellsUnknownThingsApart() {
    Op op = note("f.a(Tensor x) -> Tensor");
    String ns = lib.namespace();
    assertEquals(op, Operators.find(ns + "::f.a"));
    assertTrue(Operators.exists(ns + "::f.a"));
    assertFalse(Operators.exists(ns + "::f.b"));
    Support.fails(ErrorCode.NOT_FOUND, () -> Operators.find(ns + "::g"), ns + "::g");
    Support.fails(ErrorCode.NOT_FOUND, () -> Operators.find(ns + "::f.b"), "f", "b", "a");
    Support.fails(ErrorCode.NOT_FOUND, () -> Operators.find("nowhere::f"), "nowhere::f");
    assertThrows(TenonException.class, () -> Operators.find("no colons"));
  }

  @Test
  void call_fillsDefaultsInSchemaOrder() {
    Op op =
        note(
            "f(Tensor x, int n=3, float f=1.5, bool b=True, str s=\"hi\", int[] l=[1, 2], "
                + "*, Tensor? t=None, Scalar a=2, float[]? fs=None, ScalarType? d=None, "
                + "Device? dev=None) -> Tensor");
    op.callTensor(x);
    assertTrue(((Tensor) seen[0]).isClosed()); // a view, which ended with the call
    assertEquals(Arrays.asList(3L, 1.5, true, "hi"), Arrays.asList(seen).subList(1, 5));
    assertArrayEquals(new long[] {1, 2}, (long[]) seen[5]);
    assertEquals(Arrays.asList(null, 2L, null, null, null), Arrays.asList(seen).subList(6, 11));
  }

  @Test
  void call_convertsWithoutLoss() {
    Op op =
        note(
            "f(Tensor x, int n, float f, Scalar a, int[] l, float[] fs, bool[] bs, Tensor[] ts, "
                + "Tensor?[] os, int[2] p, Device d, ScalarType t, str[] names, complex c, "
                + "MemoryFormat m, float? e) -> Tensor");
    op.callTensor(
        x,
        3,
        2,
        (short) 4,
        List.of(1, 2L),
        new float[] {1.5f},
        List.of(true),
        List.of(x, x),
        Arrays.asList(x, null),
        7,
        "cpu",
        DType.INT8,
        List.of("a", "b"),
        2.0,
        MemoryFormat.CONTIGUOUS,
        Optional.of(2.5f));
    assertEquals(Arrays.asList(3L, 2.0, 4L), Arrays.asList(seen).subList(1, 4));
    assertArrayEquals(new long[] {1, 2}, (long[]) seen[4]);
    assertArrayEquals(new double[] {1.5}, (double[]) seen[5]);
    assertArrayEquals(new boolean[] {true}, (boolean[]) seen[6]);
    assertEquals(2, ((Tensor[]) seen[7]).length);
    assertNull(((Tensor[]) seen[8])[1]);
    assertArrayEquals(new long[] {7, 7}, (long[]) seen[9]);
    assertEquals(
        Arrays.asList(
            Device.CPU,
            DType.INT8,
            List.of("a", "b"),
            new Complex(2, 0),
            MemoryFormat.CONTIGUOUS,
            2.5),
        Arrays.asList(seen).subList(10, 16));
  }

  @Test
  void call_wrongTypes_nameOperatorAndArgument() {
    Op op = note("f(Tensor x, int n=1, int[] l=[], *, str s=\"\", Tensor[] ts=[]) -> Tensor");
    String name = lib.namespace() + "::f";
    Support.fails(ErrorCode.TYPE, () -> op.call(x, 1.5), name, "n must be int, got float");
    Support.fails(ErrorCode.TYPE, () -> op.call(x, "1"), name, "n must be int, got str");
    Support.fails(ErrorCode.TYPE, () -> op.call(x, (Object) null), name, "n must be", "None");
    Support.fails(ErrorCode.TYPE, () -> op.call(3), name, "x must be Tensor, got int");
    Support.fails(ErrorCode.TYPE, () -> op.call((Object) null), name, "x must be Tensor", "None");
    Support.fails(
        ErrorCode.TYPE, () -> op.call(x, 1, List.of(1, "2")), name, "l must be int[]", "str");
    Support.fails(ErrorCode.TYPE, () -> op.with("s", 1).call(x), name, "s must be str, got int");
    Support.fails(
        ErrorCode.TYPE, () -> op.with("ts", Arrays.asList(x, null)).call(x), name, "ts must be");
    Support.fails(ErrorCode.TYPE, () -> op.call(new Object()), name, "x must be Tensor");
  }

  @Test
  void call_wrongCounts_nameOperatorAndArgument() {
    Op op = note("f(Tensor x, Tensor y, int n=1, *, str s=\"\", int k) -> Tensor");
    String name = lib.namespace() + "::f";
    Support.fails(ErrorCode.TYPE, () -> op.call(x), name, "y must be given, got nothing");
    Support.fails(ErrorCode.TYPE, () -> op.call(x, x), name, "k must be given, got nothing");
    Support.fails(ErrorCode.TYPE, () -> op.call(x, x, 1, "s"), name, "s must be given by name");
    Support.fails(ErrorCode.TYPE, () -> op.call(x, x, 1, "s", 2, 3), name, "at most 3, got 6");
    Support.fails(ErrorCode.TYPE, () -> op.with("z", 1).call(x, x), name, "got 'z'");
    Support.fails(ErrorCode.TYPE, () -> op.with("k", 1).with("z", 1).call(x, x), name, "'z'", "k");
    Support.fails(ErrorCode.TYPE, () -> op.with("x", x).call(x, x), name, "x must be given once");
    Support.fails(ErrorCode.TYPE, () -> op.callBoxed(new Object[] {x}), name, "5", "got 1");
  }

  @Test
  void call_closedTensor_namesOperatorAndArgument() {
    Op one = note("f(Tensor x) -> Tensor");
    Op many = note("g(Tensor x, Tensor[] ts=[]) -> Tensor");
    Tensor closed = Tensor.of(new float[1]);
    closed.close();
    String message = assertThrows(IllegalStateException.class, () -> one.call(closed)).getMessage();
    Support.contains(message, lib.namespace() + "::f", "x must be", "closed");
    message =
        assertThrows(IllegalStateException.class, () -> many.call(x, List.of(x, closed)))
            .getMessage();
    Support.contains(message, lib.namespace() + "::g", "ts must be", "closed");
  }

  @Test
  void callNamed_andWith() {
    Op op = note("f(Tensor x, int n=1, *, int k=2) -> Tensor");
    op.callNamed(Map.of("k", 5, "x", x));
    assertEquals(Arrays.asList(1L, 5L), Arrays.asList(seen).subList(1, 3));
    op.with("n", 7).callTensor(x);
    assertEquals(Arrays.asList(7L, 2L), Arrays.asList(seen).subList(1, 3));
  }

  @Test
  void call_tensorArrayIsOneArgument() {
    Op op = lib.define("f(Tensor[] ts) -> int");
    lib.impl("f", "CPU", args -> ((Tensor[]) args[0]).length);
    Object[] array = new Tensor[] {x, x, x};
    assertEquals(3L, op.call(array));
  }

  @Test
  void call_resultsByCount() {
    Op none = lib.define("none(Tensor x) -> ()");
    Op two = lib.define("two(Tensor x) -> (int, Tensor)");
    lib.impl("none", "CPU", args -> null);
    lib.impl("two", "CPU", args -> new Object[] {5, args[0]});
    assertNull(none.call((Object) x));
    assertNull(none.call(x));
    assertEquals(0, none.callAll(x).length);
    Object[] results = (Object[]) two.call((Object) x);
    assertEquals(5L, results[0]);
    assertTrue(x.isSame((Tensor) results[1]));
    results = (Object[]) two.call(x); // the overload for tensors returns the same
    assertEquals(5L, results[0]);
    Support.fails(ErrorCode.TYPE, () -> two.callTensor(x), "one Tensor");
  }

  @Test
  void call_withTensors_returnsWhateverTheOperatorReturns() {
    Op number = lib.define("number(Tensor x) -> int");
    Op text = lib.define("text(Tensor x, Tensor y) -> str");
    Op three = lib.define("three(Tensor x, Tensor y, Tensor z, float f=2) -> float");
    Op four = lib.define("four(Tensor a, Tensor b, Tensor c, Tensor d) -> int[]");
    lib.impl("number", "CPU", args -> 7);
    lib.impl("text", "CPU", args -> "seven");
    lib.impl("three", "CPU", args -> args[3]);
    lib.impl("four", "CPU", args -> new long[] {1, 2});
    assertEquals(7L, number.call(x));
    assertEquals("seven", text.call(x, x));
    assertEquals(2.0, three.call(x, x, x));
    assertArrayEquals(new long[] {1, 2}, (long[]) four.call(x, x, x, x));
  }

  @Test
  void call_textsThatAreNoUnicode_areRefused() {
    Op op = note("f(str s, str? o=None, str[]? l=None, Any a=None) -> str");
    String name = lib.namespace() + "::f";
    String lone = "a\uD83C";
    assertEquals("a\uD83C\uDF70", op.call("a\uD83C\uDF70"));
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    Support.fails(code, () -> op.call(lone), name + ": s must be", "lone surrogate");
    Support.fails(code, () -> op.call("\uDF70\uD83C"), name + ": s must be", "lone surrogate");
    Support.fails(code, () -> op.call("a", lone), name + ": o must be", "lone surrogate");
    String[] wants = {": l must be", ": a must be"};
    Support.fails(code, () -> op.call("a", null, List.of(lone)), name + wants[0], "surrogate");
    Support.fails(code, () -> op.call("a", null, List.of(), lone), name + wants[1], "surrogate");
    lib.impl("f", DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD, args -> lone);
    Support.fails(ErrorCode.TYPE, () -> op.call("a"), name, "result 0", "lone surrogate");
    assertThrows(IllegalArgumentException.class, () -> Operators.find(lone));
  }

  @Test
  void device_ofNoBackend_isRefused() {
    Op op = note("f(Any a, Device? d=None) -> Device");
    String name = lib.namespace() + "::f";
    Device none = new Device(20, 0);
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    Support.fails(code, () -> op.call(1, none), name + ": d must be", "unknown type 20");
    Support.fails(code, () -> op.call(1, new Device(-1, -1)), name + ": d must be", "type -1");
    Support.fails(code, () -> op.call(none), name + ": a must be", "unknown type 20");
    lib.impl("f", DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD, args -> none);
    Support.fails(ErrorCode.TYPE, () -> op.call(1), name, "result 0", "unknown type 20");
  }

  @Test
  void call_optionalResult_mayBeAbsent() {
    Op op = lib.define("f(Tensor x, bool b) -> Tensor?");
    lib.impl("f", "CPU", args -> (boolean) args[1] ? args[0] : null);
    assertNull(op.call(x, false));
    assertTrue(x.isSame((Tensor) op.call(x, true)));
    Op one = lib.define("g(Tensor x) -> Tensor?");
    lib.impl("g", "CPU", args -> null);
    assertNull(one.call((Object) x));
  }

  @Test
  void call_returnedArgument_isAReferenceOfItsOwn() {
    Op op = note("f(Tensor x) -> Tensor");
    Tensor y = op.callTensor(x);
    assertNotSame(x, y);
    assertTrue(x.isSame(y));
    y.close();
    assertFalse(x.isClosed());
  }

  @Test
  void call_oneToFourTensors() throws Throwable {
    for (int n = 1; n <= 4; n++) {
      String args =
          String.join(
              ", ", Arrays.asList("Tensor a", "Tensor b", "Tensor c", "Tensor d").subList(0, n));
      lib.define("f" + n + "(" + args + ") -> Tensor");
      lib.impl(
          "f" + n,
          "CPU",
          a -> {
            double sum = 0;
            for (Object t : a) {
              sum += ((Tensor) t).getDouble(0);
            }
            return Tensor.scalar(sum);
          });
    }
    String ns = lib.namespace();
    Tensor t = Tensor.of(new double[] {2});
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            assertEquals(2, Operators.find(ns + "::f1").callTensor(t).getDouble());
            assertEquals(4, Operators.find(ns + "::f2").callTensor(t, t).getDouble());
            assertEquals(6, Operators.find(ns + "::f3").callTensor(t, t, t).getDouble());
            assertEquals(8, Operators.find(ns + "::f4").callTensor(t, t, t, t).getDouble());
          }
        });
  }

  @Test
  void call_noKernel_namesKeyAndOperator() {
    Op op = lib.define("f(Tensor x) -> Tensor");
    lib.impl("f", "CUDA", args -> args[0]);
    Support.fails(ErrorCode.NO_KERNEL, () -> op.call(x), lib.namespace() + "::f", "CPU");
    Support.fails(ErrorCode.NO_KERNEL, () -> op.callKey(DispatchKey.AUTOGRAD_CPU, x));
    assertTrue(x.isSame((Tensor) op.callKey(DispatchKey.CUDA, x)));
  }

  @Test
  void redefined_usesTheNewSchema() {
    Op op = note("f(Tensor x, int n=1) -> Tensor");
    op.callTensor(x);
    assertEquals(1L, seen[1]);
    String ns = lib.namespace();
    lib.close();
    Support.fails(ErrorCode.NOT_FOUND, () -> op.call((Object) x), ns + "::f");
    Support.fails(ErrorCode.NOT_FOUND, op::schema, ns + "::f");
    lib = Library.open(ns, Library.Kind.DEF);
    note("f(Tensor x, int n=2, int k=3) -> Tensor");
    op.callTensor(x);
    assertEquals(Arrays.asList(2L, 3L), Arrays.asList(seen).subList(1, 3));
  }

  @Test
  void computeKeys_andRedispatch() {
    Op op = lib.define("f(Tensor x) -> Tensor");
    lib.impl("f", "CPU", args -> Tensor.scalar(1.0));
    lib.impl(
        "f",
        "AutogradCPU",
        (keys, args) -> {
          assertEquals(DispatchKey.AUTOGRAD_CPU, keys.highest());
          Tensor below = (Tensor) op.redispatch(keys.below(DispatchKey.AUTOGRAD_CPU), args);
          return Tensor.scalar(below.getDouble() + 10);
        });
    // A kernel on an Autograd key is called whether or not an argument is tracked.
    assertTrue(op.computeKeys(x).has(DispatchKey.AUTOGRAD_CPU));
    assertEquals(11, op.callTensor(x).getDouble());
    try (KeyGuard guard = KeyGuard.exclude(DispatchKey.AUTOGRAD_CPU)) {
      assertFalse(op.computeKeys(x).has(DispatchKey.AUTOGRAD_CPU));
      assertEquals(1, op.callTensor(x).getDouble());
    }
    Support.fails(
        ErrorCode.TYPE, () -> op.redispatch(DispatchKeySet.of(DispatchKey.CPU)), "f", "1", "got 0");
  }

  @Test
  void varargs_takeAnyNumber() {
    Op op = lib.define("f(...) -> int");
    lib.impl("f", DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD, args -> args.length);
    assertEquals(0L, op.call());
    assertEquals(3L, op.call(x, 1L, "a"));
  }

  @Test
  void longListsAndTexts_fit() {
    Op op = lib.define("f(int[] l, str s) -> (int, int)");
    lib.impl(
        "f",
        DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
        args -> new Object[] {((long[]) args[0]).length, ((String) args[1]).length()});
    Object[] r = op.callAll(new long[100_000], "é".repeat(50_000));
    assertArrayEquals(new Object[] {100_000L, 50_000L}, r);
  }

  @Test
  void numbersAsTheyAre_arriveAsTheSchemaSays() throws Throwable {
    Support.plugin();
    Tensor.scalar(1L).item(); // kernels loaded
    Object[][] cases = {
      {"int", 2L, 3L}, {"float", 2.0, 3.0}, {"scalar", 2L, 3L}, {"optional", 2L, 3L},
    };
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            for (Object[] one : cases) {
              Op op = Operators.find("javatest::number." + one[0]);
              assertEquals(one[1], op.callTensor(x, 2).item(), op.name());
              assertEquals(one[1], op.callTensor(new Object[] {x, 2}).item(), op.name());
              assertEquals(one[2], op.callTensor(x).item(), op.name());
            }
            Op two = Operators.find("javatest::number.two");
            assertEquals(9L, two.callTensor(x, 1, 9).item());
            assertEquals(3L, two.callTensor(x, 1).item());
            assertEquals(2.5, Operators.find("javatest::number.float").callTensor(x, 2.5).item());
            assertEquals(2.5, Operators.find("javatest::number.scalar").callTensor(x, 2.5).item());
          }
        });
  }

  @Test
  void numbersAsTheyAre_areCheckedAsAllOthers() {
    Support.plugin();
    Op number = Operators.find("javatest::number.int");
    Support.fails(ErrorCode.TYPE, () -> number.callTensor(x, 2.5), "n must be int, got float");
    Support.fails(ErrorCode.TYPE, () -> number.callTensor(x, 1, 2), "at most 2, got 3");
    Support.fails(ErrorCode.TYPE, () -> number.callTensor(x, x), "n must be int, got Tensor");
    Support.fails(ErrorCode.TYPE, () -> number.callTensor((Tensor) null, 1), "x must be Tensor");
    Op first = Operators.find("javatest::first");
    Support.fails(ErrorCode.TYPE, () -> first.callTensor(x, 1), "positional", "1", "2");
    Tensor closed = Tensor.of(new float[1]);
    closed.close();
    assertThrows(IllegalStateException.class, () -> number.callTensor(closed, 1));
    Support.fails(
        ErrorCode.TYPE, () -> Operators.find("javatest::echo").callTensor(x, 1), "positional");
  }

  @Test
  void numbersAsTheyAre_reachJavaKernelsToo() {
    Op op = note("f(Tensor x, int n, float y=1.5) -> Tensor");
    assertTrue(op.callTensor(x, 2).isSame(x));
    assertEquals(Arrays.asList(2L, 1.5), Arrays.asList(seen).subList(1, 3));
  }

  @Test
  void explicitKeys_tensorsWithoutMemory_areRefused() {
    try (Scope scope = Scope.open();
        FakeMode mode = FakeMode.create()) {
      Op add = Tenon.op("aten::add.Tensor");
      Tensor real = Tensor.of(new float[] {1, 2});
      Tensor meta = Tensor.empty(DType.FLOAT32, Device.META, 2);
      for (Tensor bad : new Tensor[] {meta, mode.from(real)}) {
        Support.fails(
            ErrorCode.INVALID_ARGUMENT,
            () -> add.callKey(DispatchKey.CPU, real, bad),
            "aten::add.Tensor: other must be",
            "CPU can read");
        Support.fails(
            ErrorCode.INVALID_ARGUMENT,
            () -> add.redispatch(real.keys(), bad, bad, 1),
            "aten::add.Tensor: self must be");
        Support.fails(
            ErrorCode.INVALID_ARGUMENT,
            () -> Tenon.op("aten::nonzero").callKey(DispatchKey.CPU, bad),
            "aten::nonzero: self must be");
      }
      assertEquals(4, ((Tensor) add.redispatch(real.keys(), real, real, 1)).sum().getDouble() - 2);
    }
  }
}
