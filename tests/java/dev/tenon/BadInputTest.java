// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Every kind of bad input, thousands of times: each is a clear error, nothing changes, and neither
 * handles nor memory grow.
 */
class BadInputTest {
  private static final int REPEATS = Integer.getInteger("tenon.test.repeats", 10_000);
  private static final int ROUNDS = 20; // most pass in the first
  private static final long ALLOWED_KIB = 512; // 50 bytes a repeat

  private record Case(
      String name, Class<? extends Throwable> type, String[] texts, Executable body) {
    void run() {
      Throwable thrown = assertThrows(type, body, name);
      Support.contains(String.valueOf(thrown.getMessage()), texts);
    }
  }

  private final List<Case> cases = new ArrayList<>();

  private void bad(Executable body, Class<? extends Throwable> type, String name, String... texts) {
    cases.add(new Case(name, type, texts, body));
  }

  @Test
  void badInput_leavesNothingTenThousandTimes() throws Throwable {
    Support.plugin();
    try (Library lib = Support.library();
        Tensor x = Tensor.of(new float[] {1, 2, 3});
        Tensor y = Tensor.of(new float[] {1, 2})) {
      fill(lib, x, y);
      String before = Introspect.operators().toString();
      for (Case c : cases) {
        c.run();
      }
      assertEquals(before, Introspect.operators().toString());
      for (Case c : cases) {
        for (int i = 0; i < REPEATS / 5; i++) { // compiled from here on
          c.run();
        }
      }
      Support.settled();
      for (Case c : cases) {
        repeat(c);
      }
      assertEquals(1, x.useCount());
    }
  }

  // A leak grows in every round. The VM's own memory (compiled code, compiler data) settles after
  // one or two rounds, or later if other load delays the compiler.
  private static void repeat(Case c) throws Throwable {
    long grown = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && grown >= ALLOWED_KIB; round++) {
      System.gc();
      long resident = Support.residentKib();
      Support.leavesNothing(
          () -> {
            for (int i = 0; i < REPEATS; i++) {
              c.run();
            }
          });
      System.gc();
      grown = Support.residentKib() - resident;
    }
    assertTrue(
        grown < ALLOWED_KIB, c.name + ": resident memory grew by " + grown + " KiB in each round");
  }

  private void fill(Library lib, Tensor x, Tensor y) {
    String ns = lib.namespace();
    Op op = lib.define("f(Tensor a, Tensor b, int n=1, *, str s=\"\") -> Tensor");
    lib.impl(
        "f",
        "CPU",
        args -> {
          Tensor a = (Tensor) args[0];
          Tensor b = (Tensor) args[1];
          if (a.numel() != b.numel()) {
            throw TenonException.value(
                ns + "::f", "'b'", "of " + a.numel() + " elements", "" + b.numel());
          }
          return Tensor.scalar(1.0);
        });
    Op cuda = lib.define("cuda_only(Tensor a) -> Tensor");
    lib.impl("cuda_only", "CUDA", args -> args[0]);
    Op throwing = lib.define("throwing(Tensor a) -> Tensor");
    lib.impl(
        "throwing",
        "CPU",
        args -> {
          throw new IllegalArgumentException("no such luck");
        });
    Op invoke = Operators.find("javatest::invoke");
    Op invoke2 = Operators.find("javatest::invoke2");
    Tensor closed = Tensor.of(new float[1]);
    closed.close();
    Class<TenonException> error = TenonException.class;
    bad(() -> op.call((Object) x), error, "wrong count", ns + "::f: b must be given");
    bad(() -> op.call(x, x, 1, 2, 3), error, "too many", ns + "::f", "at most 3, got 5");
    bad(() -> op.call(x, "text"), error, "wrong type", ns + "::f", "b must be Tensor", "str");
    bad(() -> op.with("t", 1).call(x, x), error, "unknown name", ns + "::f", "'t'");
    bad(() -> Operators.find(ns + "::g"), error, "unknown operator", ns + "::g");
    bad(() -> Operators.find(ns + "::f.over"), error, "unknown overload", "over");
    bad(() -> DispatchKey.of("Nokey"), error, "unknown key", "Nokey");
    bad(() -> lib.impl("f", "Nokey", args -> null), error, "kernel for an unknown key", "Nokey");
    bad(() -> lib.define("f(Tensor x) -> Tensor"), error, "duplicate definition", ns + "::f");
    bad(() -> Library.open(ns, Library.Kind.DEF), error, "duplicate library", ns);
    bad(() -> cuda.call(x), error, "kernel missing", ns + "::cuda_only", "CPU");
    bad(() -> throwing.call(x), IllegalArgumentException.class, "kernel throwing", "no such luck");
    bad(
        () -> invoke.callTensor(ns + "::throwing", x),
        IllegalArgumentException.class,
        "kernel throwing through C",
        "no such luck");
    bad(() -> Operators.find("javatest::fail").call(), error, "kernel of C failing", "fail");
    bad(() -> lib.define("h(Tensor x -> Tensor"), error, "malformed schema", "^");
    bad(() -> Schema.parse("h(Tensor x,, int n) -> Tensor"), error, "malformed schema text", "^");
    bad(() -> op.call(x, y, 1), error, "mismatched shapes", ns + "::f", "'b'", "3");
    bad(
        () -> invoke2.callTensor("javatest::first2", x, closed),
        IllegalStateException.class,
        "closed handle",
        "javatest::invoke2",
        "y must be an open Tensor",
        "closed");
    bad(closed::numel, IllegalStateException.class, "closed handle used", "Tensor", "closed");
    bad(() -> Tensor.fromDLPack(0), error, "bad DLPack", "managed");
    bad(() -> Plugin.load("nothing_here"), error, "missing plugin", "nothing_here");
    String abi = Support.nativeFolder().resolve("libtenon_javatest_abi.so").toString();
    bad(() -> Plugin.load(abi), error, "plugin for another ABI", "99");
    bad(() -> Tensor.of(new float[3], 2), error, "wrong sizes", "3 elements");
  }
}
