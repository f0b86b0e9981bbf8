// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ScopeTest {
  @Test
  void close_closesWhatWasMadeInside() throws Throwable {
    Support.leavesNothing(
        () -> {
          Tensor inside;
          try (Scope scope = Scope.open()) {
            inside = Tensor.of(new float[3]);
            for (int i = 0; i < 100; i++) {
              inside.retain();
            }
          }
          assertTrue(inside.isClosed());
        });
  }

  @Test
  void escape_outlives() throws Throwable {
    Support.leavesNothing(
        () -> {
          Tensor kept;
          try (Scope scope = Scope.open()) {
            kept = Tensor.of(new float[3]).escape();
          }
          assertFalse(kept.isClosed());
          kept.close();
        });
  }

  @Test
  void nested_innerClosesItsOwnOnly() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope outer = Scope.open()) {
            Tensor a = Tensor.of(new float[1]);
            Tensor c;
            try (Scope inner = Scope.open()) {
              a.close(); // of the outer scope, while the inner one is open
              c = Tensor.of(new float[1]);
            }
            assertTrue(c.isClosed());
          }
        });
  }

  @Test
  void close_outOfOrder_isRefused() {
    Scope outer = Scope.open();
    Scope inner = Scope.open();
    assertThrows(IllegalStateException.class, outer::close);
    inner.close();
    inner.close();
    outer.close();
  }

  @Test
  void close_onAnotherThread_isRefused() throws Exception {
    Throwable[] seen = new Throwable[1];
    try (Scope scope = Scope.open()) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  scope.close();
                } catch (Throwable e) {
                  seen[0] = e;
                }
              });
      thread.start();
      thread.join();
    }
    assertEquals(IllegalStateException.class, seen[0].getClass());
  }

  @Test
  void tensorClosedByAnotherThread_isFine() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor t = Tensor.of(new float[1]);
            Thread thread = new Thread(t::close);
            thread.start();
            thread.join();
            assertTrue(t.isClosed());
          }
        });
  }
}
