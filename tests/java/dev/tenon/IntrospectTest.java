// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
      assertTrue(Introspect.slot(op, DispatchKey.TRACER).fallthrough());
      Support.contains(Introspect.dump(op), op.name(), "IntrospectTest.java");
      Support.contains(Introspect.table(op), "CPU", "IntrospectTest");
      assertTrue(Introspect.operators().contains(op));
      Introspect.checkInvariants();
      Support.fails(
          ErrorCode.INVALID_ARGUMENT, () -> Introspect.slot(op, DispatchKey.AUTOGRAD), "Autograd");
    }
  }

  @Test
  void trace_nestsDispatches() throws Throwable {
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
            Trace trace = Introspect.trace();
            try (trace) {
              outer.call(x);
              assertThrows(IllegalStateException.class, trace::events);
            }
            trace.close();
            outer.call(x); // after the end: not recorded
            List<Trace.Event> events = trace.events();
            assertEquals(
                List.of(outer.name(), outer.name(), inner.name()),
                events.stream().map(Trace.Event::op).toList());
            assertEquals(List.of(0, 1, 2), events.stream().map(Trace.Event::depth).toList());
            assertEquals(
                List.of(DispatchKey.AUTOGRAD_CPU, DispatchKey.CPU, DispatchKey.CPU),
                events.stream().map(Trace.Event::key).toList());
            assertEquals(
                List.of(false, true, false), events.stream().map(Trace.Event::redispatch).toList());
            Support.contains(trace.toString(), "  redispatch " + outer.name() + " [CPU] Java");
          }
        });
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
