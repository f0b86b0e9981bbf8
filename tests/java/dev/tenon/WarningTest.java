// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tenon.internal.TenonNative;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Warnings: the handler, the logger used without one, and failures. */
class WarningTest {
  @BeforeAll
  static void loadOperators() {
    Tenon.op("aten::add.out");
  }

  @AfterEach
  void forgetHandler() {
    Tenon.setWarningHandler(null); // C refers to the handler; other tests count that
    TenonNative.tenon_warning_reset_once();
  }

  private static void resizeOut() {
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {1, 2});
      Tensor out = Tensor.of(new float[] {7, 8, 9}).to(DType.FLOAT64).to(DType.FLOAT32);
      Tenon.op("aten::add.out").with("out", out).call(x, x);
    }
  }

  @Test
  void handler_hearsOperatorsAndTheLibrary() throws Throwable {
    List<Warning> heard = new ArrayList<>();
    TenonNative.tenon_warning_reset_once();
    Tenon.setWarningHandler(heard::add);
    Support.leavesNothing(
        () -> {
          resizeOut();
          Tenon.warn("DeprecationWarning", "old");
        });
    assertEquals(2, heard.size());
    assertEquals("UserWarning", heard.get(0).category());
    assertEquals("aten::add.out", heard.get(0).op());
    assertTrue(heard.get(0).message().startsWith("aten::add.out: out has elements"));
    assertEquals(new Warning("DeprecationWarning", "old", ""), heard.get(1));
    Tenon.setWarningHandler(null);
    Tenon.warn("UserWarning", "unheard");
    assertEquals(2, heard.size());
  }

  @Test
  void handler_isForgottenWhenItIsReplaced() throws Throwable {
    Tenon.setWarningHandler(null);
    Support.leavesNothing(
        () -> {
          Tenon.setWarningHandler(warning -> {});
          Tenon.setWarningHandler(null);
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("no warnings here");
    Tenon.setWarningHandler(
        warning -> {
          throw thrown;
        });
    Support.leavesNothing(
        () -> {
          assertSame(thrown, assertThrows(IOException.class, () -> Tenon.warn("A", "b")));
          assertSame(thrown, assertThrows(IOException.class, WarningTest::resizeOut));
        });
  }

  @Test
  void handler_mayCallOperatorsAndWarn() {
    List<String> heard = new ArrayList<>();
    Tenon.setWarningHandler(
        warning -> {
          heard.add(warning.message());
          if (heard.size() == 1) {
            try (Tensor x = Tensor.of(new float[] {1}); Tensor y = x.add(x)) {
              Tenon.warn("UserWarning", "again, of " + y.toFloatArray()[0]);
            }
          }
        });
    Tenon.warn("UserWarning", "first");
    assertEquals(List.of("first", "again, of 2.0"), heard);
  }

  @Test
  void text_namesTheOperatorOnce() {
    assertEquals("UserWarning: slow", new Warning("UserWarning", "slow", "").toString());
    assertEquals("A: ns::f: slow", new Warning("A", "slow", "ns::f").toString());
    assertEquals("A: ns::f: slow", new Warning("A", "ns::f: slow", "ns::f").toString());
  }

  @Test
  void nulls_areRefused() {
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tenon.warn(null, "text"), "category");
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tenon.warn("A", null), "message");
  }

  /** A program that never configures warnings, run in a separate JVM. */
  static final class Run {
    public static void main(String[] arguments) {
      resizeOut();
      System.out.println("went on");
    }
  }

  @Tag("child")
  @Test
  void withoutAHandler_warningsAreLogged() throws Exception {
    ChildJvm.Outcome outcome = ChildJvm.run("-XX:+UseSerialGC", Run.class.getName());
    assertEquals(0, outcome.status(), outcome.output());
    assertTrue(outcome.output().contains("WARNING: UserWarning: aten::add.out: out has elements"));
    assertTrue(outcome.output().endsWith("went on\n"), outcome.output());
  }
}
