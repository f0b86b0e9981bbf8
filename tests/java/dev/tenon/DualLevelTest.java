// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Forward mode: dual levels and tangents. */
class DualLevelTest {
  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  private static void near(Tensor tensor, float... expected) {
    assertArrayEquals(expected, tensor.toFloatArray());
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
  void tangents_goThroughCalls() throws Throwable {
    scoped(
        () -> {
          try (DualLevel level = DualLevel.enter()) {
            Tensor x =
                level.makeDual(Tensor.of(new float[] {2, 3}), Tensor.of(new float[] {1, 10}));
            DualLevel.Parts parts = level.unpackDual(x.mul(x).mul(x));
            near(parts.primal(), 8, 27);
            near(parts.tangent(), 12, 270);
            Tensor inside = GradMode.noGrad(() -> x.mul(2));
            near(level.unpackDual(inside).tangent(), 2, 20);
            assertNull(level.unpackDual(Tensor.of(new float[1])).tangent());
          }
        });
  }

  @Test
  void threadStates_carryLevels() throws Throwable {
    scoped(
        () -> {
          try (DualLevel level = DualLevel.enter();
              ThreadState state = ThreadState.capture()) {
            Tensor x = level.makeDual(Tensor.of(new float[] {3}), Tensor.of(new float[] {1}));
            Tensor[] squares = new Tensor[2];
            Runnable multiply = () -> squares[0] = x.mul(x);
            Thread under = new Thread(state.bind(multiply));
            Thread apart = new Thread(() -> squares[1] = x.mul(x));
            under.start();
            apart.start();
            under.join();
            apart.join();
            near(level.unpackDual(squares[0]).tangent(), 6);
            assertNull(level.unpackDual(squares[1]).tangent());
            squares[0].close();
            squares[1].close();
          }
        });
  }

  @Test
  void levels_doNotNestAndEnd() throws Throwable {
    scoped(
        () -> {
          Tensor dual;
          DualLevel first = DualLevel.enter();
          Support.fails(ErrorCode.STATE, DualLevel::enter, "level");
          dual = first.makeDual(Tensor.of(new float[1]), Tensor.of(new float[1]));
          first.close();
          first.close();
          Support.fails(
              ErrorCode.STATE, () -> first.makeDual(dual, Tensor.of(new float[1])), "level");
          try (DualLevel level = DualLevel.enter()) {
            assertNull(level.unpackDual(dual).tangent());
          }
        });
  }

  @Test
  void wrongTangents_areRefused() throws Throwable {
    scoped(
        () -> {
          try (DualLevel level = DualLevel.enter()) {
            Tensor x = Tensor.of(new float[1]);
            Tensor longer = Tensor.of(new float[2]);
            Tensor ints = Tensor.of(new long[1]);
            Support.fails(ErrorCode.STATE, () -> level.makeDual(x, longer), "[1]", "[2]");
            Support.fails(ErrorCode.TYPE, () -> level.makeDual(ints, ints), "int64");
            Support.fails(ErrorCode.TYPE, () -> level.makeDual(x, ints), "int64");
            Support.fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> level.unpackDual(Tensor.undefined()),
                "undefined");
          }
        });
  }
}
