// SPDX-License-Identifier: Apache-2.0
// Libraries: defining operators and registering kernels.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The owner of definitions and kernels. Closing it removes them. A library that becomes unreachable
 * without being closed stays registered until the process ends.
 *
 * <pre>{@code
 * try (Library lib = Library.open("vision", Library.Kind.DEF)) {
 *   Op invert = lib.define("invert(Tensor x) -> Tensor");
 *   lib.impl("invert", "CPU", args -> invertOf((Tensor) args[0]));
 *   Tensor y = invert.call(x);
 * }
 * }</pre>
 */
public final class Library extends NativeHandle {
  /** Kinds of libraries. */
  public enum Kind {
    /** The only owner of a namespace: defines operators and registers kernels. */
    DEF(TENON_LIBRARY_DEF),
    /** Registers kernels only. */
    IMPL(TENON_LIBRARY_IMPL),
    /**
     * Defines operators and registers kernels in a namespace that another library owns or shares.
     */
    FRAGMENT(TENON_LIBRARY_FRAGMENT);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  /** Policies for an operator that already has a kernel for the key. */
  public enum Policy {
    /** The new kernel takes precedence; removing it restores the older kernel. */
    LAYER(TENON_REPLACE_LAYER),
    /** The registration fails. */
    ERROR(TENON_REPLACE_ERROR),
    /** Like {@link #LAYER}, but dumps mark the new kernel as an intended override. */
    OVERRIDE(TENON_REPLACE_OVERRIDE);

    private final int number;

    Policy(int number) {
      this.number = number;
    }
  }

  private static final String IMPL = "Library.impl";
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final String namespace;
  private final List<Registration> registrations = new ArrayList<>();

  private Library(long address, String namespace) {
    super(address);
    this.namespace = namespace;
  }

  /** Opens a library without a default key. */
  public static Library open(String namespace, Kind kind) {
    return open(namespace, kind, DispatchKey.NONE);
  }

  /**
   * Opens a library.
   *
   * @param namespace "_" for an IMPL library of fallbacks
   * @param key the key of kernels registered without one
   * @throws TenonException ALREADY_EXISTS for a second DEF of a namespace, naming the first
   */
  public static Library open(String namespace, Kind kind, DispatchKey key) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long out = frame.allocate(8);
      Errors.check(
          TenonNative.tenon_library_new(
              kind.number,
              namespace,
              key.number(),
              caller.getFileName(),
              Math.max(caller.getLineNumber(), 0),
              out));
      // No cleaner: registrations must not vanish when a variable becomes unreachable.
      return new Library(Memory.getLong(out), namespace);
    } finally {
      frame.reset(mark);
    }
  }

  // Returns the caller of this class: the place of a registration, for messages and dumps.
  private static StackWalker.StackFrame caller() {
    return WALKER.walk(
        frames ->
            frames.filter(f -> f.getDeclaringClass() != Library.class).findFirst().orElseThrow());
  }

  /** Returns the namespace. */
  public String namespace() {
    return namespace;
  }

  /**
   * Defines an operator, with or without the namespace in its name.
   *
   * @param tags such as "pointwise"
   * @throws TenonException PARSE; ALREADY_EXISTS naming the first definition; INVALID_ARGUMENT
   */
  public Op define(String schema, String... tags) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long options = frame.allocate(Structs.DEFINE_OPTIONS_SIZE);
      Memory.zero(options, Structs.DEFINE_OPTIONS_SIZE);
      Memory.putInt(options, Structs.DEFINE_OPTIONS_SIZE);
      Memory.putInt(options + Structs.DEFINE_OPTIONS_TAG_COUNT, tags.length);
      long texts = frame.allocate(tags.length * 8L);
      for (int i = 0; i < tags.length; i++) {
        Memory.putLong(texts + i * 8L, frame.text(tags[i]));
      }
      Memory.putLong(options + Structs.DEFINE_OPTIONS_TAGS, texts);
      Memory.putLong(options + Structs.DEFINE_OPTIONS_FILE, frame.text(caller.getFileName()));
      Memory.putInt(options + Structs.DEFINE_OPTIONS_LINE, Math.max(caller.getLineNumber(), 0));
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_library_define(address(), schema, options, out));
      return Op.of(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  // ---- Kernels --------------------------------------------------------------------------------

  /** Registers a kernel at a key by name: see {@link DispatchKey#of}. */
  public Registration impl(String op, String key, Kernel kernel) {
    return impl(op, DispatchKey.of(key), kernel);
  }

  /** Registers a kernel that receives its key set at a key by name. */
  public Registration impl(String op, String key, KeyedKernel kernel) {
    return impl(op, DispatchKey.of(key), kernel);
  }

  /** Registers a kernel at the library's key, or at CompositeImplicitAutograd if it has none. */
  public Registration impl(String op, Kernel kernel) {
    return impl(op, DispatchKey.NONE, kernel);
  }

  /** Registers a kernel. The operator need not be defined yet. */
  public Registration impl(String op, DispatchKey key, Kernel kernel) {
    return impl(op, key, kernel, Policy.LAYER);
  }

  /** Registers a kernel that receives its key set. */
  public Registration impl(String op, DispatchKey key, KeyedKernel kernel) {
    return register(
        KernelRole.KERNEL, named(IMPL, op), key, KernelReference.of(kernel), Policy.LAYER, 0);
  }

  /**
   * Registers a kernel with a policy for an operator that has one already.
   *
   * @throws TenonException INVALID_ARGUMENT for a bad key or another namespace, ALREADY_EXISTS
   *     under {@link Policy#ERROR}, STATE for a closed library; nothing changes on failure
   */
  public Registration impl(String op, DispatchKey key, Kernel kernel, Policy policy) {
    return register(KernelRole.KERNEL, named(IMPL, op), key, KernelReference.of(kernel), policy, 0);
  }

  /**
   * Registers the fake kernel of an operator: it creates results of the right shape, dtype and
   * device without computing elements, and serves fake tensors and those on Meta.
   *
   * @throws TenonException ALREADY_EXISTS if the operator has a fake kernel or one for Meta,
   *     INVALID_ARGUMENT if its composite kernel serves it
   */
  public Registration registerFake(String op, Kernel kernel) {
    return register(
        KernelRole.FAKE,
        named("Library.registerFake", op),
        DispatchKey.NONE,
        KernelReference.of(kernel),
        Policy.ERROR,
        0);
  }

  /** Makes calls of an operator skip a key. */
  public Registration fallthrough(String op, DispatchKey key) {
    return register(
        KernelRole.KERNEL, named(IMPL, op), key, null, Policy.LAYER, TENON_KERNEL_FALLTHROUGH);
  }

  /** Registers a kernel for all operators at a key; needs an IMPL library of namespace "_". */
  public Registration fallback(DispatchKey key, FallbackKernel kernel) {
    return fallback(key, kernel, null);
  }

  /**
   * Registers a kernel for the operators at a key that {@code select} accepts. The other operators
   * skip the key.
   *
   * @param select called once for each operator when it is defined; must not use Tenon, except to
   *     read the schema; null accepts all operators
   */
  public Registration fallback(DispatchKey key, FallbackKernel kernel, Predicate<Schema> select) {
    return register(
        KernelRole.FALLBACK, null, key, KernelReference.of(kernel, select), Policy.LAYER, 0);
  }

  /** Makes all operators without a kernel at a key skip it. */
  public Registration fallbackFallthrough(DispatchKey key) {
    return register(KernelRole.FALLBACK, null, key, null, Policy.LAYER, TENON_KERNEL_FALLTHROUGH);
  }

  // Refuses a bad name before C owns anything.
  private static String named(String function, String op) {
    if (op == null) {
      throw TenonException.value(function, "name", "an operator's", "null");
    }
    Text.encode(op);
    return op;
  }

  // Kinds of registrations of a kernel.
  private enum KernelRole {
    KERNEL,
    FALLBACK,
    FAKE
  }

  private static int add(
      KernelRole what,
      long library,
      String op,
      DispatchKey key,
      long kernel,
      long select,
      long out) {
    return switch (what) {
      case KERNEL -> TenonNative.tenon_library_impl(library, op, key.number(), kernel, out);
      case FALLBACK ->
          TenonNative.tenon_library_fallback(library, key.number(), kernel, select, out);
      case FAKE -> TenonNative.tenon_library_register_fake(library, op, kernel, out);
    };
  }

  // A fallback has no operator, a fake kernel has no key.
  private Registration register(
      KernelRole what,
      String op,
      DispatchKey key,
      KernelReference reference,
      Policy policy,
      int flags) {
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long library = address(); // refuses a closed library before C owns anything
      long kernel = frame.allocate(Structs.KERNEL_SIZE);
      Memory.zero(kernel, Structs.KERNEL_SIZE);
      Memory.putInt(kernel, Structs.KERNEL_SIZE);
      Memory.putInt(kernel + 4, flags);
      Memory.putInt(kernel + Structs.KERNEL_LANGUAGE, TENON_LANGUAGE_JAVA);
      Memory.putInt(kernel + Structs.KERNEL_POLICY, policy.number);
      Memory.putLong(kernel + Structs.KERNEL_NAME, frame.text(methodName(caller)));
      Memory.putLong(kernel + Structs.KERNEL_FILE, frame.text(caller.getFileName()));
      Memory.putInt(kernel + Structs.KERNEL_LINE, Math.max(caller.getLineNumber(), 0));
      long select = 0;
      long out = frame.allocate(8);
      if (reference != null && reference.takesSymbols()) {
        Memory.putInt(kernel + 4, flags | TENON_KERNEL_SYMBOLIC);
      }
      if (reference != null) { // C owns the reference from here on
        Memory.putLong(kernel + Structs.KERNEL_BOXED, Addresses.CALL_KERNEL);
        Memory.putLong(kernel + Structs.KERNEL_DELETER, Addresses.DROP_REFERENCE);
        Memory.putLong(kernel + Structs.KERNEL_CTX, References.add(reference));
        select = reference.select == null ? 0 : Addresses.CALL_SELECT;
      }
      Errors.check(add(what, library, op, key, kernel, select, out));
      String full = op == null ? null : fullName(op);
      if (reference != null && what != KernelRole.FAKE) {
        Op.expectJavaKernel(full);
      }
      return keep(Memory.getLong(out), full);
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  private String fullName(String op) {
    return op.contains("::") ? op : namespace + "::" + op;
  }

  private static String methodName(StackWalker.StackFrame frame) {
    return frame.getDeclaringClass().getSimpleName() + "." + frame.getMethodName();
  }

  private Registration keep(long address, String op) {
    Registration registration = new Registration(address, op);
    registration.guardByCleaner();
    synchronized (registrations) {
      registrations.add(registration);
    }
    return registration;
  }

  // ---- Gradients ------------------------------------------------------------------------------

  /**
   * Registers the gradient formula of an operator as text: an expression for each argument, which
   * uses names of arguments and results, {@code grad}, numbers, {@code + - * /} and operators.
   * Nodes keep it alive even if its registration is closed.
   *
   * <pre>{@code
   * lib.registerAutograd("mul", "a: grad * b; b: grad * a");
   * }</pre>
   *
   * @throws TenonException PARSE for a malformed text; as {@link #impl(String, DispatchKey, Kernel,
   *     Policy)}
   */
  public Registration registerAutograd(String op, String gradient) {
    if (gradient == null) {
      throw TenonException.value("Library.registerAutograd", "gradient", "a text", "null");
    }
    return registerFormula(op, gradient, null, null, null);
  }

  /**
   * Registers the gradient formula of an operator as a function, called in backward passes.
   *
   * @param saves names of arguments and results ({@code result}, or {@code result0} and so on) that
   *     the function receives: {@link BackwardCall#saved}
   */
  public Registration registerAutograd(String op, BackwardFunction backward, String... saves) {
    Objects.requireNonNull(backward, "backward");
    return registerFormula(op, null, backward, String.join(" ", saves), null);
  }

  /**
   * Registers a gradient formula with a setup, which runs for each recorded call, after its kernel.
   *
   * <pre>{@code
   * lib.registerAutograd("power",
   *     (ctx, args, results) -> ctx.saveForBackward(args),
   *     call -> new Tensor[] {slope(call.savedTensor(0), (Long) call.saved(1)).mul(call.grad(0))});
   * }</pre>
   */
  public Registration registerAutograd(
      String op, SetupFunction setup, BackwardFunction backward) {
    Objects.requireNonNull(setup, "setup");
    Objects.requireNonNull(backward, "backward");
    Formula formula = new Formula(op, setup, backward, null);
    return registerFormula(op, null, backward, null, formula);
  }

  /** Registers a gradient formula with a setup and a function for forward mode. */
  public Registration registerAutograd(
      String op, SetupFunction setup, BackwardFunction backward, JvpFunction jvp) {
    Objects.requireNonNull(setup, "setup");
    Objects.requireNonNull(backward, "backward");
    Objects.requireNonNull(jvp, "jvp");
    Formula formula = new Formula(op, setup, backward, jvp);
    return registerFormula(op, null, backward, null, formula);
  }

  // `looking` has all functions of a formula with a setup; otherwise it is null.
  private Registration registerFormula(
      String op, String gradient, BackwardFunction backward, String saves, Formula looking) {
    named("Library.registerAutograd", op);
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long library = address();
      long formula = frame.allocate(Structs.FORMULA_SIZE);
      Memory.zero(formula, Structs.FORMULA_SIZE);
      Memory.putInt(formula, Structs.FORMULA_SIZE);
      Memory.putLong(formula + Structs.FORMULA_GRADIENT, frame.text(gradient));
      Memory.putLong(formula + Structs.FORMULA_SAVES, frame.text(saves));
      Memory.putInt(formula + Structs.FORMULA_LANGUAGE, TENON_LANGUAGE_JAVA);
      Memory.putLong(formula + Structs.FORMULA_NAME, frame.text(methodName(caller)));
      Memory.putLong(formula + Structs.FORMULA_FILE, frame.text(caller.getFileName()));
      Memory.putInt(formula + Structs.FORMULA_LINE, Math.max(caller.getLineNumber(), 0));
      long out = frame.allocate(8);
      if (backward != null) { // C owns the reference from here on
        Memory.putLong(formula + Structs.FORMULA_BACKWARD, Addresses.CALL_BACKWARD);
        Memory.putLong(formula + Structs.FORMULA_DELETER, Addresses.DROP_REFERENCE);
        if (looking != null) {
          Memory.putLong(formula + Structs.FORMULA_SETUP, Addresses.CALL_SETUP);
          long jvp = looking.jvp() == null ? 0 : Addresses.CALL_JVP;
          Memory.putLong(formula + Structs.FORMULA_JVP, jvp);
        }
        Object functions = looking == null ? backward : looking;
        Memory.putLong(formula + Structs.FORMULA_CTX, References.add(functions));
      }
      Errors.check(TenonNative.tenon_library_register_autograd(library, op, formula, out));
      return keep(Memory.getLong(out), fullName(op));
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  /**
   * Sets how backward treats calls of an operator without gradient formula, until one is
   * registered. The name "_", in an IMPL library of namespace "_", applies to all operators that
   * have neither a formula nor a policy.
   *
   * @throws TenonException INVALID_ARGUMENT for a bad name, ALREADY_EXISTS for "_" if Autograd has
   *     a fallback, STATE for a closed library
   */
  public Registration setGradientPolicy(String op, GradientPolicy policy) {
    named("Library.setGradientPolicy", op);
    Objects.requireNonNull(policy, "policy");
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(
          TenonNative.tenon_library_set_gradient_policy(address(), op, policy.number, out));
      return keep(Memory.getLong(out), fullName(op));
    } finally {
      frame.reset(mark);
    }
  }

  // ---- Autocast -------------------------------------------------------------------------------

  /**
   * Registers the cast rule of an operator in autocast regions.
   *
   * <pre>{@code
   * lib.registerAutocast("mymatmul", CastPolicy.LOWER_PRECISION, Device.CPU);
   * }</pre>
   *
   * @param device a device of the type whose regions count; null for all types without another rule
   * @throws TenonException INVALID_ARGUMENT for a bad name or a device type without autocast, TYPE
   *     for a dtype that is not floating, STATE for a closed library
   */
  public Registration registerAutocast(String op, CastPolicy policy, Device device) {
    named("Library.registerAutocast", op);
    Objects.requireNonNull(policy, "policy");
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long rule = frame.allocate(Structs.CAST_RULE_SIZE);
      Memory.zero(rule, Structs.CAST_RULE_SIZE);
      Memory.putInt(rule, Structs.CAST_RULE_SIZE);
      Memory.putInt(rule + Structs.CAST_RULE_KIND, policy.kind);
      Memory.putInt(rule + Structs.CAST_RULE_DEVICE_TYPE, device == null ? -1 : device.type());
      int dtype = policy.dtype == null ? TENON_DTYPE_NONE : policy.dtype.number();
      Memory.putInt(rule + Structs.CAST_RULE_DTYPE, dtype);
      Memory.putLong(rule + Structs.CAST_RULE_ADVICE, frame.text(policy.advice));
      Memory.putInt(rule + Structs.CAST_RULE_LANGUAGE, TENON_LANGUAGE_JAVA);
      Memory.putLong(rule + Structs.CAST_RULE_FILE, frame.text(caller.getFileName()));
      Memory.putInt(rule + Structs.CAST_RULE_LINE, Math.max(caller.getLineNumber(), 0));
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_library_register_autocast(address(), op, rule, out));
      return keep(Memory.getLong(out), fullName(op));
    } finally {
      frame.reset(mark);
    }
  }

  // ---- Transforms -----------------------------------------------------------------------------

  /**
   * Registers the batching rule of an operator, which is called in a vmap instead of the operator.
   * Without a rule the operator's decomposition is used, or a loop over the examples.
   *
   * @throws TenonException INVALID_ARGUMENT for a bad name, STATE for a closed library
   */
  public Registration registerVmap(String op, VmapRule rule) {
    named("Library.registerVmap", op);
    Objects.requireNonNull(rule, "rule");
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      StackWalker.StackFrame caller = caller();
      long library = address();
      long raw = frame.allocate(Structs.VMAP_RULE_SIZE);
      Memory.zero(raw, Structs.VMAP_RULE_SIZE);
      Memory.putInt(raw, Structs.VMAP_RULE_SIZE);
      Memory.putLong(raw + Structs.VMAP_RULE_FN, Addresses.CALL_VMAP_RULE);
      Memory.putLong(raw + Structs.VMAP_RULE_DELETER, Addresses.DROP_REFERENCE);
      Memory.putInt(raw + Structs.VMAP_RULE_LANGUAGE, TENON_LANGUAGE_JAVA);
      Memory.putLong(raw + Structs.VMAP_RULE_NAME, frame.text(methodName(caller)));
      Memory.putLong(raw + Structs.VMAP_RULE_FILE, frame.text(caller.getFileName()));
      Memory.putInt(raw + Structs.VMAP_RULE_LINE, Math.max(caller.getLineNumber(), 0));
      long out = frame.allocate(8);
      // C owns the reference from here on, also on failure.
      Memory.putLong(raw + Structs.VMAP_RULE_CTX, References.add(rule));
      Errors.check(TenonNative.tenon_library_register_vmap(library, op, raw, out));
      return keep(Memory.getLong(out), fullName(op));
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  // ---- The end --------------------------------------------------------------------------------

  /**
   * Removes everything that was registered. New calls are affected at once; running ones are not
   * waited for. Closing again does nothing.
   */
  @Override
  public void close() {
    long a = tryBeginUse();
    if (a != 0) {
      TenonNative.tenon_library_close(a);
    }
    endUse();
    releaseAll();
  }

  /**
   * Closes the library, then waits until no thread runs one of its kernels.
   *
   * @throws TenonException BUSY on time-out, naming operator and thread; STATE inside one of its
   *     kernels; the library is closed in both cases. INVALID_ARGUMENT for a negative time-out
   */
  public void drain(Duration timeout) {
    long limit = Tenon.nanoseconds("Library.drain", timeout);
    long a = beginUse();
    TenonNative.tenon_library_close(a);
    try {
      Errors.check(TenonNative.tenon_library_drain(a, limit));
    } finally {
      endUse();
      releaseAll();
    }
  }

  private void releaseAll() {
    synchronized (registrations) {
      registrations.forEach(Registration::close);
      registrations.clear();
    }
    super.close();
    References.drain();
  }

  @Override
  int type() {
    return LIBRARY;
  }

  @Override
  String title() {
    return "Library " + namespace;
  }
}
