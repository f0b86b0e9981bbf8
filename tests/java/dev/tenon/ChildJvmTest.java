// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What needs a machine of its own: JNI's checks, and the end of the machine. */
@Tag("child")
class ChildJvmTest {
  private record Outcome(int status, String output) {}

  private static Outcome java(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    for (String name : new String[] {"tenon.library.path", "tenon.source.dir"}) {
      command.add("-D" + name + "=" + System.getProperty(name));
    }
    // What this machine was told of native access holds for the child too.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--enable-native-access"))
        .forEach(command::add);
    command.addAll(List.of(arguments));
    Path log = Path.of("child-jvm.log").toAbsolutePath();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("the child did not end: see " + log);
    }
    return new Outcome(process.exitValue(), java.nio.file.Files.readString(log));
  }

  @Test
  void allTests_underJniChecks_giveNoWarning() throws Exception {
    Outcome outcome =
        java(
            "-Xcheck:jni",
            "-Dtenon.test.repeats=20",
            // As in the parent: resident memory then shows native leaks.
            "-Xms512m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "dev.tenon.CheckedRun");
    assertEquals(0, outcome.status, outcome.output);
    assertTrue(outcome.output.contains("CheckedRun: 0 failed"), outcome.output);
    // The tests attach no agent and print no such text themselves.
    assertFalse(outcome.output.contains("WARNING in native method"), outcome.output);
    assertFalse(outcome.output.contains("FATAL ERROR in native method"), outcome.output);
  }

  @Test
  void kernelsCalledWhileTheMachineEnds_andAfter_areRefused() throws Exception {
    for (int i = 0; i < 3; i++) {
      Outcome outcome = java("dev.tenon.ShutdownRun");
      assertEquals(0, outcome.status, outcome.output);
      assertTrue(outcome.output.contains("after the machine: TENON_ERROR_STATE"), outcome.output);
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_22)
  void manyCallsFromC_goOverToTheStub() throws Exception {
    Outcome outcome = java("-Xcheck:jni", "-Dtenon.linkAfter=1000", "dev.tenon.LinkRun");
    assertEquals(0, outcome.status, outcome.output);
    assertTrue(outcome.output.contains("LinkRun: 4 threads went over"), outcome.output);
    assertFalse(outcome.output.contains("WARNING in native method"), outcome.output);
  }

  @Test
  void forgottenTensors_areCollectedBeforeMemoryIsShort() throws Exception {
    Outcome outcome =
        java("-Xmx256m", "-Dtenon.maxNativeBytes=" + (256 << 20), "dev.tenon.PressureRun");
    assertEquals(0, outcome.status, outcome.output);
  }
}
