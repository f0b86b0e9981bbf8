// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class DispatchKeyTest {
  @Test
  void of_namesDevicesAndDefault() {
    assertEquals(DispatchKey.CPU, DispatchKey.of("CPU"));
    assertEquals(DispatchKey.CUDA, DispatchKey.of("cuda"));
    assertEquals(DispatchKey.AUTOGRAD, DispatchKey.of("Autograd"));
    assertEquals(DispatchKey.COMPOSITE_EXPLICIT_AUTOGRAD, DispatchKey.of("default"));
    assertTrue(DispatchKey.AUTOGRAD.isAlias() && !DispatchKey.AUTOGRAD_CPU.isAlias());
    assertEquals("AutogradCPU", DispatchKey.AUTOGRAD_CPU.toString());
    Support.fails(ErrorCode.NOT_FOUND, () -> DispatchKey.of("Quantum"), "Quantum");
    Support.fails(ErrorCode.NOT_FOUND, () -> DispatchKey.of("qpu"), "qpu", "cpu");
  }

  @Test
  void keySet_operations() {
    DispatchKeySet set = DispatchKeySet.of(DispatchKey.CPU, DispatchKey.AUTOGRAD_CPU);
    assertEquals("{AutogradCPU, CPU}", set.toString());
    assertEquals(DispatchKey.AUTOGRAD_CPU, set.highest());
    assertTrue(set.has(DispatchKey.CPU));
    assertFalse(set.has(DispatchKey.CUDA));
    assertEquals(DispatchKey.CPU, set.below(DispatchKey.AUTOGRAD_CPU).highest());
    assertEquals(DispatchKey.CPU, set.remove(DispatchKey.AUTOGRAD_CPU).highest());
    assertEquals(set, DispatchKeySet.of(DispatchKey.CPU).add(DispatchKey.AUTOGRAD_CPU));
    assertTrue(DispatchKeySet.EMPTY.isEmpty());
    assertEquals(DispatchKey.UNDEFINED, DispatchKeySet.EMPTY.highest());
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> DispatchKeySet.of(DispatchKey.AUTOGRAD));
  }

  @Test
  void register_backendAndFunctionality() {
    DispatchKey npu = DispatchKey.registerBackend("jnpu");
    assertEquals(npu, DispatchKey.registerBackend("jnpu"));
    assertEquals("jnpu", Device.of("jnpu").typeName());
    DispatchKey profiler = DispatchKey.register("JProfiler", "Autograd", true, false);
    assertEquals(profiler, DispatchKey.of("JProfiler"));
    Support.fails(
        ErrorCode.NOT_FOUND,
        () -> DispatchKey.register("JOther", "Nothing", false, false),
        "Nothing");
  }

  @Test
  void guards_nestAndRestore() throws Throwable {
    Support.leavesNothing(
        () -> {
          DispatchKeySet excluded = DispatchKeySet.excluded();
          DispatchKeySet included = DispatchKeySet.included();
          try (KeyGuard a = KeyGuard.exclude(DispatchKey.BATCHED)) {
            assertTrue(DispatchKeySet.excluded().has(DispatchKey.BATCHED));
            try (KeyGuard b = KeyGuard.include(DispatchKey.TRACER)) {
              assertTrue(DispatchKeySet.included().has(DispatchKey.TRACER));
              try (KeyGuard c = KeyGuard.force(DispatchKeySet.EMPTY, DispatchKeySet.EMPTY)) {
                assertTrue(DispatchKeySet.excluded().isEmpty());
              }
            }
            a.close();
            a.close();
          }
          assertEquals(excluded, DispatchKeySet.excluded());
          assertEquals(included, DispatchKeySet.included());
        });
  }

  @Test
  void guards_wrongOrderOrThread_areRefused() throws Exception {
    KeyGuard a = KeyGuard.exclude(DispatchKey.AUTOGRAD_CPU);
    KeyGuard b = KeyGuard.exclude(DispatchKey.TRACER);
    Support.fails(ErrorCode.STATE, a::close);
    var executor = Executors.newSingleThreadExecutor();
    try {
      var failure = executor.submit(() -> Support.fails(ErrorCode.STATE, b::close, "thread"));
      failure.get();
    } finally {
      executor.shutdown();
    }
    b.close();
    a.close();
  }

  @Test
  void threadState_carriesGuardsToAnotherThread() throws Throwable {
    Support.leavesNothing(
        () -> {
          var executor = Executors.newSingleThreadExecutor();
          try (KeyGuard guard = KeyGuard.exclude(DispatchKey.TRACER);
              ThreadState state = ThreadState.capture()) {
            assertFalse(
                executor.submit(() -> DispatchKeySet.excluded().has(DispatchKey.TRACER)).get());
            assertTrue(
                executor
                    .submit(
                        () -> state.call(() -> DispatchKeySet.excluded().has(DispatchKey.TRACER)))
                    .get());
            assertFalse(
                executor.submit(() -> DispatchKeySet.excluded().has(DispatchKey.TRACER)).get());
          } finally {
            executor.shutdown();
          }
        });
  }
}
