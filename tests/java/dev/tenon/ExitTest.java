// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each scenario of {@link ExitRun} in a separate JVM. TENON_STRESS=long repeats each twenty times;
 * TENON_EXIT_RESULTS names a file to which the counts are appended.
 */
@Tag("child")
class ExitTest {
  private static final int REPEATS = "long".equals(System.getenv("TENON_STRESS")) ? 20 : 1;

  static Set<String> names() {
    return ExitRun.SCENARIOS.keySet();
  }

  @ParameterizedTest
  @MethodSource("names")
  void endsQuietlyWithItsOwnStatus(String name) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < REPEATS; i++) {
      String said = run(name);
      if (!said.isEmpty()) {
        wrong.add(said);
      }
    }
    record(name, wrong.size());
    assertEquals(List.of(), wrong);
  }

  /** Runs a scenario once and returns what was wrong with its exit, or "". */
  private static String run(String name) throws IOException, InterruptedException {
    ExitRun.Scenario wanted = ExitRun.SCENARIOS.get(name);
    // A small machine, quickly started.
    ChildJvm.Outcome outcome =
        ChildJvm.run("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "dev.tenon.ExitRun", name);
    boolean quiet = wanted.output().isEmpty();
    boolean good = quiet ? outcome.output().isEmpty() : outcome.output().contains(wanted.output());
    return good && outcome.status() == wanted.status()
        ? ""
        : "status " + outcome.status() + ", must be " + wanted.status() + ": " + outcome.output();
  }

  private static void record(String name, int failures) throws IOException {
    String results = System.getenv("TENON_EXIT_RESULTS");
    if (results != null) {
      String line = "Java " + Runtime.version().feature();
      line += "\t" + name + "\t" + REPEATS + "\t" + failures + "\n";
      Files.writeString(
          Path.of(results), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
