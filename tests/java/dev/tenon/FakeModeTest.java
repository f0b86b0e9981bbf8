// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Fake tensors: modes, conversions, and fake kernels in Java. */
class FakeModeTest {
  private static Tensor real() {
    return Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
  }

  @Test
  void aModeMakesFakesOnItsThread() throws InterruptedException {
    try (Scope scope = Scope.open();
        FakeMode mode = FakeMode.create()) {
      AtomicReference<Boolean> elsewhere = new AtomicReference<>();
      try (FakeMode.Entered entered = mode.enter()) {
        Tensor inside = Aten.ones(2, 3);
        assertTrue(inside.isFake());
        assertEquals(Device.CPU, inside.device());
        Thread thread =
            new Thread(
                () -> {
                  try (Tensor made = Aten.ones(1)) {
                    elsewhere.set(made.isFake());
                  }
                });
        thread.start();
        thread.join();
      }
      assertEquals(false, elsewhere.get());
      assertFalse(Aten.ones(1).isFake());
    }
  }

  @Test
  void aTensorIsMadeFakeOnce() {
    try (Scope scope = Scope.open();
        FakeMode mode = FakeMode.create()) {
      Tensor x = real();
      Tensor fake = mode.from(x);
      assertTrue(fake.isFake());
      assertArrayEquals(new long[] {2, 3}, fake.sizes());
      assertEquals(fake.address(), mode.from(x).address());
      assertTrue(fake.t().isFake());
    }
  }

  @Test
  void realTensorsAreRefusedOrMadeFake() {
    try (Scope scope = Scope.open();
        FakeMode strict = FakeMode.create();
        FakeMode mild = FakeMode.allowingReal()) {
      Tensor x = real();
      TenonException error =
          assertThrows(TenonException.class, () -> strict.get(() -> x.add(x)));
      assertEquals(ErrorCode.INVALID_ARGUMENT, error.errorCode());
      assertTrue(error.getMessage().contains("must be a fake tensor in a fake mode"));
      assertTrue(mild.get(() -> x.add(x)).isFake());
    }
  }

  @Test
  void aLambdaIsAFakeKernel() {
    try (Scope scope = Scope.open();
        Library library = Library.open("fakes_java", Library.Kind.DEF);
        FakeMode mode = FakeMode.create()) {
      Op row = library.define("row(Tensor x) -> Tensor");
      AtomicReference<Optional<Op>> running = new AtomicReference<>();
      library.registerFake(
          "row",
          args -> {
            running.set(FakeMode.running());
            return Aten.emptyLike((Tensor) args[0]);
          });
      assertTrue(row.callTensor(mode.from(real())).isFake());
      assertEquals("fakes_java::row", running.get().orElseThrow().name());
      assertTrue(FakeMode.running().isEmpty());
      TenonException error =
          assertThrows(
              TenonException.class, () -> library.registerFake("row", args -> args[0]));
      assertEquals(ErrorCode.ALREADY_EXISTS, error.errorCode());
    }
  }

  @Test
  void whatIsMadeInAModeIsFake() {
    try (Scope scope = Scope.open();
        FakeMode mode = FakeMode.create();
        FakeMode.Entered entered = mode.enter()) {
      Tensor[] made = {
        Tensor.of(new float[] {1, 2}),
        Tensor.of(new double[] {1, 2}, 2, 1),
        Tensor.of(new long[] {1}),
        Tensor.of(new int[] {1}),
        Tensor.of(new short[] {1}),
        Tensor.of(new byte[] {1}),
        Tensor.of(new boolean[] {true}),
        Tensor.scalar(1.0),
        Tensor.scalar(1L),
        Tensor.zeros(DType.FLOAT32, 2, 3),
        Tensor.empty(DType.FLOAT32, 1L << 40),
      };
      for (Tensor tensor : made) {
        assertTrue(tensor.isFake());
        assertEquals(Device.CPU, tensor.device());
      }
      assertArrayEquals(new long[] {2, 3}, made[9].sizes());
    }
    try (Tensor real = real()) {
      assertFalse(real.isFake());
    }
  }
}
