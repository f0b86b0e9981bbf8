// SPDX-License-Identifier: Apache-2.0
// Shared parts of the tests: checks of live handles, the test plugin, memory figures.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.function.Executable;

/** Helpers of the tests. */
final class Support {
  private static final AtomicInteger NAMESPACE = new AtomicInteger();

  private Support() {}

  /** A namespace that no other test uses. */
  static String namespace() {
    return "jtest" + NAMESPACE.incrementAndGet();
  }

  static Library library() {
    return Library.open(namespace(), Library.Kind.DEF);
  }

  static Path nativeFolder() {
    return Path.of(System.getProperty("tenon.library.path"));
  }

  /** Loads the plugin with the operators `javatest::…` of tests/java/native. */
  static Plugin plugin() {
    return Plugin.load(nativeFolder().resolve("libtenon_javatest.so").toString());
  }

  /**
   * Counts live native objects and Java references after a garbage collection, with operators
   * loaded.
   */
  static Map<String, Long> handles() {
    Operators.find("aten::neg");
    Introspect.reap();
    Map<String, Long> counts = new HashMap<>(Introspect.liveHandles());
    counts.put("java", (long) Introspect.referencedObjects());
    return counts;
  }

  /**
   * Runs a body and checks that it leaks no native handle, without a garbage collection. Counts may
   * fall, because handles of earlier tests can be collected at the same time.
   */
  static void leavesNothing(Executable body) throws Throwable {
    Map<String, Long> before = handles();
    body.execute();
    assertEquals(before, atLeast(before, handles()));
  }

  private static Map<String, Long> atLeast(Map<String, Long> before, Map<String, Long> after) {
    after.replaceAll((kind, count) -> Math.max(count, before.get(kind)));
    return after;
  }

  /** Runs something and checks that it leaves nothing native behind once garbage is collected. */
  static void leavesNothingAfterCollection(Executable body) throws Throwable {
    Map<String, Long> before = settled();
    body.execute();
    for (int i = 0; i < 50 && !atLeast(before, handles()).equals(before); i++) {
      collect();
    }
    assertEquals(before, atLeast(before, handles()));
  }

  /** Counts the handles once all unreachable objects are collected. */
  static Map<String, Long> settled() {
    Map<String, Long> counts = handles();
    // The cleaner may run late: the counts must stay equal over several collections.
    for (int same = 0; same < 5; same++) {
      collect();
      Map<String, Long> now = handles();
      if (!now.equals(counts)) {
        counts = now;
        same = 0;
      }
    }
    return counts;
  }

  /** Returns true if C entered this thread's innermost kernel by the stub and not by JNI. */
  static boolean enteredByStub() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .dropWhile(frame -> !frame.getMethodName().equals("dispatch"))
                    .skip(1)
                    .findFirst())
        .map(frame -> frame.getMethodName().equals("enter"))
        .orElse(false);
  }

  static void collect() {
    System.gc();
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Resident memory of this process, in KiB. */
  static long residentKib() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException("no VmRSS");
  }

  /**
   * Checks that something fails with a code and texts in its message, and returns the exception.
   */
  static TenonException fails(ErrorCode code, Executable body, String... texts) {
    TenonException e = assertThrows(TenonException.class, body);
    assertEquals(code, e.errorCode(), e.toString());
    contains(e.getMessage(), texts);
    return e;
  }

  static void contains(String message, String... texts) {
    for (String text : texts) {
      if (!message.contains(text)) {
        throw new AssertionError("no '" + text + "' in: " + message);
      }
    }
  }
}
