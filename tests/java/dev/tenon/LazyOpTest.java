// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Operators that are found at their first call, and the shipped wrappers. */
class LazyOpTest {
  @Test
  void get_findsOnce() {
    LazyOp add = new LazyOp("aten::add.Tensor");
    assertSame(Operators.find("aten::add.Tensor"), add.get());
    assertSame(add.get(), add.get());
    assertEquals("aten::add.Tensor", add.toString());
  }

  @Test
  void get_looksAgainAfterAFailure() throws Throwable {
    Support.leavesNothing(
        () -> {
          LazyOp late = new LazyOp("lazy_op_test::late");
          TenonException none = assertThrows(TenonException.class, late::get);
          assertEquals(ErrorCode.NOT_FOUND, none.errorCode());
          try (Library library = Library.open("lazy_op_test", Library.Kind.DEF)) {
            library.define("late() -> int");
            assertEquals("lazy_op_test::late", late.get().name());
          }
        });
  }

  @Test
  void aten_addsWithDefaultsAndWithout() throws Throwable {
    Operators.find("aten::add.Tensor"); // loads the kernels, which stay
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {1, 2}, 2);
            assertArrayEquals(new float[] {2, 4}, Aten.add(x, x).toFloatArray());
            assertArrayEquals(new float[] {11, 22}, Aten.add(x, x, 10).toFloatArray());
            assertSame(x, Aten.fill_(x, 3));
            Aten.OnesOptions options = new Aten.OnesOptions().dtype(DType.FLOAT64);
            assertEquals(DType.FLOAT64, Aten.ones(new long[] {2}, options).dtype());
          }
        });
  }
}
