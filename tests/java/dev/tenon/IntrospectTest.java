// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class IntrospectTest {
  @Test
  void slotsAndDumps_sayWhoRegisteredWhat() {
    try (Library lib = Support.library()) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl("f", "CPU", args -> args[0]);
      lib.impl("f", "default", args -> args[0]);
      Introspect.Slot cpu = Introspect.slot(op, DispatchKey.CPU);
      assertEquals(Introspect.Provenance.KERNEL, cpu.provenance());
      assertEquals("Java", cpu.language());
      assertEquals("IntrospectTest.java", cpu.file());
      assertTrue(cpu.line() > 10);
      Introspect.Slot cuda = Introspect.slot(op, DispatchKey.CUDA);
      assertEquals(Introspect.Provenance.DEFAULT_BACKEND_KERNEL, cuda.provenance());
      assertEquals(DispatchKey.COMPOSITE_EXPLICIT_AUTOGRAD, cuda.sourceKey());
      assertTrue(Introspect.slot(op, DispatchKey.AUTOCAST_CPU).fallthrough());
      Support.contains(Introspect.dump(op), op.name(), "IntrospectTest.java");
      Support.contains(Introspect.table(op), "CPU", "IntrospectTest");
      assertTrue(Introspect.operators().contains(op));
      Introspect.checkInvariants();
      Support.fails(
          ErrorCode.INVALID_ARGUMENT, () -> Introspect.slot(op, DispatchKey.AUTOGRAD), "Autograd");
    }
  }

  @Test
  void profile_withALimit_keepsTheFirstAndCountsTheRest() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library();
              Scope scope = Scope.open()) {
            Op op = lib.define("f(Tensor x) -> Tensor");
            lib.impl("f", "CPU", args -> args[0]);
            Tensor x = Tensor.of(new float[1]);
            Profile profile = Introspect.profile(2);
            try (profile) {
              for (int i = 0; i < 5; i++) {
                op.call(x);
              }
              assertThrows(IllegalStateException.class, profile::dropped);
            }
            assertEquals(2, profile.events().size());
            assertEquals(3, profile.dropped());
            assertThrows(TenonException.class, () -> Introspect.profile(-1));
          }
        });
  }

  @Test
  void profile_nestsDispatches() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library();
              Scope scope = Scope.open()) {
            Op inner = lib.define("inner(Tensor x) -> Tensor");
            Op outer = lib.define("outer(Tensor x) -> Tensor");
            lib.impl("inner", "CPU", args -> args[0]);
            lib.impl("outer", "CPU", args -> inner.call((Tensor) args[0]));
            lib.impl(
                "outer",
                DispatchKey.AUTOGRAD_CPU,
                (keys, args) -> outer.redispatch(keys.below(DispatchKey.AUTOGRAD_CPU), args));
            Tensor x = Tensor.of(new float[1]);
            Profile profile = Introspect.profile();
            try (profile) {
              outer.call(x);
              assertThrows(IllegalStateException.class, profile::events);
            }
            profile.close();
            outer.call(x); // after the end: not recorded
            List<Profile.Event> events = profile.events();
            assertEquals(
                List.of(outer.name(), outer.name(), inner.name()),
                events.stream().map(Profile.Event::op).toList());
            assertEquals(List.of(0, 1, 2), events.stream().map(Profile.Event::depth).toList());
            assertEquals(
                List.of(DispatchKey.AUTOGRAD_CPU, DispatchKey.CPU, DispatchKey.CPU),
                events.stream().map(Profile.Event::key).toList());
            assertEquals(
                List.of(false, true, false),
                events.stream().map(Profile.Event::redispatch).toList());
            Support.contains(profile.toString(), "  redispatch " + outer.name() + " [CPU] Java");
            assertEquals(
                List.of(-1, 0, 1), events.stream().map(Profile.Event::parent).toList());
            for (Profile.Event event : events) {
              assertEquals("IntrospectTest.java", event.file());
              assertFalse(event.failed());
              assertTrue(event.toString().endsWith(" us"), event.toString());
            }
            for (int i = 1; i < events.size(); i++) {
              Profile.Event around = events.get(i - 1);
              Profile.Event inside = events.get(i);
              assertTrue(around.begin().compareTo(inside.begin()) <= 0);
              assertTrue(
                  inside.begin().plus(inside.duration())
                          .compareTo(around.begin().plus(around.duration()))
                      <= 0);
            }
          }
        });
  }

  @Test
  void profiles_nestAndTellFailures() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library();
              Scope scope = Scope.open()) {
            Op op = lib.define("f(Tensor x) -> Tensor");
            IllegalStateException thrown = new IllegalStateException("broken");
            lib.impl(
                "f",
                "CPU",
                args -> {
                  throw thrown;
                });
            Tensor x = Tensor.of(new float[1]);
            Profile outer = Introspect.profile();
            Profile inner = Introspect.profile();
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> op.call(x)));
            inner.close();
            assertThrows(IllegalStateException.class, () -> op.call(x));
            outer.close();
            assertEquals(1, inner.events().size());
            assertEquals(2, outer.events().size());
            assertTrue(outer.events().stream().allMatch(Profile.Event::failed));
            Support.contains(inner.toString(), " failed ");
          }
        });
  }

  @Test
  void explain_saysWhatWouldRunAndRunsNothing() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library();
              Scope scope = Scope.open()) {
            Op op = lib.define("f(Tensor x, int n=2) -> Tensor");
            lib.impl(
                "f",
                "CPU",
                args -> {
                  throw new AssertionError("called");
                });
            Tensor x = Tensor.of(new float[1]);
            String text = Introspect.explain(op, x);
            Support.contains(
                text,
                op.name() + "(Tensor x, int n=2) -> Tensor",
                "  x has {AutocastCPU, ADInplaceOrView, CPU}",
                "the highest key is CPU: ",
                "(Java at IntrospectTest.java:",
                "nothing is below CPU");
            assertEquals(text, op.explain(x, 3));
            assertThrows(TenonException.class, () -> op.explain("no tensor"));
          }
        });
  }

  @Test
  void slots_areTheFilledOnes() {
    try (Library lib = Support.library()) {
      Op op = lib.define("f(Tensor x) -> Tensor");
      lib.impl("f", DispatchKey.AUTOGRAD, args -> args[0]);
      var slots = Introspect.slots(op);
      assertEquals(
          Introspect.Provenance.AUTOGRAD_KERNEL, slots.get(DispatchKey.AUTOGRAD_CPU).provenance());
      assertFalse(slots.containsKey(DispatchKey.CPU));
      assertTrue(slots.get(DispatchKey.AUTOCAST_CPU).fallthrough());
      assertTrue(Introspect.keys().contains(DispatchKey.AUTOGRAD_CPU));
      assertFalse(Introspect.keys().contains(DispatchKey.AUTOGRAD));
      Introspect.checkInvariants(op);
    }
  }

  @Test
  void danglingOperators_haveKernelsOnly() {
    try (Library lib = Support.library()) {
      lib.impl("h", "CPU", args -> args[0]);
      Op dangling =
          Introspect.danglingOperators().stream()
              .filter(op -> op.name().endsWith("::h"))
              .findFirst()
              .orElseThrow();
      assertFalse(Introspect.operators().contains(dangling));
      Support.contains(Introspect.dump(dangling), "schema: (none)", "IntrospectTest.java");
    }
  }

  @Test
  void simulator_computesTablesOfAnImaginedOperator() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Simulator simulator = Simulator.of("f(Tensor x) -> Tensor")) {
            simulator.register("CPU", "CompositeImplicitAutograd");
            assertEquals(
                Introspect.Provenance.BACKEND_FALLBACK,
                simulator.slot(DispatchKey.AUTOGRAD_CPU).provenance());
            Support.contains(
                simulator.dispatchTable(), "fn_CompositeImplicitAutograd [math kernel]");
            assertFalse(simulator.dispatchTable().contains("fallback"));
            Support.contains(simulator.rawDispatchTable(), "[backend fallback]");
            Support.contains(simulator.registrations(), "CPU", "fn_CPU");
            Support.contains(simulator.rawRegistrations(), "simulated::f(Tensor x) -> Tensor");
            Support.contains(
                simulator.explain(DispatchKeySet.of(DispatchKey.CPU)),
                "the highest key is CPU: fn_CPU runs [kernel]");
            simulator.remove("CPU");
            assertEquals(
                Introspect.Provenance.MATH_KERNEL,
                simulator.slot(DispatchKey.AUTOGRAD_CPU).provenance());
            simulator.registerFallthrough("AutogradCUDA");
            assertTrue(simulator.slots().get(DispatchKey.AUTOGRAD_CUDA).fallthrough());
          }
        });
  }

  @Test
  void simulator_refusesBadRegistrationsWhole() {
    try (Simulator simulator = Simulator.of("f(Tensor x) -> Tensor")) {
      Support.fails(
          ErrorCode.NOT_FOUND, () -> simulator.register("CPU", "NoSuchKey"), "NoSuchKey");
      Support.fails(
          ErrorCode.INVALID_ARGUMENT, () -> simulator.register("CPU", "CPU"), "CPU twice");
      assertFalse(simulator.slots().containsKey(DispatchKey.CPU));
      Support.fails(ErrorCode.NOT_FOUND, () -> simulator.remove("CPU"), "CPU");
      Support.fails(ErrorCode.PARSE, () -> Simulator.of("f(Tensor"), "f(Tensor");
    }
  }

  @Test
  void liveHandles_countTensors() {
    long before = Introspect.liveHandles().get("tensor");
    try (Tensor t = Tensor.of(new float[1])) {
      assertEquals(before + 1, Introspect.liveHandles().get("tensor"));
    }
    assertEquals(before, Introspect.liveHandles().get("tensor"));
  }
}
