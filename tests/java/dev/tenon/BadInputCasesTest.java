// SPDX-License-Identifier: Apache-2.0
// Runs the cases of tests/badinput/cases.txt that can be written in Java.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Each case twice, with a dump of everything registered, of all live handles and of the thread's
 * keys before and after, which must be equal. tests/badinput/README.md explains the cases.
 */
class BadInputCasesTest {
  /** One line of the catalogue. */
  record Case(int line, String what, String call, String code, String names, List<String> args) {
    String title() {
      return call + ": " + what;
    }

    String arg(int index) {
      return args.get(index);
    }
  }

  /** Thrown if Java cannot make the call. */
  static final class Unsayable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unsayable(String why) {
      super(why, null, false, false);
    }
  }

  /** Cases where Java's rules differ, and why. */
  private static final Map<String, String> OTHERWISE =
      Map.of(
          "define: kernels wait with another schema", "a Java kernel has no schema of its own",
          "define: kernels wait with another typed form", "a Java kernel has no typed form",
          "call: bool for int", "a bool is an int",
          "call: int for float", "an int converts",
          "call: int[] for float[]", "ints convert",
          "call: float for complex", "a float converts",
          "results: int for float", "any number is taken for float",
          "explain: float for a keyword-only int", "it goes by name alone");

  /** Words in messages of cases that fail in argument binding or in Java's own checks. */
  private static final Map<String, String> IN_OTHER_WORDS =
      Map.of(
          "call: too few", "bad::called & x must be given",
          "plain_call: too few", "bad::called & x must be given",
          "call: vararg without the fixed one", "bad::called & x must be given",
          "explain: too few", "bad::called & x must be given",
          "explain: vararg without the fixed one", "bad::called & x must be given",
          "results: second of two wrong", "result 1 must be int, got float",
          "tensor_wrap: size negative", "sizes & [-1]",
          "tensor_wrap: too many elements", "sizes & [4611686018427387904, 4]");

  /** Number of each call's cases that Java can express, so that none is skipped by mistake. */
  private static final Map<String, Integer> EXPECTED =
      Map.ofEntries(
          Map.entry("backend_register", 6),
          Map.entry("backward", 4),
          Map.entry("call", 37),
          Map.entry("call_key", 4),
          Map.entry("define", 8),
          Map.entry("define_options", 2),
          Map.entry("device_parse", 10),
          Map.entry("dtype_parse", 4),
          Map.entry("dtype_promote", 1),
          Map.entry("dual_enter", 1),
          Map.entry("dual_make", 4),
          Map.entry("dual_unpack", 1),
          Map.entry("explain", 6),
          Map.entry("failing", 1),
          Map.entry("fallback", 7),
          Map.entry("functionality_register", 19),
          Map.entry("generator_make", 3),
          Map.entry("generator_set_state", 12),
          Map.entry("grad", 3),
          Map.entry("impl", 12),
          Map.entry("key_for_device", 2),
          Map.entry("key_parse", 6),
          Map.entry("keys", 2),
          Map.entry("keyset_from_key", 4),
          Map.entry("library_new", 13),
          Map.entry("op_find", 11),
          Map.entry("plain_call", 9),
          Map.entry("plugin_load", 9),
          Map.entry("redispatch", 1),
          Map.entry("register_autograd", 6),
          Map.entry("results", 8),
          Map.entry("saved_hooks_disable", 1),
          Map.entry("saved_hooks_push", 1),
          Map.entry("schema_compatible", 6),
          Map.entry("schema_parse", 56),
          Map.entry("set_grad", 3),
          Map.entry("set_requires_grad", 2),
          Map.entry("simulator_new", 3),
          Map.entry("simulator_register", 10),
          Map.entry("simulator_remove", 6),
          Map.entry("simulator_slot", 2),
          Map.entry("slot", 2),
          Map.entry("tensor_data", 2),
          Map.entry("tensor_new", 9),
          Map.entry("tensor_number", 2),
          Map.entry("tensor_wrap", 3),
          Map.entry("wrapper", 4));

  /** Splits at " | ". Bars share their spaces around an empty field: "a | | b". */
  private static List<String> fields(String line) {
    List<String> found = new ArrayList<>();
    String rest = line.endsWith(" |") ? line + " " : line;
    while (true) {
      int bar = rest.startsWith("| ") ? 0 : rest.indexOf(" | ");
      if (bar < 0) {
        found.add(rest);
        return found;
      }
      found.add(rest.substring(0, bar));
      rest = rest.substring(rest.startsWith("| ") ? 2 : bar + 3);
    }
  }

  private static List<Case> cases() throws IOException {
    List<Case> found = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file())) {
      number++;
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      List<String> all = fields(line);
      List<String> args = all.subList(4, all.size());
      found.add(new Case(number, all.get(0), all.get(1), all.get(2), all.get(3), args));
    }
    return found;
  }

  static Path file() {
    return Path.of(System.getProperty("tenon.source.dir"), "tests", "badinput", "cases.txt");
  }

  /** Returns what is wrong with a refusal: "" for nothing, null if Java cannot express the case. */
  private static String verdict(BadCalls world, Case one) {
    BadCalls.Call call = world.calls.get(one.call);
    if (call == null) {
      return null;
    }
    try {
      call.make(one);
    } catch (Unsayable e) {
      return null;
    } catch (TenonException e) {
      if (!e.errorCode().toString().equals(one.code)) {
        return "code must be " + one.code + ", got " + e.errorCode() + ": " + e.getMessage();
      }
      for (String name : IN_OTHER_WORDS.getOrDefault(one.title(), one.names).split(" & ")) {
        if (!e.getMessage().contains(name)) {
          return "must name \"" + name + "\", got " + e.getMessage();
        }
      }
      return "";
    } catch (Throwable e) { // Java's own
      return "must be a TenonException, got " + e;
    }
    return "must be refused, was accepted";
  }

  @Test
  void cases_areRefusedAndChangeNothing() throws IOException {
    List<Case> cases = cases();
    assertTrue(cases.size() >= 556, cases.size() + " cases");
    Map<String, Integer> ran = new TreeMap<>();
    List<String> wrong = new ArrayList<>();
    Support.settled(); // what other tests forgot
    try (BadCalls world = new BadCalls()) {
      String before = world.state();
      for (Case one : cases) {
        if (OTHERWISE.containsKey(one.title())) {
          continue;
        }
        String first = verdict(world, one);
        String second = verdict(world, one);
        String after = world.state();
        String place = "cases.txt:" + one.line + ": " + one.title() + ": ";
        if (first != null) {
          if (!(first + second).isEmpty()) {
            wrong.add(place + (first.isEmpty() ? second : first));
          } else {
            ran.merge(one.call, 1, Integer::sum);
          }
        }
        if (!before.equals(after)) {
          wrong.add(place + "must change nothing, got\n" + before + "\nthen\n" + after);
        }
        before = after;
      }
      Introspect.checkInvariants();
    }
    assertTrue(wrong.isEmpty(), wrong.size() + " wrong:\n" + String.join("\n", wrong));
    EXPECTED.forEach(
        (call, count) -> assertTrue(ran.getOrDefault(call, 0) >= count, call + ": " + ran));
    int total = ran.values().stream().mapToInt(Integer::intValue).sum();
    System.out.println(total + " of " + cases.size() + " cases ran: " + ran);
  }

  @Test
  void exceptionsAndCalls_areInTheCatalogue() throws IOException {
    Set<String> titles = new HashSet<>();
    Set<String> calls = new HashSet<>();
    for (Case one : cases()) {
      titles.add(one.title());
      calls.add(one.call);
    }
    assertTrue(titles.containsAll(OTHERWISE.keySet()));
    assertTrue(titles.containsAll(IN_OTHER_WORDS.keySet()));
    try (BadCalls world = new BadCalls()) {
      assertTrue(calls.containsAll(world.calls.keySet()));
      assertEquals(EXPECTED.keySet(), world.calls.keySet());
    }
  }
}
