// SPDX-License-Identifier: Apache-2.0
// Compares explain with a recorded profile of the call: the same keys and kernels in order.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final Pattern STEP =
      Pattern.compile(
          "^  (?:the highest key is (\\w+)|below it, (\\w+)|(no key) is left .*?): (.+?)"
              + "(?: \\(.*\\))?(?: runs)? \\[",
          Pattern.MULTILINE);

  private Library library;
  private Scope scope;
  private Tensor x;

  @BeforeEach
  void open() {
    library = Support.library();
    scope = Scope.open();
    x = Tensor.of(new float[1]);
  }

  @AfterEach
  void close() {
    scope.close();
    library.close();
  }

  /** The explanation, the steps that it describes, and the steps of the call: "KEY kernel". */
  private record Explained(String text, List<String> told, List<String> taken) {
    /** Checks that the explanation describes the whole call; returns its text. */
    String agreed() {
      assertEquals(told, taken, text);
      assertTrue(!told.isEmpty(), text);
      return text;
    }

    List<String> keys() {
      return told.stream().map(step -> step.substring(0, step.indexOf(' '))).toList();
    }
  }

  private static Explained explained(Op op, Object... args) {
    return explained(op.explain(args), () -> op.callAll(args));
  }

  private static Explained explained(String text, Runnable call) {
    List<String> told = new ArrayList<>();
    for (Matcher step = STEP.matcher(text); step.find(); ) {
      String key = step.group(1) != null ? step.group(1) : step.group(2);
      told.add((key != null ? key : "Undefined") + " " + step.group(4));
    }
    Profile profile = Introspect.profile();
    try (profile) {
      call.run();
    } catch (TenonException e) {
      // explained too: no kernel exists, or no handler accepts the call
    }
    List<String> taken =
        profile.events().stream().map(event -> event.key() + " " + event.kernel()).toList();
    return new Explained(text, told, taken);
  }

  /** Defines an operator with a CPU kernel and, above it, a kernel that redispatches. */
  private Op f() {
    Op op = library.define("f(Tensor x, Tensor? y=None, *, int n=1) -> Tensor");
    library.impl("f", "CPU", args -> args[0]);
    library.impl(
        "f",
        DispatchKey.AUTOGRAD,
        (keys, args) -> op.redispatch(keys.below(DispatchKey.of("AutogradCPU")), args));
    return op;
  }

  @Test
  void tensorsAndKeywordOnlyArguments() {
    Op f = f();
    Explained plain = explained(f, x);
    assertTrue(plain.agreed().contains("nothing is below CPU"));
    assertEquals(List.of("AutogradCPU", "CPU"), plain.keys());
    explained(f, x, x).agreed();
    String named = f.with("n", 3).explain(x);
    explained(named, () -> f.with("n", 3).call(x)).agreed();
    TenonException wrong =
        assertThrows(TenonException.class, () -> f.with("n", "three").explain(x));
    Support.contains(wrong.getMessage(), "n must be int, got str");
  }

  @Test
  void guardsAndFallthroughs() {
    Op f = f();
    try (KeyGuard guard = KeyGuard.exclude(DispatchKey.of("AutogradCPU"))) {
      Explained without = explained(f, x);
      assertTrue(without.agreed().contains("excludes {"));
      assertEquals(List.of("CPU"), without.keys());
    }
    library.fallthrough("f", DispatchKey.of("AutogradCPU"));
    String text = explained(f, x).agreed();
    Support.contains(text, " AutogradCPU, ADInplaceOrView, ", ", which fall through\n");
  }

  @Test
  void tensorListsAndOperatorsWithout() {
    Op list = library.define("list(Tensor[] x) -> int");
    library.impl("list", "CPU", args -> 1L);
    library.impl("list", "CompositeExplicitAutograd", args -> 2L);
    Tensor meta = Tensor.empty(DType.FLOAT32, Device.META, 1);
    assertEquals(List.of("CPU"), explained(list, (Object) new Tensor[] {x, x}).keys());
    Explained both = explained(list, (Object) new Tensor[] {x, meta});
    Support.contains(both.agreed(), "x[1] has {AutocastMeta, ADInplaceOrView, Meta}");
    assertEquals(List.of("Meta"), both.keys());
    Explained none = explained(list, (Object) new Tensor[0]);
    Support.contains(none.agreed(), "no key is left (no tensor brings one)");
    assertEquals(List.of("Undefined"), none.keys());
    Op make = library.define("make(int n, Device? device=None) -> int");
    library.impl("make", "CPU", args -> 1L);
    library.impl("make", "Meta", args -> 2L);
    assertEquals(List.of("CPU"), explained(make, 1).keys());
    Explained onMeta = explained(make, 1, Device.META);
    Support.contains(onMeta.agreed(), "BackendSelect chooses the backend of the device meta");
    assertEquals(List.of("Meta"), onMeta.keys());
  }

  @Test
  void missingKernels() {
    Op f = f();
    Explained below = explained(f, Tensor.empty(DType.FLOAT32, Device.META, 1));
    Support.contains(below.agreed(), "below it, Meta has no kernel: redispatching there fails");
    Op none = library.define("none(Tensor x) -> Tensor");
    Explained at = explained(none, x);
    assertEquals(List.of(), at.told());
    assertEquals(List.of(), at.taken());
    Support.contains(at.text(), "which has no kernel: the call fails");
  }

  @Test
  void objectsThatOverride() {
    Op f = f();
    Overriding object = call -> call.callWith(x, null, 1L);
    Explained overridden = explained(f, object);
    assertEquals(List.of("Override run_overrides"), overridden.told());
    assertEquals(overridden.told(), overridden.taken().subList(0, 1), overridden.text());
    assertTrue(overridden.taken().get(overridden.taken().size() - 1).startsWith("CPU "));
    Support.contains(
        overridden.text(),
        "x, an object of ",
        "a handler calls the operator again with other arguments");
    try (KeyGuard guard = KeyGuard.exclude(DispatchKey.of("Override"))) {
      Explained shut = explained(f, object);
      assertEquals(List.of(), shut.taken());
      Support.contains(shut.text(), "Override is excluded or falls through: the call fails");
    }
    Explained carried = explained(f, Tensor.carrier(object));
    assertEquals(overridden.told(), carried.told());
    Support.contains(carried.text(), "x, a carrier of an object of ");
  }

  @Test
  void wrapperTensors() {
    Op f = f();
    Dispatching unwrapping = call -> ((Tensor) call.callWith(x, null, 1L)).escape();
    Explained wrapped = explained(f, Tensor.wrapper(unwrapping, DType.FLOAT32, Device.CPU, 1));
    assertEquals(List.of("AutogradCPU", "Wrapper"), wrapped.keys());
    assertEquals(wrapped.told(), wrapped.taken().subList(0, 2), wrapped.text());
    Support.contains(
        wrapped.text(), "x, a wrapper tensor of ", "calls the operator again with other arguments");
  }

  @Test
  void modes() {
    Op f = f();
    Overriding above = call -> call.callWith(call.args());
    Dispatching below = call -> call.callWith(call.args());
    try (Mode mode = Mode.overriding(above)) {
      Explained watched = explained(f, x);
      Support.contains(watched.agreed(), "accepts the call: the modes ");
      assertEquals(List.of("Override", "AutogradCPU", "CPU"), watched.keys());
      try (Mode both = Mode.dispatching(below)) {
        Explained twice = explained(f, x);
        twice.agreed();
        assertEquals(List.of("Override", "AutogradCPU", "Wrapper", "CPU"), twice.keys());
      }
    }
  }
}
