// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Hooks that pack the tensors that nodes save. */
class SavedTensorsHooksTest {
  /** The packed form of a tensor. */
  private record Packed(float[] elements) {}

  private static final SavedTensorsHooks.Pack PACK =
      tensor -> new Packed(tensor.mul(2).toFloatArray());
  private static final SavedTensorsHooks.Unpack UNPACK =
      packed -> Tensor.of(((Packed) packed).elements());

  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  private static void near(Tensor tensor, float... expected) {
    assertArrayEquals(expected, tensor.toFloatArray());
  }

  private static Tensor leaf(float... elements) {
    return Tensor.of(elements).requiresGrad(true);
  }

  private static Tensor five() {
    return Tensor.of(new float[] {5});
  }

  private static void scoped(Executable body) throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            body.execute();
          }
        });
  }

  @Test
  void hooks_packAndUnpack() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Tensor y;
          try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(PACK, UNPACK)) {
            y = x.mul(five());
          }
          Tensor plain = x.mul(five());
          y.backward();
          near(x.grad(), 10);
          plain.backward();
          near(x.grad(), 15);
        });
  }

  @Test
  void tensorsAndNumbers_standForTensors() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Tensor y;
          Tensor z;
          try (SavedTensorsHooks hooks =
              SavedTensorsHooks.enter(tensor -> tensor, packed -> (Tensor) packed)) {
            y = x.mul(five());
          }
          try (SavedTensorsHooks hooks =
              SavedTensorsHooks.enter(
                  tensor -> (double) tensor.toFloatArray()[0],
                  packed -> Tensor.of(new float[] {((Double) packed).floatValue()}))) {
            z = x.mul(five());
          }
          y.add(z).backward();
          near(x.grad(), 10);
        });
  }

  @Test
  void innermost_packs_andThreadStatesCarryThem() throws Throwable {
    scoped(
        () -> {
          Tensor x = leaf(3);
          Tensor five = five();
          Tensor[] y = new Tensor[1];
          IOException never = new IOException("the outer ones");
          SavedTensorsHooks.Pack fails =
              tensor -> {
                throw never;
              };
          try (SavedTensorsHooks outer = SavedTensorsHooks.enter(fails, UNPACK);
              SavedTensorsHooks inner = SavedTensorsHooks.enter(PACK, UNPACK);
              ThreadState state = ThreadState.capture()) {
            Runnable multiply = () -> y[0] = x.mul(five);
            Thread thread = new Thread(state.bind(multiply));
            thread.start();
            thread.join();
          }
          y[0].backward();
          near(x.grad(), 10);
          y[0].close();
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("disk full");
    scoped(
        () -> {
          Tensor x = leaf(3);
          SavedTensorsHooks.Pack failing =
              tensor -> {
                throw thrown;
              };
          try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(failing, UNPACK)) {
            assertSame(thrown, assertThrows(IOException.class, () -> x.mul(five())));
          }
          Tensor y;
          SavedTensorsHooks.Unpack broken =
              packed -> {
                throw thrown;
              };
          try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(PACK, broken)) {
            y = x.mul(five());
          }
          assertSame(thrown, assertThrows(IOException.class, () -> y.backward()));
          Tensor z;
          try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(PACK, packed -> null)) {
            z = x.mul(five());
          }
          Support.fails(ErrorCode.TYPE, () -> z.backward(), "unpacked", "Tensor", "null");
          assertNull(x.grad());
        });
  }

  @Test
  void disabled_refusesWithItsMessage() throws Throwable {
    Executable enter = () -> SavedTensorsHooks.enter(PACK, UNPACK).close();
    scoped(
        () -> {
          try (SavedTensorsHooks.Disabled outer = SavedTensorsHooks.disable("not in here")) {
            try (SavedTensorsHooks.Disabled inner = SavedTensorsHooks.disable("nor in here")) {
              TenonException e = Support.fails(ErrorCode.STATE, enter);
              assertEquals("nor in here", e.getMessage());
            }
            Support.fails(ErrorCode.STATE, enter, "not in here");
          }
          try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(PACK, UNPACK)) {
            Support.fails(ErrorCode.STATE, () -> SavedTensorsHooks.disable("late"), "late");
          }
          assertThrows(NullPointerException.class, () -> SavedTensorsHooks.disable(null));
          assertThrows(NullPointerException.class, () -> SavedTensorsHooks.enter(null, UNPACK));
          assertThrows(NullPointerException.class, () -> SavedTensorsHooks.enter(PACK, null));
        });
  }

  @Test
  void closed_inReverseOnly() throws Throwable {
    scoped(
        () -> {
          SavedTensorsHooks outer = SavedTensorsHooks.enter(PACK, UNPACK);
          SavedTensorsHooks inner = SavedTensorsHooks.enter(PACK, UNPACK);
          Support.fails(ErrorCode.STATE, () -> outer.close(), "reverse");
          inner.close();
          inner.close();
          outer.close();
        });
  }
}
