// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Functions as values: Java functions called by C, C functions called by Java. */
class CallbackTest {
  private Op apply;
  private Op adder;

  @BeforeEach
  void find() {
    Support.plugin();
    apply = Operators.find("javatest::apply");
    adder = Operators.find("javatest::adder");
  }

  @Test
  void lambda_isCalledByC() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {1, 2});
            Callback twice = args -> ((Tensor) args[0]).mul((Long) args[1]);
            Tensor y = (Tensor) apply.call(twice, x, 2);
            assertArrayEquals(new float[] {2, 4}, y.toFloatArray());
            assertEquals(List.of(1L, "a"), apply.call((Callback) args -> List.of(1, "a")));
            Tensor[] kept = new Tensor[1];
            apply.call((Callback) args -> kept[0] = (Tensor) args[0], x);
            assertTrue(kept[0].isClosed()); // a view, as kernels' arguments are
          }
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full");
    Callback throwing =
        args -> {
          throw thrown;
        };
    Support.leavesNothing(
        () -> assertSame(thrown, assertThrows(IOException.class, () -> apply.call(throwing))));
  }

  @Test
  void functionOfC_isCalledByJava() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Callback add = (Callback) adder.call(3);
            assertEquals(7L, add.call(4));
            assertEquals(7L, apply.call(add, 4)); // handed back to C
            ForeignObject foreign = (ForeignObject) add;
            assertTrue(foreign.isFunction());
            assertEquals("javatest.adder", foreign.typeName());
            Support.fails(ErrorCode.TYPE, () -> add.call("4"), "add_number");
            Support.fails(ErrorCode.TYPE, () -> foreign.callAll(1), "add_number");
          }
        });
  }

  @Test
  void kernels_getFunctionsAsTheyWerePassed() {
    try (Library lib = Support.library();
        Scope scope = Scope.open()) {
      Op op = lib.define("f(Function f, Function? g=None) -> int");
      Object[] seen = new Object[1];
      lib.impl(
          "f",
          DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
          args -> {
            seen[0] = args[0];
            return ((Callback) args[0]).call(1L);
          });
      Callback mine = args -> (Long) args[0] + 1;
      for (int i = 0; i < 2; i++) {
        assertEquals(2L, op.call(mine));
        assertSame(mine, seen[0]);
        assertEquals(6L, op.call(adder.call(5)));
      }
      Support.fails(ErrorCode.TYPE, () -> op.call("no function"), op.name(), "f must be");
      Support.fails(ErrorCode.TYPE, () -> op.call(new Object()), op.name(), "f must be");
    }
  }
}
