// SPDX-License-Identifier: Apache-2.0
// The base class of symbolic ints, floats and bools.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;

/**
 * A number or a symbol: a size such as {@code s0}, or an expression such as {@code s0*s1 + 1}.
 *
 * <p>Objects are immutable and need not be closed: a symbol lives as long as an object of it. Two
 * objects are equal if they are the same number or expression; comparing them decides nothing.
 */
public abstract sealed class SymNumber permits SymInt, SymFloat, SymBool {
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  // Keeps the symbol alive; null for a number.
  private final ShapeEnv env;
  final int tag;
  final long word; // the number's bits, or the symbol's address

  SymNumber(ShapeEnv env, int tag, long word) {
    this.env = env;
    this.tag = tag;
    this.word = word;
  }

  /** Returns true if this is a symbol and not a number. */
  public final boolean isSymbolic() {
    return env != null;
  }

  final void put(long at) {
    Values.put(at, tag, word);
  }

  /**
   * Applies a function to this and optionally another operand. The result has any of the classes.
   */
  final Object apply(int function, SymNumber other) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long args = frame.allocate(3L * Structs.VALUE_SIZE);
      long out = args + 2L * Structs.VALUE_SIZE;
      put(args);
      if (other != null) {
        other.put(args + Structs.VALUE_SIZE);
      }
      Errors.check(TenonNative.tenon_symbol_apply(function, args, other == null ? 1 : 2, out));
      return take(frame, out);
    } finally {
      Reference.reachabilityFence(this);
      Reference.reachabilityFence(other);
      frame.reset(mark);
    }
  }

  /** Converts to a number and records a guard with the innermost place outside of these classes. */
  final Object guarded() {
    if (!isSymbolic()) {
      return number();
    }
    StackWalker.StackFrame place =
        WALKER.walk(
            frames ->
                frames
                    .filter(f -> !SymNumber.class.isAssignableFrom(f.getDeclaringClass()))
                    .findFirst()
                    .orElseThrow());
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long value = frame.allocate(2L * Structs.VALUE_SIZE);
      long out = value + Structs.VALUE_SIZE;
      put(value);
      int line = Math.max(place.getLineNumber(), 0);
      Errors.check(TenonNative.tenon_symbol_guard(value, place.getFileName(), line, out));
      return Values.read(frame, out, Values.RETAIN);
    } finally {
      Reference.reachabilityFence(this);
      frame.reset(mark);
    }
  }

  /** Returns the number in the current example, or null if it depends on data. */
  final Object hinted() {
    if (!isSymbolic()) {
      return number();
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      TenonNative.tenon_symbol_hint(word, out);
      return Values.read(frame, out, Values.RETAIN);
    } finally {
      Reference.reachabilityFence(this);
      frame.reset(mark);
    }
  }

  abstract Object number();

  /** Reads a result and clears it. */
  static Object take(CallFrame frame, long at) {
    try {
      return of(frame, at);
    } finally {
      TenonNative.tenon_value_clear(at);
    }
  }

  /** Reads a number or symbol as an object of one of the three classes. */
  static SymNumber of(CallFrame frame, long at) {
    Object read = Values.read(frame, at, Values.RETAIN);
    if (read instanceof SymNumber symbol) {
      return symbol;
    } else if (read instanceof Long number) {
      return SymInt.of(number);
    } else if (read instanceof Double number) {
      return SymFloat.of(number);
    }
    return SymBool.of((Boolean) read);
  }

  /** Makes an object of a symbol that something else keeps alive during the call. */
  static SymNumber retain(long symbol) {
    return retain(ShapeEnv.keeping(TenonNative.tenon_symbol_env(symbol)), symbol);
  }

  static SymNumber retain(ShapeEnv env, long symbol) {
    return switch (TenonNative.tenon_symbol_tag(symbol)) {
      case TENON_TAG_SYMINT -> new SymInt(env, symbol);
      case TENON_TAG_SYMFLOAT -> new SymFloat(env, symbol);
      default -> new SymBool(env, symbol);
    };
  }

  /** Returns true if both are the same number or expression; decides nothing. */
  @Override
  public final boolean equals(Object other) {
    return other instanceof SymNumber number && number.tag == tag && number.word == word;
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(word);
  }

  /** Returns the expression in Python syntax. */
  @Override
  public final String toString() {
    if (!isSymbolic()) {
      return String.valueOf(number());
    }
    try {
      return ShapeEnv.text(out -> TenonNative.tenon_symbol_print(word, out));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Keeps this object alive up to this call, after its word was read. */
  final void fence() {
    Reference.reachabilityFence(this);
  }
}
