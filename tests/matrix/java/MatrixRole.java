// SPDX-License-Identifier: Apache-2.0
// The Java role of the matrix: operators of matrix_java define, implement, differentiate and call.
import dev.tenon.Aten;
import dev.tenon.Autocast;
import dev.tenon.Autograd;
import dev.tenon.AutogradFunction;
import dev.tenon.BackwardCall;
import dev.tenon.BackwardOptions;
import dev.tenon.Batched;
import dev.tenon.Callback;
import dev.tenon.CastPolicy;
import dev.tenon.DType;
import dev.tenon.Device;
import dev.tenon.FakeMode;
import dev.tenon.ForeignObject;
import dev.tenon.Func;
import dev.tenon.FunctionContext;
import dev.tenon.Graph;
import dev.tenon.Library;
import dev.tenon.Op;
import dev.tenon.Overridden;
import dev.tenon.Overriding;
import dev.tenon.Scope;
import dev.tenon.Tenon;
import dev.tenon.Tensor;
import dev.tenon.TensorFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Driven by the host through register and unregister. */
public final class MatrixRole {
  private static final String MIX =
      "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> "
          + "(Tensor, int)";
  private static final Map<String, List<Library>> LIBRARIES = new HashMap<>();
  private static Library role;

  private MatrixRole() {}

  private static synchronized Library open(String namespace) {
    Library library = Library.open(namespace, Library.Kind.FRAGMENT);
    LIBRARIES.computeIfAbsent(namespace, key -> new ArrayList<>()).add(library);
    return library;
  }

  private static float first(Tensor tensor) {
    return tensor.toFloatArray()[0];
  }

  private static Object mix(Object[] args) {
    Tensor a = (Tensor) args[0];
    double offset = (Double) args[2] + ((String) args[3]).length();
    offset += args[4] != null ? first((Tensor) args[4]) : 100.0;
    offset += Arrays.stream((long[]) args[5]).sum();
    for (Tensor tensor : (Tensor[]) args[6]) {
      offset += first(tensor);
    }
    float[] out = a.toFloatArray();
    for (int i = 0; i < out.length; i++) {
      out[i] = (float) (out[i] * (Long) args[1] + offset);
    }
    return new Object[] {Tensor.of(out, a.sizes()), a.dataAddress()};
  }

  private static void expect(Object[] results, Tensor a, float... expected) {
    try (Tensor out = (Tensor) results[0]) {
      if (!Arrays.equals(out.toFloatArray(), expected)) {
        throw new AssertionError("out must be " + Arrays.toString(expected) + ", got " + out);
      }
      if ((Long) results[1] != a.dataAddress()) {
        throw new AssertionError("the kernel must see the caller's memory");
      }
    }
  }

  private static void call(String namespace) {
    Op op = Tenon.op(namespace + "::mix");
    long[] dims = {4, 6};
    try (Tensor a = Tensor.of(new float[] {1, 2, 3}, 3);
        Tensor opt = Tensor.of(new float[] {7}, 1);
        Tensor ten = Tensor.of(new float[] {10}, 1);
        Tensor twenty = Tensor.of(new float[] {20}, 1)) {
      Tensor[] list = {ten, twenty};
      expect(op.callAll(a, 3L, 0.5, "tenon", opt, dims, list), a, 55.5f, 58.5f, 61.5f);
      expect(op.callAll(a, 3L, 0.5, "tenon", null, dims, list), a, 148.5f, 151.5f, 154.5f);
    }
  }

  // Returns "java:" and the second argument.
  private static Object answer(Overridden call) {
    return "java:" + call.args()[1];
  }

  /** Calls a namespace's echo operator with another language's object; `spec` is "language,ns". */
  private static void override(String spec) {
    String[] parts = spec.split(",", 2);
    Object other = Tenon.op("matrix_" + parts[0] + "::object").call();
    Object result = Tenon.op(parts[1] + "::echo").call(other, 7);
    if (!(parts[0] + ":7").equals(result)) {
      throw new AssertionError("result must be " + parts[0] + ":7, got " + result);
    }
  }

  private static synchronized void close(String namespace) {
    List<Library> libraries = LIBRARIES.remove(namespace);
    if (libraries != null) {
      libraries.forEach(Library::close);
    }
  }

  /** The exception of this role, which must arrive as the same object. */
  private static final class JavaLost extends RuntimeException {
    JavaLost() {
      super("lost in Java");
    }
  }

  private static JavaLost thrown;

  private static void raise(String path) {
    thrown = new JavaLost();
    throw thrown;
  }

  /** Calls the first language of the path, which relays to the remaining ones or raises. */
  private static void relay(String path) {
    String[] parts = path.split(",", 2);
    Tenon.op("matrix_" + parts[0] + (parts.length > 1 ? "::relay" : "::raise"))
        .callAll(parts.length > 1 ? parts[1] : "");
  }

  /** Recurses without end: calls the path's first language with the path rotated by one. */
  private static void dive(String path) {
    String[] parts = path.split(",", 2);
    Tenon.op("matrix_" + parts[0] + "::dive")
        .callAll(parts.length > 1 ? parts[1] + "," + parts[0] : path);
  }

  private static void catchOwn(String path) {
    comesHome(() -> relay(path));
  }

  private static void comesHome(Runnable throwing) {
    try {
      throwing.run();
    } catch (JavaLost lost) {
      if (lost != thrown) {
        throw new AssertionError("must be the same exception, got a copy", lost);
      }
      return;
    }
    throw new AssertionError("must throw, returned");
  }

  // ---- Gradients --------------------------------------------------------------------------------

  private static Tensor product(Tensor a, Tensor b) {
    float[] out = a.toFloatArray();
    float[] other = b.toFloatArray();
    for (int i = 0; i < out.length; i++) {
      out[i] *= other[i];
    }
    return Tensor.of(out, a.sizes());
  }

  /** Defines and implements operators whose gradient formulas another language registers. */
  private static void products(String namespace) {
    Library library = open(namespace);
    library.define("product(Tensor a, Tensor b) -> Tensor");
    library.impl("product", "CPU", args -> product((Tensor) args[0], (Tensor) args[1]));
    library.define("relayed(Tensor a, str path) -> Tensor");
    library.impl("relayed", "CPU", args -> Tensor.of(((Tensor) args[0]).toFloatArray()));
  }

  private static Tensor[] ofProduct(BackwardCall call) {
    Tensor grad = call.grad(0);
    return new Tensor[] {grad.mul(call.savedTensor(1)), grad.mul(call.savedTensor(0))};
  }

  private static void formulas(String namespace) {
    Library library = open(namespace);
    library.registerAutograd("product", MatrixRole::ofProduct, "a", "b");
    library.registerAutograd(
        "relayed",
        call -> {
          relay((String) call.saved(0));
          return new Tensor[1];
        },
        "path");
  }

  private static void near(Tensor tensor, float... expected) {
    if (!Arrays.equals(tensor.toFloatArray(), expected)) {
      throw new AssertionError("must be " + Arrays.toString(expected) + ", got " + tensor);
    }
  }

  /** Differentiates x^3 twice and checks the results. */
  private static void expectSlopes(Tensor cube, Tensor x) {
    BackwardOptions recorded = BackwardOptions.of().createGraph(true);
    Tensor slope = Autograd.grad(recorded, new Tensor[] {cube.sum()}, x)[0];
    near(slope, 12, 27);
    slope.sum().backward();
    near(x.grad(), 12, 18);
  }

  /** Differentiates x^3 by another language's formula, and checks the error of one that fails. */
  private static void slopes(String namespace) {
    Op product = Tenon.op(namespace + "::product");
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad(true);
      expectSlopes(product.callTensor(product.callTensor(x, x), x), x);
      Tensor failing = Tenon.op(namespace + "::relayed").callTensor(x, "java").sum();
      comesHome(failing::backward);
    }
  }

  /** A custom autograd function that computes x^3. */
  private static final class Cube implements AutogradFunction {
    @Override
    public Object forward(FunctionContext ctx, Object[] args) {
      Tensor x = (Tensor) args[0];
      ctx.saveForBackward(x);
      return x.mul(x).mul(x);
    }

    @Override
    public Tensor[] backward(BackwardCall call) {
      Tensor x = call.savedTensor(0);
      return new Tensor[] {call.grad(0).mul(x).mul(x).mul(3)};
    }
  }

  private static void apply(String language) {
    try (Scope scope = Scope.open()) {
      Callback cube = (Callback) Tenon.op("matrix_" + language + "::cube").call();
      Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad(true);
      expectSlopes((Tensor) call(cube, x), x);
    }
  }

  private static Object call(Callback function, Tensor x) {
    try {
      return function.call(x);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  // ---- Autocast ---------------------------------------------------------------------------------

  /**
   * Defines and implements `mirror`, for another language's cast rule, and `echo`, for objects that
   * override it.
   */
  private static void mirrors(String namespace) {
    Library library = open(namespace);
    library.define("mirror(Tensor a) -> Tensor");
    library.impl("mirror", "CPU", args -> args[0]);
    library.define("echo(Tensor a, int n) -> Tensor");
    library.impl("echo", "CPU", args -> args[0]);
  }

  private static void casts(String namespace) {
    open(namespace).registerAutocast("mirror", CastPolicy.LOWER_PRECISION, Device.CPU);
  }

  private static void expectDtype(Op op, DType expected) {
    DType dtype = op.callTensor(Tensor.of(new float[] {1, 2})).dtype();
    if (dtype != expected) {
      throw new AssertionError("dtype must be " + expected + ", got " + dtype);
    }
  }

  /** Calls `mirror` inside and outside of an autocast region. */
  private static void cast(String namespace) {
    Op mirror = Tenon.op(namespace + "::mirror");
    try (Scope scope = Scope.open()) {
      expectDtype(mirror, DType.FLOAT32);
      try (Autocast region = Autocast.enter(Device.CPU)) {
        expectDtype(mirror, DType.BFLOAT16);
      }
    }
  }

  // ---- Transforms -------------------------------------------------------------------------------

  /** Defines and implements `widen`, whose batching rule another language registers. */
  private static void widens(String namespace) {
    Library library = open(namespace);
    library.define("widen(Tensor a) -> Tensor");
    // A loop over the examples would see one dimension less.
    library.impl("widen", "CPU", args -> ((Tensor) args[0]).mul(((Tensor) args[0]).dim()));
  }

  private static void rules(String namespace) {
    // [quote.begin rule]
    open(namespace)
        .registerVmap(
            "widen", call -> new Batched(call.callWith(call.args()), call.inDim(0)));
    // [quote.end]
  }

  /** Calls `widen` under vmap and checks that the batching rule ran. */
  private static void map(String namespace) {
    Op widen = Tenon.op(namespace + "::widen");
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
      near(Func.vmap(a -> widen.callTensor(a[0])).call(x), 2, 4, 6, 8);
    }
  }

  private static void shapes(String namespace) {
    // [quote.begin fake]
    open(namespace).registerFake("widen", args -> Aten.emptyLike((Tensor) args[0]));
    // [quote.end]
  }

  /** Calls `widen` with a fake tensor. */
  private static void fake(String namespace) {
    Op widen = Tenon.op(namespace + "::widen");
    try (Scope scope = Scope.open();
        FakeMode mode = FakeMode.create()) {
      Tensor found = widen.callTensor(mode.from(Tensor.of(new float[] {1, 2}, 2)));
      if (!found.isFake() || found.numel() != 2) {
        throw new AssertionError("result must be fake, of size 2, got " + found);
      }
    }
  }

  // ---- Graphs -----------------------------------------------------------------------------------

  private static Tensor slope(Tensor of, Tensor x) {
    BackwardOptions recorded = BackwardOptions.of().createGraph(true);
    return Autograd.grad(recorded, new Tensor[] {of.sum()}, x)[0];
  }

  /** Computes x^6, one multiplication per language, and its gradient by all languages' formulas. */
  private static Tensor[] powers(Tensor x) {
    Tensor power = x;
    for (String language : new String[] {"c", "cpp", "python", "java", "rust"}) {
      power = Tenon.op("stage_" + language + "::product").callTensor(power, x);
    }
    return new Tensor[] {power, slope(power, x)};
  }

  private static void expectPowers(Tensor power, Tensor slope) {
    near(power, 64, 729);
    near(slope, 192, 1458);
  }

  /** Records a graph into a file and as an operator; `spec` is "ns,path". */
  private static void record(String spec) {
    String[] parts = spec.split(",", 2);
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad(true);
      Graph graph = Graph.record(given -> powers(given[0]), x);
      graph.save(parts[1]);
      graph.define(open(parts[0]), "powers");
    }
  }

  /** Runs the graph from the file, and as the operator. */
  private static void replay(String spec) {
    String[] parts = spec.split(",", 2);
    try (Scope scope = Scope.open()) {
      Tensor[] run = Graph.load(parts[1]).run(Tensor.of(new float[] {2, 3}));
      expectPowers(run[0], run[1]);
      Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad(true);
      Object[] called = Tenon.op(parts[0] + "::powers").callAll(x);
      expectPowers((Tensor) called[0], (Tensor) called[1]);
      expectPowers((Tensor) called[0], slope((Tensor) called[0], x));
    }
  }

  private static Tensor power(Tensor x) {
    return x.mul(x).mul(x);
  }

  /** Transforms a function of any language: vmap, grad of the sum, or jvp with tangents of ones. */
  private static Callback transform(Callback function, String kind) {
    Callback kept = function instanceof ForeignObject foreign ? foreign.escape() : function;
    TensorFunction f = a -> kept.call(a[0]);
    TensorFunction transformed =
        switch (kind) {
          case "vmap" -> Func.vmap(f);
          case "grad" -> Func.grad(a -> f.call(a).sum());
          default -> x -> Func.jvp(f, x[0], Aten.onesLike(x[0])).tangent();
        };
    return args -> transformed.apply((Tensor) args[0]);
  }

  @FunctionalInterface
  private interface Step {
    void run(String namespace);
  }

  private static void step(String name, Step step) {
    role.define(name + "(str ns) -> ()");
    role.impl(
        name,
        "CompositeImplicitAutograd",
        args -> {
          step.run((String) args[0]);
          return null;
        });
  }

  /** Registers the role's operators, each "(str ns) -> ()". */
  public static void register() {
    role = Library.open("matrix_java", Library.Kind.DEF);
    step("define", namespace -> open(namespace).define(MIX));
    step("implement", namespace -> open(namespace).impl("mix", "CPU", MatrixRole::mix));
    step("call", MatrixRole::call);
    step("close", MatrixRole::close);
    step("override", MatrixRole::override);
    step("products", MatrixRole::products);
    step("formulas", MatrixRole::formulas);
    step("slopes", MatrixRole::slopes);
    step("apply", MatrixRole::apply);
    step("mirrors", MatrixRole::mirrors);
    step("casts", MatrixRole::casts);
    step("cast", MatrixRole::cast);
    step("widens", MatrixRole::widens);
    step("rules", MatrixRole::rules);
    step("map", MatrixRole::map);
    step("shapes", MatrixRole::shapes);
    step("fake", MatrixRole::fake);
    step("record", MatrixRole::record);
    step("replay", MatrixRole::replay);
    role.define("power() -> Any");
    Callback power = args -> power((Tensor) args[0]);
    role.impl("power", "CompositeImplicitAutograd", args -> power);
    role.define("attempt(Any function, Tensor x) -> ()");
    role.impl(
        "attempt",
        "CompositeImplicitAutograd",
        args -> {
          comesHome(() -> call((Callback) args[0], (Tensor) args[1]));
          return null;
        });
    role.define("transform(Any function, str kind) -> Any");
    role.impl(
        "transform",
        "CompositeImplicitAutograd",
        args -> transform((Callback) args[0], (String) args[1]));
    role.define("cube() -> Any");
    role.impl("cube", "CompositeImplicitAutograd", args -> Autograd.function(new Cube()));
    role.define("object() -> Any");
    Overriding object = MatrixRole::answer;
    role.impl("object", "CompositeImplicitAutograd", args -> object);
    step("collect", namespace -> System.gc());
    step("raise", MatrixRole::raise);
    step("relay", MatrixRole::relay);
    step("catch", MatrixRole::catchOwn);
    step("dive", MatrixRole::dive);
  }

  /** Closes the role's library, which removes its operators. */
  public static void unregister() {
    role.close();
  }
}
