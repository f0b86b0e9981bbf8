// SPDX-License-Identifier: Apache-2.0
// Wrong calls about explanations and simulators, as Java has them.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tenon.BadInputCasesTest.Unsayable;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;

/** Cases that README.md lists under explanations and simulators. */
final class BadIntrospection {
  private BadIntrospection() {}

  static void add(Map<String, BadCalls.Call> calls, BadCalls world) {
    calls.put(
        "explain",
        one -> {
          if (one.arg(0).startsWith("@") || one.arg(1).startsWith("@")) {
            throw new Unsayable("operators have a schema, arrays a length");
          }
          Object[] given = world.values(one.arg(1));
          BadCalls.withCalled(one.arg(0), args -> args[0], op -> op.explain(given));
        });
    calls.put("simulator_new", one -> Simulator.of(one.arg(0)).close());
    calls.put(
        "simulator_register",
        one -> {
          if (one.arg(0).startsWith("@null") || one.arg(0).startsWith("@count")) {
            throw new Unsayable("arrays have an address and a length");
          }
          String[] keys =
              Arrays.stream(one.arg(0).split(","))
                  .map(key -> key.equals("@empty") ? "" : BadCalls.text(key))
                  .toArray(String[]::new);
          withSimulator(
              simulator -> {
                switch (one.arg(1)) {
                  case "0" -> simulator.register(keys);
                  case "1" -> simulator.registerFallthrough(keys);
                  default -> throw new Unsayable("flags are methods");
                }
              });
        });
    calls.put(
        "simulator_remove",
        one -> withSimulator(simulator -> simulator.remove(BadCalls.text(one.arg(0)))));
    calls.put(
        "simulator_slot",
        one -> {
          if (one.arg(0).contains("=")) {
            throw new Unsayable("the struct is Java's own");
          }
          withSimulator(simulator -> simulator.slot(BadCalls.key(one.arg(0))));
        });
    calls.put(
        "wrapper",
        one -> {
          if (!one.arg(0).equals("ok")) {
            throw new Unsayable("the type is Java's own");
          }
          Dispatching declining = call -> Overridden.DECLINED;
          DType dtype = BadCalls.dtype(one.arg(1));
          Tensor.wrapper(
                  declining, dtype, BadCalls.device(one.arg(2)), BadCalls.dims(one.arg(3)))
              .close();
        });
  }

  // Makes a simulator with kernels on CPU and Autograd, which must be unchanged afterwards.
  private static void withSimulator(Consumer<Simulator> call) {
    try (Simulator simulator = Simulator.of("f(Tensor x) -> Tensor")) {
      simulator.register("CPU", "Autograd");
      String before = simulator.rawRegistrations();
      try {
        call.accept(simulator);
      } finally {
        assertEquals(before, simulator.rawRegistrations());
      }
    }
  }
}
