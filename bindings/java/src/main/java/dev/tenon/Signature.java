// SPDX-License-Identifier: Apache-2.0
// Schema data that calls need, read once per definition.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;

/** An operator's arguments and returns, as needed by calls. Holds nothing native. */
final class Signature {
  static final Conversion ANY = new Conversion.OfAny("Any");

  final String op;
  final String text;
  final Argument[] arguments;
  private final Conversion[] conversions;
  private final Conversion[] returns;
  final boolean varArguments;
  final boolean varReturns;
  private final int positional;

  /** Number of tensors of a call that takes only tensors and returns one or none; otherwise -1. */
  final int tensors;

  /**
   * Number of leading arguments without default. -1 if a fixed call with one tensor result is
   * impossible.
   */
  private final int required;

  /** Result of a call: 0 for none, 1 for a tensor, 3 for an optional tensor; -1 otherwise. */
  private final int results;

  /** The operator's address plus {@code results}, an argument of the fixed natives. */
  final long word;

  private final CallTemplate template;

  // Element n is true if a call with n tensors uses a template.
  private final boolean[] hasTemplate = new boolean[TEMPLATES + 1];

  private static final int TEMPLATES = 3;

  /** Number of definitions when this was read or last found to be up to date. */
  volatile long epoch;

  private Signature(Op operator, long schema, long epoch) {
    op = operator.name();
    this.epoch = epoch;
    text = TenonNative.tenon_schema_text(schema);
    int flags = TenonNative.tenon_schema_flags(schema);
    varArguments = (flags & TENON_SCHEMA_VARARG) != 0;
    varReturns = (flags & TENON_SCHEMA_VARRET) != 0;
    arguments = new Argument[(int) TenonNative.tenon_schema_argument_count(schema)];
    conversions = new Conversion[arguments.length];
    long[] defaults = new long[arguments.length];
    returns = new Conversion[(int) TenonNative.tenon_schema_return_count(schema)];
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long info = frame.allocate(Structs.ARGUMENT_INFO_SIZE);
      for (int i = 0; i < arguments.length; i++) {
        Schema.readInfo(schema, i, true, info);
        arguments[i] = Schema.argument(frame, info);
        conversions[i] = Conversion.of(Memory.getLong(info + Structs.ARGUMENT_INFO_TYPE));
        defaults[i] = Memory.getLong(info + Structs.ARGUMENT_INFO_DEFAULT_VALUE);
      }
      for (int i = 0; i < returns.length; i++) {
        Schema.readInfo(schema, i, false, info);
        returns[i] = Conversion.of(Memory.getLong(info + Structs.ARGUMENT_INFO_TYPE));
      }
    } finally {
      frame.reset(mark);
    }
    int count = 0;
    boolean onlyTensors =
        (returns.length == 0 || returns.length == 1 && returns[0].isTensor())
            && !varArguments
            && !varReturns;
    results =
        !onlyTensors
            ? -1
            : returns.length == 0 ? 0 : returns[0] instanceof Conversion.OfTensor ? 1 : 3;
    for (int i = 0; i < arguments.length; i++) {
      count += arguments[i].keywordOnly() ? 0 : 1;
      onlyTensors &= conversions[i].isTensor() && !arguments[i].keywordOnly();
    }
    positional = count;
    tensors = onlyTensors ? arguments.length : -1;
    int last = arguments.length;
    while (last > 0 && arguments[last - 1].hasDefault()) {
      last--;
    }
    boolean oneTensor = returns.length == 1 && returns[0] instanceof Conversion.OfTensor;
    required = oneTensor && !varArguments && !varReturns ? last : -1;
    word = operator.address() + Math.max(results, 0);
    template = new CallTemplate(operator.address(), Math.max(results, 0), defaults);
    for (int i = 1, leading = 0; i <= Math.min(TEMPLATES, positional); i++) {
      leading += leading == i - 1 && conversions[i - 1].isTensor() ? 1 : 0;
      hasTemplate[i] =
          leading == i
              && results >= 0
              && template.from <= i
              && arguments.length <= CallTemplate.MOST;
    }
  }

  /** Reads an operator's schema, or returns `old` if the definition has not changed. */
  static Signature read(Op op, Signature old, long epoch) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    long schema = 0;
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_op_copy_schema(op.address(), out));
      schema = Memory.getLong(out);
      if (old != null && old.text.equals(TenonNative.tenon_schema_text(schema))) {
        old.epoch = epoch;
        return old;
      }
      return new Signature(op, schema, epoch);
    } finally {
      TenonNative.tenon_schema_release(schema);
      frame.reset(mark);
    }
  }

  int returnCount() {
    return returns.length;
  }

  /** Returns true if a call can return exactly one tensor. */
  boolean mayReturnTensor() {
    return varReturns
        || returns.length == 1 && (returns[0].isTensor() || returns[0] instanceof Conversion.OfAny);
  }

  /** Returns true if the tensor that a call returns may be absent. */
  boolean mayReturnNoTensor() {
    return returns.length == 1 && returns[0] instanceof CompoundConversion.OfOptional;
  }

  String returnText() {
    return Arrays.stream(returns).map(conversion -> conversion.text).toList().toString();
  }

  Conversion returnConversion(int index) {
    return index < returns.length ? returns[index] : ANY;
  }

  Conversion conversion(int index) {
    return index < conversions.length ? conversions[index] : ANY;
  }

  // ---- Arguments ------------------------------------------------------------------------------

  /**
   * Returns the address of the template for a call with {@code given} tensors and defaults for the
   * other arguments, or 0 if there is none. The caller must keep this object alive while it uses
   * the template.
   */
  long template(int given) {
    return hasTemplate[given] ? template.address : 0;
  }

  /**
   * Returns true if a call may pass {@code count} positional arguments and use defaults for the
   * others, and returns one tensor.
   */
  boolean takes(int count) {
    return required >= 0 && required <= count && template.from <= count && count <= positional;
  }

  /**
   * Writes the defaults of all arguments from `first` on into a call's values. They are stored in
   * this object's memory, so the caller must keep it alive.
   */
  void writeDefaults(long values, int first) {
    long offset = (long) first * Structs.VALUE_SIZE;
    long size = (long) (arguments.length - first) * Structs.VALUE_SIZE;
    Memory.copy(template.value(first), values + offset, size);
  }

  /** Returns the number of values of a call with {@code given} positional arguments. */
  int boundCount(int given) {
    return varArguments ? Math.max(arguments.length, given) : arguments.length;
  }

  /**
   * Binds positional and named arguments: converts them, puts them in schema order and fills in
   * defaults. The values may borrow from the returned schema, which the caller releases after the
   * call.
   */
  long bind(CallFrame frame, Op operator, Object[] args, Map<String, ?> named, long values) {
    long positions = frame.allocate((long) args.length * Structs.VALUE_SIZE);
    for (int i = 0; i < args.length; i++) {
      give(frame, positions + (long) i * Structs.VALUE_SIZE, i, args[i]);
    }
    int count = named == null ? 0 : named.size();
    long names = frame.allocate(count * 8L);
    long given = frame.allocate((long) count * Structs.VALUE_SIZE);
    if (count > 0) {
      int next = 0;
      for (Map.Entry<String, ?> entry : named.entrySet()) {
        Memory.putLong(names + next * 8L, nameText(frame, entry.getKey()));
        long at = given + (long) next * Structs.VALUE_SIZE;
        give(frame, at, indexOf(entry.getKey()), entry.getValue());
        next++;
      }
    }
    return bind(operator, positions, args.length, names, given, count, values);
  }

  /** Binds a complete list in schema order, as layers pass it on. */
  long bindAll(CallFrame frame, Op operator, Object[] args, long values) {
    if (args.length != arguments.length && !(varArguments && args.length > arguments.length)) {
      throw new TenonException(
          ErrorCode.TYPE,
          op + ": number of arguments must be " + arguments.length + ", got " + args.length);
    }
    long given = frame.allocate((long) args.length * Structs.VALUE_SIZE);
    for (int i = 0; i < args.length; i++) {
      give(frame, given + (long) i * Structs.VALUE_SIZE, i, args[i]);
    }
    // Keyword-only arguments are passed by name.
    int first = varArguments ? args.length : positional;
    long names = frame.allocate((args.length - first) * 8L);
    for (int i = first; i < args.length; i++) {
      Memory.putLong(names + (i - first) * 8L, frame.text(arguments[i].name()));
    }
    long rest = given + (long) first * Structs.VALUE_SIZE;
    return bind(operator, given, first, names, rest, args.length - first, values);
  }

  private long bind(
      Op operator, long positions, int count, long names, long named, int namedCount, long values) {
    long schema =
        Native.bindArguments(
            operator.address(),
            positions,
            count,
            names,
            named,
            namedCount,
            values,
            boundCount(count));
    if (schema == 0) {
      throw Errors.raise();
    }
    return schema;
  }

  private int indexOf(String name) {
    int index = 0;
    while (index < arguments.length && !arguments[index].name().equals(name)) {
      index++;
    }
    return index; // out of range: C refuses the name
  }

  // Writes a value in its own type; C converts it. The error for a value that cannot be written
  // names the argument.
  private void give(CallFrame frame, long at, int index, Object v) {
    try {
      conversion(index).give(frame, at, v);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          op + ": " + argumentText(index) + " must be " + open(v) + ", got a closed one", e);
    } catch (TenonException e) {
      int sentence = e.getMessage().indexOf(" must be ");
      String what = sentence < 0 ? ": " + e.getMessage() : e.getMessage().substring(sentence);
      throw new TenonException(e.errorCode(), op + ": " + argumentText(index) + what);
    }
  }

  // Refuses a name with a NUL: C would read it only up to the NUL, which might be an argument's
  // name.
  private long nameText(CallFrame frame, String name) {
    if (name != null && (name.indexOf('\0') >= 0 || Text.loneSurrogate(name) >= 0)) {
      throw new TenonException(
          ErrorCode.TYPE, op + ": argument name must be one of the schema's, got '" + name + "'");
    }
    return frame.text(name);
  }

  private String argumentText(int index) {
    return index < arguments.length ? arguments[index].name() : "argument " + index;
  }

  // Returns the type that a closed handle should have been. Inside a list only tensors are checked.
  private static String open(Object v) {
    return "an open " + (v instanceof NativeHandle handle ? handle.title() : "Tensor");
  }

  // ---- Results --------------------------------------------------------------------------------

  /**
   * Converts a kernel's return value to canonical form: null for no result, the result itself for
   * one, an Object[] of `count` results for several.
   */
  Object results(Object result, int count) {
    if (count == 1) {
      return normaliseResult(0, result);
    }
    if (count == 0) {
      if (result != null) {
        throw TenonException.type(op, "result", "null", Values.typeName(result));
      }
      return null;
    }
    Object[] all =
        result instanceof Object[] array
            ? array
            : result instanceof java.util.List<?> list ? list.toArray() : null;
    if (all == null || all.length != count) {
      throw TenonException.type(
          op,
          "results",
          count + " values in an Object[]",
          all == null ? Values.typeName(result) : all.length + " values");
    }
    Object[] normalised = new Object[count];
    for (int i = 0; i < count; i++) {
      normalised[i] = normaliseResult(i, all[i]);
    }
    return normalised;
  }

  private Object normaliseResult(int index, Object v) {
    Conversion conversion = returnConversion(index);
    Object normalised = conversion.normalise(v);
    if (normalised == Conversion.MISMATCH) {
      throw TenonException.type(op, "result " + index, conversion.text, Values.typeName(v));
    }
    if (normalised == Conversion.CLOSED) {
      throw new IllegalStateException(
          op + ": result " + index + " must be " + open(v) + ", got a closed one");
    }
    return normalised;
  }

  /** A function of the C interface that reads an operator's arguments and writes one word. */
  interface BoundQuery {
    int ask(long op, long args, long nargs, long out);
  }

  /** Calls such a function with these arguments. Omitted arguments have their defaults. */
  long ask(Op operator, Object[] args, Map<String, ?> named, BoundQuery question) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int objects = frame.objectCount();
    int count = boundCount(args.length);
    long schema = 0;
    long values = 0;
    try {
      long out = frame.allocate(8);
      values = frame.allocate((long) count * Structs.VALUE_SIZE);
      schema = bind(frame, operator, args, named, values);
      Errors.check(question.ask(operator.address(), values, count, out));
      return Memory.getLong(out);
    } finally {
      Reference.reachabilityFence(args);
      Reference.reachabilityFence(named);
      if (schema != 0) {
        TenonNative.tenon_value_clear_n(values, count);
        TenonNative.tenon_schema_release(schema);
      }
      frame.releaseObjects(objects);
      frame.reset(mark);
    }
  }
}
