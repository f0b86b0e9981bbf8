// SPDX-License-Identifier: Apache-2.0
// Operators: calling them from Java.
// Long file: each form of a call repeats open, put, run and reset, because sharing them would
// allocate.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An operator, found by {@link Operators#find} or made by {@link Library#define}. It is never
 * invalid and can be used on any thread.
 *
 * <pre>{@code
 * Op add = Operators.find("aten::add.Tensor");
 * Tensor c = add.callTensor(a, b);
 * Tensor d = add.with("alpha", 2).callTensor(a, b);
 * Object n = Operators.find("aten::_local_scalar_dense").call(c); // whatever it returns
 * }</pre>
 *
 * <p>Calls accept the types that {@link Kernel} lists, and all that convert to them without loss:
 * any integer class for int, any number for float, arrays and collections for lists, a single
 * number for a list of a fixed length, a name for a device, an Optional or null for an optional.
 * Results that are tensors are new objects, which the caller or the open {@link Scope} closes.
 */
public final class Op {
  private static final Map<Long, Op> ALL = new ConcurrentHashMap<>();
  private static final Object[] NOTHING = {};

  private final long address;
  private final String name;
  private volatile Signature signature;

  /**
   * True if a Java kernel probably serves this operator. A call with tensors then begins in Java,
   * so that the kernel need not be entered through C. It is set when Java registers a kernel or C
   * enters one, and cleared when a call finds another kernel. A wrong guess only costs time.
   */
  boolean java;

  private static final Set<String> WITH_JAVA_KERNELS = ConcurrentHashMap.newKeySet();
  private static volatile boolean javaFallbacks;

  private Op(long address) {
    this.address = address;
    this.name = TenonNative.tenon_op_name(address);
    this.java = javaFallbacks || WITH_JAVA_KERNELS.contains(name);
  }

  /** Records that Java has a kernel for an operator; null means a fallback for all operators. */
  static void expectJavaKernel(String name) {
    if (name == null) {
      javaFallbacks = true;
    } else {
      WITH_JAVA_KERNELS.add(name);
    }
    for (Op op : ALL.values()) {
      if (name == null || op.name.equals(name)) {
        op.java = true;
      }
    }
  }

  private boolean isDirect(CallFrame frame) {
    return java && frame.direct;
  }

  /** Returns the only object of a native operator. */
  static Op of(long address) {
    long key = References.key(address);
    Op op = ALL.get(key);
    return op != null ? op : ALL.computeIfAbsent(key, unused -> new Op(address));
  }

  long address() {
    return address;
  }

  /** Returns the full name, such as "aten::add.Tensor". */
  public String name() {
    return name;
  }

  /**
   * Returns the schema.
   *
   * @throws TenonException NOT_FOUND if its definition was removed
   */
  public Schema schema() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_op_copy_schema(address, out));
      return Schema.take(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  Signature signature() {
    Signature known = signature;
    long epoch = Memory.getLong(Addresses.DEFINITIONS);
    if (known != null && known.epoch == epoch) {
      return known;
    }
    known = Signature.read(this, known, epoch);
    signature = known;
    return known;
  }

  // ---- Calls ----------------------------------------------------------------------------------

  /**
   * Calls the operator with positional arguments. Omitted arguments have their defaults.
   *
   * @return the result; null for none, an Object[] of several
   */
  public Object call(Object... args) {
    Signature s = signature();
    if (s.tensors == 2
        && args.length == 2
        && args[0] instanceof Tensor a
        && args[1] instanceof Tensor b) {
      return call(a, b);
    }
    if (s.tensors == 1 && args.length == 1 && args[0] instanceof Tensor a) {
      return call(a);
    }
    return call(s, spread(args));
  }

  private Object call(Signature s, Object[] args) {
    return unwrap(execute(s, args, null, dispatching));
  }

  /**
   * Calls an operator that returns one tensor.
   *
   * @return the tensor; null if the schema says `Tensor?` and it is absent
   */
  public Tensor callTensor(Object... args) {
    Signature s = signature();
    requireTensor(s);
    return callTensor(s, spread(args));
  }

  private Tensor callTensor(Signature s, Object[] args) {
    return oneTensor(s, execute(s, args, null, dispatching));
  }

  /** Calls the operator and returns all results, regardless of their number. */
  public Object[] callAll(Object... args) {
    Signature s = signature();
    return execute(s, spread(args), null, dispatching);
  }

  /** Calls the operator with all arguments by name. */
  public Object callNamed(Map<String, ?> named) {
    Signature s = signature();
    return unwrap(execute(s, NOTHING, named, dispatching));
  }

  /** Begins a call with a named argument: {@code op.with("alpha", 2).call(a, b)}. */
  public Call with(String argument, Object value) {
    return new Call(this).with(argument, value);
  }

  Object[] callWith(Object[] args, Map<String, ?> named) {
    Signature s = signature();
    return execute(s, spread(args), named, dispatching);
  }

  /**
   * Calls the operator with a complete list of arguments in schema order, in the form of kernels.
   */
  public Object[] callBoxed(Object[] args) {
    Signature s = signature();
    return execute(s, args, COMPLETE, dispatching);
  }

  /**
   * Calls, from inside a kernel, the kernel that serves {@code keys}: usually the kernel's own set
   * without its own key and those above, {@link DispatchKeySet#below}.
   *
   * @param args a complete list in schema order, as the kernel received it
   */
  public Object redispatch(DispatchKeySet keys, Object... args) {
    Signature s = signature();
    return unwrap(
        execute(
            s,
            spread(args),
            COMPLETE,
            (block, direct) -> Native.redispatch(address, keys.bits(), block, direct)));
  }

  /** See {@link Registration#callOlder}. */
  Object callOlder(long registration, DispatchKeySet keys, Object[] args) {
    Signature s = signature();
    return unwrap(
        execute(
            s,
            spread(args),
            COMPLETE,
            (block, direct) -> {
              int status =
                  TenonNative.tenon_registration_call_older(registration, keys.bits(), block);
              if (status != 0) {
                TenonNative.tenon_error_set(Memory.getLong(block + Structs.STACK_ERROR));
              }
              return status;
            }));
  }

  /** Calls the kernel or fallback of one runtime key, regardless of the keys of the arguments. */
  public Object callKey(DispatchKey key, Object... args) {
    Signature s = signature();
    return unwrap(
        execute(
            s,
            spread(args),
            null,
            (block, direct) -> TenonNative.tenon_op_call_key(address, key.number(), block)));
  }

  /** Returns the key set that a call with these arguments would be dispatched with. */
  public DispatchKeySet computeKeys(Object... args) {
    return new DispatchKeySet(askBound(args, null, TenonNative::tenon_op_compute_keys));
  }

  /**
   * Explains in words what a call with these arguments would do on this thread, without making it:
   * which key it is dispatched to, which kernel serves it and why, and which kernels redispatches
   * reach.
   */
  public String explain(Object... args) {
    return explainWith(args, null);
  }

  String explainWith(Object[] args, Map<String, ?> named) {
    return Tenon.takeText(askBound(args, named, TenonNative::tenon_op_explain));
  }

  private long askBound(Object[] args, Map<String, ?> named, Signature.BoundQuery question) {
    return signature().ask(this, spread(args), named, question);
  }

  // A typed array in place of the variable arguments is one argument, a tensor list.
  private static Object[] spread(Object[] args) {
    return args.getClass() == Object[].class ? args : new Object[] {args};
  }

  static Object unwrap(Object[] results) {
    return switch (results.length) {
      case 0 -> null;
      case 1 -> results[0];
      default -> results;
    };
  }

  /** Refuses, before anything runs, a call that returns one tensor if the operator does not. */
  void requireTensor(Signature s) {
    if (!s.mayReturnTensor()) {
      throw TenonException.type(
          name, "returns", "one Tensor for this form of call (callAll takes any)", s.returnText());
    }
  }

  Tensor oneTensor(Signature s, Object[] results) {
    if (results.length == 1 && results[0] instanceof Tensor tensor) {
      return tensor;
    }
    if (results.length == 1 && results[0] == null && s.mayReturnNoTensor()) {
      return null;
    }
    throw TenonException.type(
        name,
        "result",
        "one Tensor for this form of call",
        Arrays.stream(results).map(Values::typeName).toList().toString());
  }

  // ---- Calls with tensors only: only the result's object is allocated --------------------------

  /** Calls the operator with one tensor and defaults for the other arguments. */
  public Object call(Tensor a) {
    Signature s = signature();
    Object result = fixed(s, a);
    return result != DirectCall.BY_C ? result : call(s, new Object[] {a});
  }

  /** Like call() with one tensor, for an operator that returns one tensor. */
  public Tensor callTensor(Tensor a) {
    Signature s = signature();
    requireTensor(s);
    Object result = fixed(s, a);
    return result != DirectCall.BY_C
        ? (Tensor) result
        : callTensor(s, new Object[] {a});
  }

  /** Calls the operator with two tensors and defaults for the other arguments. */
  public Object call(Tensor a, Tensor b) {
    Signature s = signature();
    Object result = fixed(s, a, b);
    return result != DirectCall.BY_C ? result : call(s, new Object[] {a, b});
  }

  /** Like call() with two tensors, for an operator that returns one tensor. */
  public Tensor callTensor(Tensor a, Tensor b) {
    Signature s = signature();
    requireTensor(s);
    Object result = fixed(s, a, b);
    return result != DirectCall.BY_C
        ? (Tensor) result
        : callTensor(s, new Object[] {a, b});
  }

  /** Calls the operator with three tensors and defaults for the other arguments. */
  public Object call(Tensor a, Tensor b, Tensor c) {
    Signature s = signature();
    Object result = fixed(s, a, b, c);
    return result != DirectCall.BY_C ? result : call(s, new Object[] {a, b, c});
  }

  /** Like call() with three tensors, for an operator that returns one tensor. */
  public Tensor callTensor(Tensor a, Tensor b, Tensor c) {
    Signature s = signature();
    requireTensor(s);
    Object result = fixed(s, a, b, c);
    return result != DirectCall.BY_C
        ? (Tensor) result
        : callTensor(s, new Object[] {a, b, c});
  }

  /** Calls the operator with four tensors and defaults for the other arguments. */
  public Object call(Tensor a, Tensor b, Tensor c, Tensor d) {
    Signature s = signature();
    Object result = fixed(s, a, b, c, d);
    return result != DirectCall.BY_C ? result : call(s, new Object[] {a, b, c, d});
  }

  /** Like call() with four tensors, for an operator that returns one tensor. */
  public Tensor callTensor(Tensor a, Tensor b, Tensor c, Tensor d) {
    Signature s = signature();
    requireTensor(s);
    Object result = fixed(s, a, b, c, d);
    return result != DirectCall.BY_C
        ? (Tensor) result
        : callTensor(s, new Object[] {a, b, c, d});
  }

  // Each function returns the result, null for none, or BY_C if the call has other arguments or
  // results.

  private Object fixed(Signature s, Tensor a) {
    long handleA = begin(a);
    try {
      if (handleA == 0) {
        return DirectCall.BY_C;
      }
      if (s.tensors == 1) {
        if (java) {
          Object result = DirectCall.call(this, s, handleA, 0, 0, 0);
          if (result != DirectCall.BY_C) {
            return result;
          }
        }
        return tensor(Native.call1(s.word, handleA));
      }
      long template = java ? 0 : s.template(1);
      if (template == 0) {
        return DirectCall.BY_C;
      }
      long r = Native.callTemplate1(template, handleA);
      Reference.reachabilityFence(s);
      return tensor(r);
    } finally {
      end(a, handleA);
    }
  }

  private Object fixed(Signature s, Tensor a, Tensor b) {
    long handleA = begin(a);
    long handleB = begin(b);
    try {
      if (handleA == 0 || handleB == 0) {
        return DirectCall.BY_C;
      }
      if (s.tensors == 2) {
        if (java) {
          Object result = DirectCall.call(this, s, handleA, handleB, 0, 0);
          if (result != DirectCall.BY_C) {
            return result;
          }
        }
        return tensor(Native.call2(s.word, handleA, handleB));
      }
      long template = java ? 0 : s.template(2);
      if (template == 0) {
        return DirectCall.BY_C;
      }
      long r = Native.callTemplate2(template, handleA, handleB);
      Reference.reachabilityFence(s);
      return tensor(r);
    } finally {
      end(a, handleA);
      end(b, handleB);
    }
  }

  private Object fixed(Signature s, Tensor a, Tensor b, Tensor c) {
    long handleA = begin(a);
    long handleB = begin(b);
    long handleC = begin(c);
    try {
      if (handleA == 0 || handleB == 0 || handleC == 0) {
        return DirectCall.BY_C;
      }
      if (s.tensors == 3) {
        if (java) {
          Object result = DirectCall.call(this, s, handleA, handleB, handleC, 0);
          if (result != DirectCall.BY_C) {
            return result;
          }
        }
        return tensor(Native.call3(s.word, handleA, handleB, handleC));
      }
      long template = java ? 0 : s.template(3);
      if (template == 0) {
        return DirectCall.BY_C;
      }
      long r = Native.callTemplate3(template, handleA, handleB, handleC);
      Reference.reachabilityFence(s);
      return tensor(r);
    } finally {
      end(a, handleA);
      end(b, handleB);
      end(c, handleC);
    }
  }

  private Object fixed(Signature s, Tensor a, Tensor b, Tensor c, Tensor d) {
    long handleA = begin(a);
    long handleB = begin(b);
    long handleC = begin(c);
    long handleD = begin(d);
    try {
      if (handleA == 0 || handleB == 0 || handleC == 0 || handleD == 0) {
        return DirectCall.BY_C;
      }
      if (s.tensors != 4) {
        return DirectCall.BY_C;
      }
      if (java) {
        Object result = DirectCall.call(this, s, handleA, handleB, handleC, handleD);
        if (result != DirectCall.BY_C) {
          return result;
        }
      }
      return tensor(Native.call4(s.word, handleA, handleB, handleC, handleD));
    } finally {
      end(a, handleA);
      end(b, handleB);
      end(c, handleC);
      end(d, handleD);
    }
  }

  // ---- Calls with tensors and numbers, and defaults for the other arguments ---------------------

  /** Calls an operator that returns one tensor with a tensor and an integer. */
  public Tensor callTensor(Tensor a, long n) {
    Signature s = signature();
    if (!java) {
      CallFrame frame = CallFrame.get();
      long mark = frame.mark();
      try {
        long values = CallBlock.open(frame, s, 2);
        if (values != 0
            && CallBlock.put(frame, values, s, 0, a)
            && CallBlock.put(values, s, 1, n)) {
          return CallBlock.run(frame, s, this, values);
        }
      } finally {
        frame.reset(mark);
      }
    }
    return callTensor(new Object[] {a, n});
  }

  /** Calls an operator that returns one tensor with a tensor and a number. */
  public Tensor callTensor(Tensor a, double x) {
    Signature s = signature();
    if (!java) {
      CallFrame frame = CallFrame.get();
      long mark = frame.mark();
      try {
        long values = CallBlock.open(frame, s, 2);
        if (values != 0
            && CallBlock.put(frame, values, s, 0, a)
            && CallBlock.put(values, s, 1, x)) {
          return CallBlock.run(frame, s, this, values);
        }
      } finally {
        frame.reset(mark);
      }
    }
    return callTensor(new Object[] {a, x});
  }

  /** Calls an operator that returns one tensor with a tensor and two integers. */
  public Tensor callTensor(Tensor a, long n, long m) {
    Signature s = signature();
    if (!java) {
      CallFrame frame = CallFrame.get();
      long mark = frame.mark();
      try {
        long values = CallBlock.open(frame, s, 3);
        if (values != 0
            && CallBlock.put(frame, values, s, 0, a)
            && CallBlock.put(values, s, 1, n)
            && CallBlock.put(values, s, 2, m)) {
          return CallBlock.run(frame, s, this, values);
        }
      } finally {
        frame.reset(mark);
      }
    }
    return callTensor(new Object[] {a, n, m});
  }

  // Returns 0 for absent and closed tensors. The general path then raises the error.
  private static long begin(Tensor tensor) {
    if (tensor == null) {
      return 0;
    }
    long handle = tensor.tryBeginUse();
    if (handle == 0) {
      tensor.endUse();
    }
    return handle;
  }

  private static void end(Tensor tensor, long handle) {
    if (handle != 0) {
      tensor.endUse();
    }
  }

  // Converts the return value of a native function that ran a call.
  private static Tensor tensor(long r) {
    if (r == 0) {
      throw Errors.raise();
    }
    return r == Native.NO_RESULT ? null : Tensor.own(CallFrame.get(), r);
  }

  // ---- The general path -------------------------------------------------------------------------

  /**
   * Runs a call whose stack is filled. Returns 0 with results, a status with an error in the slot,
   * or -1 if a Java kernel must be called in the block's frame, which requires `direct`.
   */
  private interface CallRunner {
    int run(long block, boolean direct);
  }

  private final CallRunner dispatching = (block, direct) -> Native.call(address(), block, direct);

  // Passed as names if the positional arguments are complete and in schema order.
  private static final Map<String, ?> COMPLETE = Collections.unmodifiableMap(new HashMap<>());

  private Object[] execute(Signature s, Object[] args, Map<String, ?> named, CallRunner runner) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int objects = frame.objectCount();
    int returns = s.returnCount();
    int count = s.boundCount(args.length);
    long schema = 0;
    long values = CallBlock.open(frame, count, returns);
    long block = CallBlock.block(values);
    long rets = values + (long) count * Structs.VALUE_SIZE;
    try {
      schema =
          named == COMPLETE
              ? s.bindAll(frame, this, args, values)
              : s.bind(frame, this, args, named, values);
      if (Overrides.anyStands(args) || named != null && Overrides.anyStands(named.values())) {
        return Overrides.call(frame, this, block, runner == dispatching, rets, returns);
      }
      int status = runner.run(block, isDirect(frame));
      if (status < 0) {
        long running = CallBlock.running(values);
        try {
          return split(s, DirectCall.run(frame, this, s, running, values, count));
        } finally {
          DirectCall.leave(running);
        }
      }
      java = false; // the guess of a Java kernel was wrong
      Errors.check(status);
      Object[] results = takeResults(frame, rets, returns);
      return runner == dispatching ? Overrides.opened(frame, block, results) : results;
    } finally {
      Reference.reachabilityFence(args);
      Reference.reachabilityFence(named);
      if (schema != 0) {
        CallBlock.release(values, count, schema);
      }
      frame.releaseObjects(objects);
      frame.reset(mark);
    }
  }

  static Object[] takeResults(CallFrame frame, long rets, int count) {
    Object[] results = new Object[count];
    int done = 0;
    try {
      for (; done < count; done++) {
        long at = rets + (long) done * Structs.VALUE_SIZE;
        results[done] = Values.read(frame, at, Values.TAKE);
        if ((Memory.getShort(at + Structs.VALUE_FLAGS) & TENON_VALUE_OWNED) != 0) {
          TenonNative.tenon_value_clear(at);
        }
      }
    } finally {
      if (done < count) { // a result could not be read: release the remaining ones
        TenonNative.tenon_value_clear_n(rets + (long) done * Structs.VALUE_SIZE, count - done);
      }
    }
    return results;
  }

  private static Object[] split(Signature s, Object result) {
    return switch (s.returnCount()) {
      case 0 -> NOTHING;
      case 1 -> new Object[] {result};
      default -> (Object[]) result;
    };
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
