// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a test class in a separate JVM. */
final class ChildJvm {
  /** The result of a child JVM: the output contains both streams. */
  record Outcome(int status, String output) {}

  private ChildJvm() {}

  /** Options of the machine, the class and its arguments. */
  static Outcome run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    for (String name : new String[] {"tenon.library.path", "tenon.source.dir"}) {
      command.add("-D" + name + "=" + System.getProperty(name));
    }
    // Pass the parent's native access flags to the child.
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
    return new Outcome(process.exitValue(), Files.readString(log));
  }
}
