// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Symbolic sizes: numbers, guards with locations, tensors, kernels, data-dependent sizes. */
class SymIntTest {
  private static TenonException refused(ErrorCode code, Runnable task) {
    TenonException e = assertThrows(TenonException.class, task::run);
    assertEquals(code.number(), e.code());
    return e;
  }

  @Test
  void arithmeticStaysSymbolic() {
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt a = env.newSize(4);
      SymInt b = env.newSize(5);
      assertEquals("s0*s1 + 1", a.times(b).plus(1).toString());
      assertEquals("-s0 + 3", SymInt.of(3).minus(a).toString());
      assertEquals("s0 // 3", a.floorDiv(3).toString());
      assertEquals("s0 % 3", a.mod(3).toString());
      assertEquals("-s0", a.negate().toString());
      assertEquals("max(s0, s1)", a.max(b).toString());
      assertEquals("s0 / 2", a.trueDiv(SymInt.of(2)).toString());
      assertEquals(2.0, a.sqrt().hint().getAsDouble());
      assertEquals("(s0 < s1) or (not (s0 == 2))", a.lt(b).or(a.eq(2).not()).toString());
      assertEquals(OptionalLong.of(8), a.times(2).hint());
      assertTrue(env.guards().isEmpty());
    }
  }

  @Test
  void aNumberIsOne() {
    assertEquals(OptionalLong.of(13), SymInt.of(7).times(2).minus(1).asLong());
    assertEquals(SymInt.of(-4), SymInt.of(-7).floorDiv(2));
    assertEquals(SymInt.of(1), SymInt.of(-7).mod(2));
    assertEquals(7, SymInt.of(7).guard());
    assertFalse(SymInt.of(7).isSymbolic());
    assertTrue(SymBool.of(true).and(SymInt.of(1).lt(2)).guard());
    assertEquals(2.5, SymFloat.of(1.5).plus(SymFloat.of(1)).guard());
    try (ShapeEnv env = ShapeEnv.create()) {
      assertEquals(SymInt.of(1), env.newSize(1));
    }
  }

  @Test
  void equalityDecidesNothing() {
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt a = env.newSize(4);
      SymInt b = env.newSize(4);
      assertEquals(a.plus(b), b.plus(a));
      assertEquals(a.plus(b).hashCode(), b.plus(a).hashCode());
      assertNotEquals(a, b);
      assertTrue(env.guards().isEmpty());
    }
  }

  @Test
  void aDecisionIsAGuardWithItsPlace() {
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt a = env.newSize(4);
      assertTrue(a.lt(10).guard());
      ShapeGuard guard = env.guards().get(0);
      assertEquals("s0 < 10", guard.text());
      assertEquals("SymIntTest.java", guard.file());
      assertTrue(guard.line() > 0);
      assertEquals("", guard.op());
      assertEquals(4, a.guard());
      assertEquals("4", a.toString());
    }
  }

  @Test
  void otherNumbersTellTheFirstFailure() {
    // [quote.begin guards]
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt batch = env.newSize(4);
      try (Tensor x = Tensor.emptySymbolic(DType.FLOAT32, List.of(batch, SymInt.of(3)));
          Tensor turned = x.t()) {
        assertEquals("[3, s0]", turned.symSizes().toString());
        assertTrue(x.symSizes().get(0).lt(10).guard()); // decided by the hint: a guard
      }
      assertEquals(Optional.empty(), env.firstFailure(Map.of(batch, 7L)));
      assertTrue(env.firstFailure(Map.of(batch, 12L)).get().startsWith("s0 < 10"));
    }
    // [quote.end]
  }

  @Test
  void numbersArePutIn() {
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt n = env.newSize(4);
      assertEquals(49, n.times(n).evaluate(Map.of(n, 7L)));
      assertTrue(env.toString().contains("s0: hint 4"));
      TenonException e =
          refused(ErrorCode.TYPE, () -> env.firstFailure(Map.of(SymInt.of(3), 7L)));
      assertTrue(e.getMessage().contains("keys must be symbols, got 3"));
    }
  }

  @Test
  void symbolsOutliveTheirEnvironment() {
    SymInt size;
    try (ShapeEnv env = ShapeEnv.create()) {
      size = env.newSymbol("rows", OptionalLong.empty(), 0, 9);
      env.close();
      assertThrows(IllegalStateException.class, () -> env.newSize(4));
    }
    System.gc();
    assertEquals("rows + 1", size.plus(1).toString());
    assertEquals(OptionalLong.of(0), size.lowerBound());
    assertEquals(OptionalLong.of(9), size.upperBound());
    assertEquals(OptionalLong.empty(), size.hint());
  }

  @Test
  void wrongUseIsRefused() {
    try (ShapeEnv env = ShapeEnv.create();
        ShapeEnv other = ShapeEnv.create()) {
      SymInt a = env.newSize(4);
      SymInt b = other.newSize(4);
      assertTrue(
          refused(ErrorCode.INVALID_ARGUMENT, () -> a.plus(b))
              .getMessage()
              .contains("one shape environment"));
      refused(ErrorCode.INVALID_ARGUMENT, () -> a.floorDiv(0));
      refused(ErrorCode.INVALID_ARGUMENT, () -> env.newSize(-1));
      refused(ErrorCode.INVALID_ARGUMENT, () -> env.newSymbol(5, 2));
      refused(ErrorCode.STATE, FakeMode::newDynamicSize);
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> Tensor.emptyStridedSymbolic(DType.FLOAT32, List.of(a), List.of()));
    }
  }

  @Test
  void onlyBoundsDecideWhatDataTells() {
    try (ShapeEnv env = ShapeEnv.create()) {
      SymInt count = env.newSymbol(2, 5);
      assertTrue(count.ge(2).guard());
      TenonException e = refused(ErrorCode.DATA_DEPENDENT, () -> count.gt(3).guard());
      assertTrue(e.getMessage().contains("u0 > 3 must be true or false for all values"));
      assertTrue(e.getMessage().contains("SymIntTest.java"));
    }
  }

  @Test
  void tensorsHaveSymbolicShapes() {
    try (Scope scope = Scope.open();
        ShapeEnv env = ShapeEnv.create()) {
      SymInt n = env.newSize(4);
      Tensor x = Tensor.emptySymbolic(DType.FLOAT32, List.of(n, SymInt.of(3)));
      assertEquals("3*s0", x.symNumel().toString());
      assertEquals(List.of(SymInt.of(3), SymInt.of(1)), x.symStrides());
      assertEquals(SymInt.of(0), x.symStorageOffset());
      Tensor view = Tenon.op("aten::view").callTensor(x, List.of(3, n));
      assertEquals("[3, s0]", view.symSizes().toString());
      List<SymInt> strides = List.of(SymInt.of(1), n);
      List<SymInt> sizes = List.of(n, SymInt.of(3));
      Tensor turned = Tensor.emptyStridedSymbolic(DType.FLOAT64, sizes, strides);
      assertEquals(strides, turned.symStrides());
      assertTrue(
          refused(ErrorCode.NOT_SUPPORTED, x::sizes).getMessage().contains("a symbolic shape"));
      refused(ErrorCode.NOT_SUPPORTED, x::strides);
      assertEquals("[2]", Tensor.of(new float[] {1, 2}).symSizes().toString());
      assertTrue(env.guards().isEmpty());
    }
  }

  @Test
  void aSymbolicKernelGetsSymbols() {
    try (Scope scope = Scope.open();
        ShapeEnv env = ShapeEnv.create();
        Library library = Library.open("symbols_java", Library.Kind.DEF)) {
      library.define("grow(Tensor x, SymInt n, SymInt[] more) -> (Tensor, SymInt)");
      library.impl(
          "grow",
          "Meta",
          Kernel.symbolic(
              args -> {
                Tensor x = (Tensor) args[0];
                SymInt rows = x.symSizes().get(0).times((SymInt) args[1]);
                SymInt more = (SymInt) ((List<?>) args[2]).get(0);
                return new Object[] {x.newEmptySymbolic(List.of(rows, more)), rows};
              }));
      SymInt n = env.newSize(4);
      Tensor x = Tensor.emptySymbolic(DType.FLOAT32, List.of(n));
      Object[] results = Tenon.op("symbols_java::grow").callAll(x, n, List.of(n, 2));
      assertEquals("[s0*s0, s0]", ((Tensor) results[0]).symSizes().toString());
      assertEquals(n.times(n), results[1]);
      assertTrue(env.guards().isEmpty());
    }
  }

  @Test
  void otherKernelsGetNumbersByAGuard() {
    try (Scope scope = Scope.open();
        ShapeEnv env = ShapeEnv.create();
        Library library = Library.open("symbols_java", Library.Kind.DEF)) {
      library.define("plain(Tensor x) -> int");
      library.impl("plain", "Meta", args -> ((Tensor) args[0]).size(0));
      Tensor x = Tensor.emptySymbolic(DType.FLOAT32, List.of(env.newSize(4)));
      assertEquals(4L, Tenon.op("symbols_java::plain").call(x));
      assertEquals("s0 == 4", env.guards().get(0).text());
      assertEquals("symbols_java::plain", env.guards().get(0).op());
    }
  }

  @Test
  void aFakeKernelMakesSizesThatDataTells() {
    // [quote.begin dynamic]
    try (Scope scope = Scope.open();
        ShapeEnv env = ShapeEnv.create();
        FakeMode mode = FakeMode.create(env);
        Library library = Library.open("symbols_java", Library.Kind.DEF)) {
      library.define("positive(Tensor x) -> Tensor");
      library.registerFake(
          "positive",
          args -> {
            Tensor x = (Tensor) args[0];
            return x.newEmptySymbolic(List.of(FakeMode.newDynamicSize(0, x.numel())));
          });
      Tensor x = mode.from(Tensor.of(new float[] {1, 2}));
      Tensor found = Tenon.op("symbols_java::positive").callTensor(x);
      assertEquals("[u0]", found.symSizes().toString());
      assertTrue(found.symSizes().get(0).le(2).guard());
      assertTrue(found.isFake() && mode.shapeEnv().isSame(env));
    }
    // [quote.end]
  }
}
