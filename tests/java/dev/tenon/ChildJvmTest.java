// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Tests that need a separate JVM: JNI checks, flags, heap settings. */
@Tag("child")
class ChildJvmTest {
  @Test
  void allTests_underJniChecks_giveNoWarning() throws Exception {
    ChildJvm.Outcome outcome =
        ChildJvm.run(
            "-Xcheck:jni",
            "-Dtenon.test.repeats=20",
            // As in the parent, so that native leaks show in resident memory.
            "-Xms512m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "dev.tenon.CheckedRun");
    assertEquals(0, outcome.status(), outcome.output());
    assertTrue(outcome.output().contains("CheckedRun: 0 failed"), outcome.output());
    // The tests attach no agents and do not print these texts.
    assertFalse(outcome.output().contains("WARNING in native method"), outcome.output());
    assertFalse(outcome.output().contains("FATAL ERROR in native method"), outcome.output());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_22)
  void manyCallsFromC_goOverToTheStub() throws Exception {
    ChildJvm.Outcome outcome =
        ChildJvm.run("-Xcheck:jni", "-Dtenon.linkAfter=1000", "dev.tenon.LinkRun");
    assertEquals(0, outcome.status(), outcome.output());
    assertTrue(outcome.output().contains("LinkRun: 4 threads went over"), outcome.output());
    assertFalse(outcome.output().contains("WARNING in native method"), outcome.output());
  }

  @Test
  void forgottenTensors_areCollectedBeforeMemoryIsShort() throws Exception {
    ChildJvm.Outcome outcome =
        ChildJvm.run("-Xmx256m", "-Dtenon.maxNativeBytes=" + (256 << 20), "dev.tenon.PressureRun");
    assertEquals(0, outcome.status(), outcome.output());
  }
}
