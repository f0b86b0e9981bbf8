// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Grad mode: scopes, lambdas, threads. Its effect on kernels is tested in core/dispatch. */
class GradModeTest {
  @AfterEach
  void endsAsItBegan() {
    assertTrue(GradMode.isEnabled());
  }

  @Test
  void scopes_nestAndRestore() throws Throwable {
    Support.leavesNothing(
        () -> {
          assertTrue(GradMode.isEnabled());
          try (GradMode off = GradMode.noGrad()) {
            assertFalse(GradMode.isEnabled());
            try (GradMode on = GradMode.enableGrad()) {
              assertTrue(GradMode.isEnabled());
            }
            assertFalse(GradMode.isEnabled());
            try (GradMode again = GradMode.enabled(true);
                KeyGuard guard = KeyGuard.exclude(DispatchKey.TRACER);
                GradMode inner = GradMode.enabled(false)) {
              assertFalse(GradMode.isEnabled());
            }
            assertFalse(GradMode.isEnabled());
          }
          assertTrue(GradMode.isEnabled());
        });
  }

  @Test
  void lambdas_runInTheModeAndReturn() {
    assertFalse(GradMode.noGrad(() -> GradMode.isEnabled()));
    assertTrue(GradMode.noGrad(() -> GradMode.enableGrad(() -> GradMode.isEnabled())));
    assertTrue(GradMode.inference(() -> GradMode.isInference()));
    boolean[] seen = {true, true};
    GradMode.noGrad(
        () -> {
          seen[0] = GradMode.isEnabled();
        });
    GradMode.inference(
        () -> {
          seen[1] = GradMode.isEnabled();
        });
    assertFalse(seen[0] || seen[1]);
    IllegalStateException thrown = new IllegalStateException("inside");
    Runnable throwing =
        () -> {
          throw thrown;
        };
    for (Runnable body :
        new Runnable[] {
          () -> GradMode.noGrad(throwing),
          () -> GradMode.enableGrad(throwing),
          () -> GradMode.inference(throwing)
        }) {
      assertSame(thrown, assertThrows(IllegalStateException.class, body::run));
      assertTrue(GradMode.isEnabled());
    }
  }

  @Test
  void setEnabled_lastsUntilAScopeAroundItCloses() {
    GradMode.setEnabled(false);
    assertFalse(GradMode.isEnabled());
    GradMode.setEnabled(true);
    try (GradMode on = GradMode.enableGrad()) {
      GradMode.setEnabled(false);
      assertFalse(GradMode.isEnabled());
    }
    assertTrue(GradMode.isEnabled());
  }

  @Test
  void inference_marksTensorsUntilNormal() {
    try (Scope scope = Scope.open();
        GradMode mode = GradMode.inference()) {
      assertTrue(GradMode.isInference());
      assertFalse(GradMode.isEnabled());
      Tensor x = Tensor.of(new float[] {1, 2});
      assertTrue(x.isInference());
      assertTrue(x.add(x).isInference());
      try (GradMode on = GradMode.enableGrad()) {
        assertTrue(GradMode.isInference());
        assertTrue(GradMode.isEnabled());
        assertTrue(Tensor.scalar(1.0).isInference());
      }
      assertFalse(GradMode.isEnabled());
      try (GradMode normal = GradMode.normal()) {
        assertFalse(GradMode.isInference());
        assertTrue(GradMode.isEnabled());
        assertFalse(Tensor.scalar(1.0).isInference());
      }
      assertFalse(GradMode.normal(() -> Tensor.scalar(1.0)).isInference());
      assertTrue(GradMode.isInference());
    }
    try (Tensor x = Tensor.of(new float[] {1, 2})) {
      assertFalse(x.isInference());
    }
  }

  @Test
  void wrongOrderOrThread_isRefusedAndChangesNothing() throws Exception {
    GradMode off = GradMode.noGrad();
    KeyGuard keys = KeyGuard.exclude(DispatchKey.TRACER);
    GradMode on = GradMode.enableGrad();
    Support.fails(ErrorCode.STATE, off::close, "innermost");
    Support.fails(ErrorCode.STATE, keys::close, "innermost");
    assertTrue(GradMode.isEnabled());
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      executor.submit(() -> Support.fails(ErrorCode.STATE, on::close, "thread")).get();
    } finally {
      executor.shutdown();
    }
    on.close();
    on.close(); // again: nothing
    keys.close();
    assertFalse(GradMode.isEnabled());
    off.close();
  }

  @Test
  void threadState_carriesTheMode() throws Throwable {
    Support.leavesNothing(
        () -> {
          ExecutorService plain = Executors.newSingleThreadExecutor();
          try (GradMode off = GradMode.noGrad();
              ThreadState state = ThreadState.capture()) {
            assertTrue(plain.submit(() -> GradMode.isEnabled()).get());
            assertFalse(plain.submit(() -> state.call(() -> GradMode.isEnabled())).get());
            assertTrue(plain.submit(() -> GradMode.isEnabled()).get());
            ExecutorService carrying = ThreadState.carrying(Executors.newSingleThreadExecutor());
            assertFalse(carrying.submit(() -> GradMode.isEnabled()).get());
            carrying.shutdown(); // a task's state is closed after its result is set
            assertTrue(carrying.awaitTermination(1, TimeUnit.MINUTES));
          } finally {
            plain.shutdown();
          }
        });
  }

  @Test
  void kernelThatLeavesAModeOpen_isRestoredAndReported() {
    try (Library lib = Support.library();
        Tensor x = Tensor.of(new float[1])) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl(
          "f",
          "CPU",
          args -> {
            GradMode.noGrad();
            return args[0];
          });
      assertThrows(IllegalStateException.class, () -> op.call(x));
      assertTrue(GradMode.isEnabled());
    }
  }

  @Test
  void usersAutogradKernel_runsInEveryModeAndSeesIt() {
    try (Library lib = Support.library();
        Scope scope = Scope.open()) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      boolean[] seen = new boolean[1];
      int[] calls = new int[1];
      lib.impl("f", "CPU", args -> args[0]);
      lib.impl(
          "f",
          "Autograd",
          (keys, args) -> {
            seen[0] = GradMode.isEnabled();
            calls[0]++;
            return op.redispatch(keys.below(DispatchKey.AUTOGRAD_CPU), args);
          });
      Tensor x = Tensor.of(new float[1]);
      op.call(x);
      assertTrue(seen[0]);
      GradMode.noGrad(() -> op.call(x));
      assertFalse(seen[0]);
      assertEquals(2, calls[0]);
    }
  }
}
