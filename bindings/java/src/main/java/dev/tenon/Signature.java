// SPDX-License-Identifier: Apache-2.0
// What calls need to know of an operator's schema, read once per definition.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;

/** An operator's arguments and returns, as its calls need them. Holds nothing native. */
final class Signature {
  static final Conversion ANY = new Conversion.OfAny("Any");

  final String op;
  final String text;
  final Argument[] arguments;
  private final Conversion[] conversions;
  private final Conversion[] returns;
  private final Object[] defaults;
  final boolean varArguments;
  final boolean varReturns;
  private final int positional;

  /** How many tensors a call takes if it takes nothing else and returns one or nothing; else -1. */
  final int tensors;

  /**
   * How many leading arguments a call has to give; those after them have defaults. -1 when a call
   * with fixed arguments is none of one tensor as the result.
   */
  private final int required;

  /** How a call ends: 0 with nothing, 1 with a tensor, 3 with one or none; -1 otherwise. */
  private final int results;

  private final long address;

  /** The operator's address plus {@code results}: what the fixed natives take. */
  final long word;

  // By the number of tensors that a call gives; null until one gave so many.
  private final Lane[] lanes = new Lane[LANES + 1];

  private static final int LANES = 3;

  /** The count of definitions when this was read or found to be the same still. */
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
    defaults = new Object[arguments.length];
    returns = new Conversion[(int) TenonNative.tenon_schema_return_count(schema)];
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long info = frame.allocate(Structs.ARGUMENT_INFO_SIZE);
      for (int i = 0; i < arguments.length; i++) {
        Schema.readInfo(schema, i, true, info);
        arguments[i] = Schema.argument(frame, info);
        conversions[i] = Conversion.of(Memory.getLong(info + Structs.ARGUMENT_INFO_TYPE));
        defaults[i] = arguments[i].hasDefault() ? normalise(i, arguments[i].defaultValue()) : null;
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
    address = operator.address();
    word = address + Math.max(results, 0);
  }

  /** Reads an operator's schema, or keeps `old` when the definition is the same. */
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

  /** Tells whether a call can return exactly one tensor. */
  boolean mayReturnTensor() {
    return varReturns
        || returns.length == 1 && (returns[0].isTensor() || returns[0] instanceof Conversion.OfAny);
  }

  /** Tells whether a call may return an absent tensor where it returns one. */
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
   * Tells whether a call may give so many arguments by position and leave the rest to defaults, and
   * returns one tensor.
   */
  boolean takes(int count) {
    return required >= 0 && required <= count && count <= positional;
  }

  /**
   * Returns the address of the lane by which a call with so many tensors and defaults for the rest
   * goes, 0 where there is none. The caller keeps this object alive while it uses it.
   */
  long lane(int given) {
    Lane lane = lanes[given];
    if (lane == null) {
      lane = isLane(given) ? Lane.make(address, results, this, given) : Lane.NONE;
      lanes[given] = lane; // two threads may both make one
    }
    return lane.address;
  }

  private boolean isLane(int given) {
    if (results < 0 || given > positional || arguments.length > Lane.MOST) {
      return false;
    }
    for (int i = 0; i < arguments.length; i++) {
      boolean fits =
          i < given
              ? conversions[i].isTensor()
              : arguments[i].hasDefault() && Lane.holds(defaults[i]);
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  /** Writes the defaults of all arguments from `first` on into a call's values. */
  void writeDefaults(CallFrame frame, long values, int first) {
    for (int i = first; i < conversions.length; i++) {
      conversions[i].write(frame, values + (long) i * Structs.VALUE_SIZE, defaults[i]);
    }
  }

  /** Brings positional and named arguments into schema order and canonical form. */
  Object[] bind(Object[] args, Map<String, ?> named) {
    int count = args.length;
    if (count > positional && !(varArguments && positional == arguments.length)) {
      throw new TenonException(
          ErrorCode.TYPE,
          op + ": number of positional arguments must be " + countText() + ", got " + count);
    }
    Object[] bound = new Object[Math.max(arguments.length, count)];
    int used = 0;
    for (int i = 0; i < bound.length; i++) {
      if (i >= arguments.length) {
        bound[i] = normalise(i, args[i]);
        continue;
      }
      Argument argument = arguments[i];
      boolean isNamed = named != null && named.containsKey(argument.name());
      if (isNamed && i < count && !argument.keywordOnly()) {
        throw TenonException.type(
            op, "argument '" + argument.name() + "'", "given once", "a position and a name");
      }
      if (i < count && !argument.keywordOnly()) {
        bound[i] = normalise(i, args[i]);
      } else if (isNamed) {
        bound[i] = normalise(i, named.get(argument.name()));
        used++;
      } else if (argument.hasDefault()) {
        bound[i] = fresh(defaults[i]);
      } else {
        throw TenonException.type(
            op, "argument '" + argument.name() + "'", "given (" + argument.type() + ")", "nothing");
      }
    }
    if (named != null && used < named.size()) {
      throw unknownName(named);
    }
    return bound;
  }

  /** Brings a complete list in schema order into canonical form: what layers pass on. */
  Object[] bindAll(Object[] args) {
    if (args.length != arguments.length && !(varArguments && args.length > arguments.length)) {
      throw new TenonException(
          ErrorCode.TYPE,
          op + ": number of arguments must be " + arguments.length + ", got " + args.length);
    }
    Object[] bound = new Object[args.length];
    for (int i = 0; i < bound.length; i++) {
      bound[i] = normalise(i, args[i]);
    }
    return bound;
  }

  private String countText() {
    int required = 0;
    for (Argument argument : arguments) {
      required += argument.keywordOnly() || argument.hasDefault() ? 0 : 1;
    }
    return required == positional ? "" + positional : required + " to " + positional;
  }

  private TenonException unknownName(Map<String, ?> named) {
    for (String name : named.keySet()) {
      if (Arrays.stream(arguments).noneMatch(a -> a.name().equals(name))) {
        return new TenonException(
            ErrorCode.TYPE,
            op
                + ": argument name must be one of "
                + Arrays.stream(arguments).map(Argument::name).toList()
                + ", got '"
                + name
                + "'");
      }
    }
    throw new AssertionError(named);
  }

  // Arrays are fresh each time: a kernel may write into its arguments.
  private static Object fresh(Object value) {
    if (value instanceof long[] longs) {
      return longs.clone();
    }
    if (value instanceof double[] doubles) {
      return doubles.clone();
    }
    return value instanceof boolean[] booleans ? booleans.clone() : value;
  }

  private Object normalise(int index, Object v) {
    Conversion conversion = conversion(index);
    Object normalised = conversion.normalise(v);
    if (normalised == Conversion.MISMATCH) {
      normalised = expand(index, v);
    }
    if (normalised == Conversion.MISMATCH && Overrides.stands(v)) {
      return v;
    }
    if (normalised == Conversion.MISMATCH) {
      throw TenonException.type(op, argumentText(index), conversion.text, Values.typeName(v));
    }
    if (normalised == Conversion.CLOSED) {
      throw new IllegalStateException(
          op + ": " + argumentText(index) + " must be " + open(v) + ", got a closed one");
    }
    return normalised;
  }

  // What a closed handle should have been; inside a list only tensors are looked at.
  private static String open(Object v) {
    return "an open " + (v instanceof NativeHandle handle ? handle.title() : "Tensor");
  }

  private String argumentText(int index) {
    return index < arguments.length
        ? "argument '" + arguments[index].name() + "'"
        : "argument " + index;
  }

  // One number stands for all of a list with a stated length: `int[2] stride` takes 3.
  private Object expand(int index, Object v) {
    int size = index < arguments.length ? arguments[index].listSize() : -1;
    if (size <= 0 || !(v instanceof Number)) {
      return Conversion.MISMATCH;
    }
    Object[] all = new Object[size];
    Arrays.fill(all, v);
    return conversion(index).normalise(Arrays.asList(all));
  }

  // ---- Results --------------------------------------------------------------------------------

  /**
   * Brings what a kernel returned into canonical form: null for no result, one result as it is, an
   * Object[] of `count` results.
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

  /** A function of the C interface that looks at an operator's arguments and writes one word. */
  interface Question {
    int ask(long op, long args, long nargs, long out);
  }

  /** Asks about a call with these arguments; what is left out takes its default. */
  long ask(long op, Object[] args, Map<String, ?> named, Question question) {
    Object[] bound = bind(args, named);
    boolean overridden = Overrides.anyStands(bound);
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int objects = frame.objectCount();
    try {
      long out = frame.allocate(8);
      long values = frame.allocate((long) bound.length * Structs.VALUE_SIZE);
      for (int i = 0; i < bound.length; i++) {
        long at = values + (long) i * Structs.VALUE_SIZE;
        if (overridden && Overrides.stands(bound[i])) {
          Values.putObject(frame, at, TENON_TAG_OBJECT, bound[i], null);
        } else {
          conversion(i).write(frame, at, bound[i]);
        }
      }
      Errors.check(question.ask(op, values, bound.length, out));
      return Memory.getLong(out);
    } finally {
      Reference.reachabilityFence(bound);
      frame.releaseObjects(objects);
      frame.reset(mark);
    }
  }
}
