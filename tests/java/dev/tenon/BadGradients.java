// SPDX-License-Identifier: Apache-2.0
// Wrong calls about gradients, as Java has them.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tenon.BadInputCasesTest.Case;
import dev.tenon.BadInputCasesTest.Unsayable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Cases of leaves, formulas and backward passes. */
final class BadGradients {
  private static final List<String> OWN =
      List.of("struct_size", "reserved", "flags", "outputs", "inputs");

  private BadGradients() {}

  static void add(Map<String, BadCalls.Call> calls, BadCalls world) {
    calls.put(
        "set_requires_grad",
        one -> {
          try (Scope scope = Scope.open()) {
            switch (one.arg(0)) {
              case "ints" -> Tensor.of(new long[2]).requiresGrad(true);
              case "undefined" -> Tensor.undefined().requiresGrad(true);
              default -> throw new Unsayable("no NULL handles");
            }
          }
        });
    calls.put("set_grad", BadGradients::setGrad);
    calls.put(
        "register_autograd",
        one -> {
          if (one.arg(2).equals("NULL") || !one.arg(3).isEmpty()) {
            throw new Unsayable("the struct is Java's own");
          }
          world.library(one.arg(0)).registerAutograd(BadCalls.text(one.arg(1)), one.arg(2));
        });
    calls.put("dual_enter", one -> nestedLevel());
    calls.put("dual_make", BadGradients::makeDual);
    calls.put("dual_unpack", BadGradients::unpackDual);
    calls.put("saved_hooks_push", BadGradients::disabledHooks);
    calls.put("saved_hooks_disable", one -> lateRefusal());
    calls.put("backward", one -> pass(one, false));
    calls.put("grad", one -> pass(one, true));
  }

  private static void nestedLevel() {
    try (DualLevel level = DualLevel.enter()) {
      DualLevel.enter();
    }
  }

  private static Tensor dualPart(String name) {
    return switch (name) {
      case "undefined" -> Tensor.undefined();
      case "floats" -> Tensor.of(new float[2]);
      case "more" -> Tensor.of(new float[3]);
      case "doubles" -> Tensor.of(new double[2]);
      case "ints" -> Tensor.of(new long[2]);
      default -> throw new Unsayable("no NULL handles");
    };
  }

  private static void makeDual(Case one) {
    try (Scope scope = Scope.open();
        DualLevel level = DualLevel.enter()) {
      level.makeDual(dualPart(one.arg(0)), dualPart(one.arg(1)));
    }
  }

  private static void unpackDual(Case one) {
    try (Scope scope = Scope.open();
        DualLevel level = DualLevel.enter()) {
      if (one.arg(0).equals("none")) {
        throw new Unsayable("a level is open");
      }
      level.unpackDual(dualPart(one.arg(0)));
    }
  }

  private static SavedTensorsHooks hooks() {
    return SavedTensorsHooks.enter(tensor -> tensor, packed -> (Tensor) packed);
  }

  private static void disabledHooks(Case one) {
    if (field(one.arg(0).equals("NULL") ? "" : one.arg(0), "disabled", 0) == 0) {
      throw new Unsayable("the struct is Java's own");
    }
    try (var disabled = SavedTensorsHooks.disable("not while this runs")) {
      hooks();
    }
  }

  private static void lateRefusal() {
    try (SavedTensorsHooks hooks = hooks()) {
      SavedTensorsHooks.disable("too late");
    }
  }

  private static void setGrad(Case one) {
    try (Scope scope = Scope.open()) {
      Tensor leaf = Tensor.of(new float[2]).requiresGrad(true);
      Tensor grad =
          switch (one.arg(0)) {
            case "itself" -> leaf;
            case "longer" -> Tensor.of(new float[3]);
            case "double" -> Tensor.of(new double[2]);
            default -> throw new Unsayable("no NULL handles");
          };
      try {
        leaf.setGrad(grad);
      } finally {
        assertNull(leaf.grad());
      }
    }
  }

  // Returns the number after `name=` in "name=value name=value".
  private static int field(String fields, String name, int otherwise) {
    return Arrays.stream(fields.split(" "))
        .filter(pair -> pair.startsWith(name + "="))
        .map(pair -> Integer.parseInt(pair.substring(name.length() + 1)))
        .findFirst()
        .orElse(otherwise);
  }

  private static Tensor fresh(int count, boolean leaf) {
    Tensor tensor = Tensor.of(new float[count]);
    return leaf ? tensor.requiresGrad(true) : tensor;
  }

  private static void pass(Case one, boolean gives) {
    String fields = one.arg(0);
    boolean own = OWN.stream().anyMatch(name -> field(fields, name, -1) != -1);
    if (own || fields.equals("NULL")) {
      throw new Unsayable("the struct is Java's own");
    }
    try (Scope scope = Scope.open()) {
      boolean tracked = field(fields, "tracked", 1) != 0;
      Tensor leaf = fresh(field(fields, "long", 0) != 0 ? 3 : 1, tracked);
      Tensor apart = fresh(1, field(fields, "input", 1) != 0);
      Tensor[] outputs = field(fields, "noutputs", 1) == 0 ? new Tensor[0] : new Tensor[] {leaf};
      Tensor[] inputs = field(fields, "ninputs", 1) == 0 ? new Tensor[0] : new Tensor[] {apart};
      BackwardOptions options = BackwardOptions.of();
      int count = field(fields, "grad", 0);
      if (count != 0) {
        options.gradTensors(fresh(count, false));
      }
      if (gives) {
        Autograd.grad(options, outputs, inputs);
      } else {
        Autograd.backward(options, outputs);
      }
    }
  }
}
