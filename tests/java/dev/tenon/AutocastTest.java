// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Autocast: regions, rules by policy, and wrappers by hand. */
class AutocastTest {
  private record Seen(DType a, DType b, boolean enabled) {}

  private final List<Seen> seen = new ArrayList<>();

  @AfterEach
  void endsAsItBegan() {
    assertFalse(Autocast.isEnabled(Device.CPU));
    assertEquals(DType.BFLOAT16, Autocast.dtype(Device.CPU));
    assertTrue(Autocast.isCacheEnabled());
  }

  private static Tensor floats() {
    return Tensor.of(new float[] {1, 1, 1, 1}, 2, 2);
  }

  private static DType product() {
    try (Scope scope = Scope.open()) {
      Tensor a = floats();
      return a.mm(a).dtype();
    }
  }

  // An operator that notes the dtypes of its arguments.
  private Op noting(Library library) {
    Op op = library.define("f(Tensor a, Tensor b) -> Tensor");
    library.impl(
        "f",
        DispatchKey.CPU,
        args -> {
          Tensor a = (Tensor) args[0];
          Tensor b = (Tensor) args[1];
          seen.add(new Seen(a.dtype(), b.dtype(), Autocast.isEnabled(Device.CPU)));
          return a;
        });
    return op;
  }

  @Test
  void regions_nestAndRestore() throws Throwable {
    product(); // loads what ships
    Support.leavesNothing(
        () -> {
          try (Autocast outer = Autocast.enter(Device.CPU, DType.FLOAT16)) {
            assertEquals(DType.FLOAT16, product());
            try (Autocast off = Autocast.off(Device.CPU)) {
              assertFalse(Autocast.isEnabled(Device.CPU));
              assertEquals(DType.FLOAT32, product());
            }
            assertEquals(DType.FLOAT16, Autocast.dtype(Device.CPU));
          }
          assertEquals(DType.FLOAT32, product());
          DType inside = Autocast.get(Device.CPU, DType.BFLOAT16, AutocastTest::product);
          assertEquals(DType.BFLOAT16, inside);
        });
  }

  @Test
  void close_outOfOrder_throwsAndStays() {
    Autocast outer = Autocast.enter(Device.CPU);
    Autocast inner = Autocast.enter(Device.CPU, DType.FLOAT16, false);
    assertThrows(TenonException.class, outer::close);
    assertEquals(DType.FLOAT16, Autocast.dtype(Device.CPU));
    assertFalse(Autocast.isCacheEnabled());
    inner.close();
    outer.close();
    outer.close();
  }

  @Test
  void enter_wrongDeviceOrDtype_throws() {
    TenonException device =
        assertThrows(TenonException.class, () -> Autocast.enter(Device.META));
    assertEquals(ErrorCode.INVALID_ARGUMENT, device.errorCode());
    TenonException dtype =
        assertThrows(TenonException.class, () -> Autocast.enter(Device.CPU, DType.INT64));
    assertEquals(ErrorCode.TYPE, dtype.errorCode());
  }

  @Test
  void setters_lastUntilTheyAreSetAgain() {
    Autocast.setEnabled(Device.CPU, true);
    Autocast.setDtype(Device.CPU, DType.FLOAT16);
    Autocast.setCacheEnabled(false);
    assertEquals(DType.FLOAT16, product());
    assertFalse(Autocast.isCacheEnabled());
    Autocast.setCacheEnabled(true);
    Autocast.setDtype(Device.CPU, DType.BFLOAT16);
    Autocast.setEnabled(Device.CPU, false);
    assertEquals(DType.FLOAT32, product());
  }

  @Test
  void threadState_carriesTheRegion() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (Autocast region = Autocast.enter(Device.CPU, DType.FLOAT16);
        ThreadState state = ThreadState.capture()) {
      assertEquals(DType.FLOAT32, pool.submit(AutocastTest::product).get());
      assertEquals(DType.FLOAT16, pool.submit(() -> state.call(AutocastTest::product)).get());
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void rules_decideTheDtypes() {
    try (Library library = Support.library();
        Scope scope = Scope.open()) {
      Op op = noting(library);
      Tensor full = floats();
      Tensor half = Autocast.cachedCast(DType.BFLOAT16, full, Device.CPU);
      CastPolicy[] policies = {
        CastPolicy.LOWER_PRECISION,
        CastPolicy.FP32,
        CastPolicy.PROMOTE,
        CastPolicy.to(DType.FLOAT16)
      };
      DType[] expected = {DType.BFLOAT16, DType.FLOAT32, DType.FLOAT32, DType.FLOAT16};
      for (int i = 0; i < policies.length; i++) {
        Registration rule = library.registerAutocast("f", policies[i], Device.CPU);
        try (Autocast region = Autocast.enter(Device.CPU)) {
          op.call(full, half);
        }
        rule.close();
        assertEquals(new Seen(expected[i], expected[i], false), seen.get(i));
      }
      op.call(full, half);
      assertEquals(DType.FLOAT32, seen.get(policies.length).a());
    }
  }

  @Test
  void bannedRule_givesTheAdvice() {
    try (Library library = Support.library();
        Scope scope = Scope.open()) {
      Op op = noting(library);
      library.registerAutocast("f", CastPolicy.banned("use g"), null);
      Tensor x = floats();
      try (Autocast region = Autocast.enter(Device.CPU)) {
        TenonException thrown = assertThrows(TenonException.class, () -> op.call(x, x));
        assertEquals(ErrorCode.NOT_SUPPORTED, thrown.errorCode());
        assertTrue(thrown.getMessage().contains("autocast region of cpu; use g"));
      }
    }
  }

  @Test
  void wrongRules_areRefused() {
    try (Library library = Support.library()) {
      noting(library);
      assertThrows(
          TenonException.class,
          () -> library.registerAutocast("f", CastPolicy.to(DType.BOOL), null));
      assertThrows(
          TenonException.class,
          () -> library.registerAutocast("f", CastPolicy.FP32, Device.META));
      assertThrows(
          NullPointerException.class, () -> library.registerAutocast("f", null, Device.CPU));
    }
  }

  @Test
  void wrapperByHand_castsAndCallsAgain() {
    try (Library library = Support.library();
        Scope scope = Scope.open()) {
      Op op = noting(library);
      // [quote.begin wrapper]
      library.impl(
          "f",
          DispatchKey.AUTOCAST,
          args -> {
            Tensor a = (Tensor) args[0];
            Tensor b = (Tensor) args[1];
            DType widest = Autocast.promoteType(DType.BFLOAT16, Device.CPU, a, b);
            try (KeyGuard below = KeyGuard.exclude(DispatchKey.AUTOCAST_CPU)) {
              return op.call(
                  Autocast.cachedCast(widest, a, Device.CPU),
                  Autocast.cachedCast(widest, b, Device.CPU));
            }
          });
      // [quote.end]
      Tensor full = floats();
      Tensor half = Autocast.cachedCast(DType.BFLOAT16, full, Device.CPU);
      try (Autocast region = Autocast.enter(Device.CPU)) {
        op.call(half, half);
        op.call(half, full);
      }
      assertEquals(new Seen(DType.BFLOAT16, DType.BFLOAT16, false), seen.get(0));
      assertEquals(new Seen(DType.FLOAT32, DType.FLOAT32, false), seen.get(1));
    }
  }
}
