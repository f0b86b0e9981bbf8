// SPDX-License-Identifier: Apache-2.0
// Ints that may not be numbers yet: sizes.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.Map;
import java.util.OptionalLong;

/**
 * An int that may not be a number yet: a size such as {@code s0}, or an expression of some.
 *
 * <p>Arithmetic and relations stay symbolic; {@link SymBool#guard} decides a relation, {@link
 * #guard} makes a number.
 *
 * <pre>{@code
 * SymInt batch = env.newSize(4);
 * batch.times(2).plus(1);        // 2*s0 + 1
 * batch.lt(10).guard();          // true, and a guard
 * }</pre>
 */
public final class SymInt extends SymNumber {
  SymInt(ShapeEnv env, long symbol) {
    super(env, TENON_TAG_SYMINT, symbol);
  }

  private SymInt(long number) {
    super(null, TENON_TAG_INT, number);
  }

  /** Returns a number. */
  public static SymInt of(long number) {
    return new SymInt(number);
  }

  /** Makes a size of a word that borrows its symbol, which {@code env} keeps. */
  static SymInt ofWord(ShapeEnv env, long word) {
    return isSymbol(word) ? new SymInt(env, symbolOf(word)) : new SymInt(word);
  }

  /** Tells whether a word is a symbol: below -2^62. */
  static boolean isSymbol(long word) {
    return word < -(1L << 62);
  }

  static long symbolOf(long word) {
    return word & Long.MAX_VALUE;
  }

  /**
   * Returns the word of it, which borrows its symbol.
   *
   * @throws TenonException INVALID_ARGUMENT for a number below -2^62, whose bits are a symbol's
   */
  long word() {
    if (isSymbolic()) {
      return TenonNative.tenon_dim_of_symbol(word);
    }
    if (isSymbol(word)) {
      throw new TenonException(
          ErrorCode.INVALID_ARGUMENT,
          "sizes: a number beside symbols must be -2^62 or more, got " + word);
    }
    return word;
  }

  /** Returns the number, empty for a symbol. */
  public OptionalLong asLong() {
    return isSymbolic() ? OptionalLong.empty() : OptionalLong.of(word);
  }

  /**
   * Makes a number of it, by a guard that tells the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT where only data tells
   */
  public long guard() {
    return (Long) guarded();
  }

  /** Returns the number in the case at hand, empty where only data tells. */
  public OptionalLong hint() {
    Object hint = hinted();
    return hint == null ? OptionalLong.empty() : OptionalLong.of((Long) hint);
  }

  private long bound(boolean upper) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(16);
      Errors.check(TenonNative.tenon_symbol_bounds(word, out, out + 8));
      return Memory.getLong(upper ? out + 8 : out);
    } finally {
      fence();
      frame.reset(mark);
    }
  }

  /** Returns the least number as far as known, empty for no bound. */
  public OptionalLong lowerBound() {
    long bound = isSymbolic() ? bound(false) : word;
    return bound == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(bound);
  }

  /** Returns the greatest number as far as known, empty for no bound. */
  public OptionalLong upperBound() {
    long bound = isSymbolic() ? bound(true) : word;
    return bound == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(bound);
  }

  /**
   * Returns its value where numbers stand for variables. Records nothing.
   *
   * @throws TenonException INVALID_ARGUMENT where a variable lacks
   */
  public long evaluate(Map<SymInt, Long> numbers) {
    if (!isSymbolic()) {
      return word;
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      long variables = ShapeEnv.variables(frame, numbers);
      long values = ShapeEnv.values(frame, numbers);
      int count = numbers.size();
      Errors.check(TenonNative.tenon_symbol_evaluate(word, variables, values, count, out));
      return Memory.getLong(out);
    } finally {
      fence();
      numbers.keySet().forEach(SymInt::fence);
      frame.reset(mark);
    }
  }

  /** The sum. */
  public SymInt plus(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_ADD, other);
  }

  /** The sum. */
  public SymInt plus(long other) {
    return plus(of(other));
  }

  /** The difference. */
  public SymInt minus(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_SUB, other);
  }

  /** The difference. */
  public SymInt minus(long other) {
    return minus(of(other));
  }

  /** The product. */
  public SymInt times(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MUL, other);
  }

  /** The product. */
  public SymInt times(long other) {
    return times(of(other));
  }

  /** The quotient, rounded down as {@link Math#floorDiv(long, long)} does. */
  public SymInt floorDiv(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_FLOORDIV, other);
  }

  /** The quotient, rounded down as {@link Math#floorDiv(long, long)} does. */
  public SymInt floorDiv(long other) {
    return floorDiv(of(other));
  }

  /** The remainder, with the sign of the divisor. */
  public SymInt mod(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MOD, other);
  }

  /** The remainder, with the sign of the divisor. */
  public SymInt mod(long other) {
    return mod(of(other));
  }

  /** The larger one, without deciding which it is. */
  public SymInt max(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MAX, other);
  }

  /** The larger one, without deciding which it is. */
  public SymInt max(long other) {
    return max(of(other));
  }

  /** The smaller one, without deciding which it is. */
  public SymInt min(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MIN, other);
  }

  /** The smaller one, without deciding which it is. */
  public SymInt min(long other) {
    return min(of(other));
  }

  /** The number with the other sign. */
  public SymInt negate() {
    return of(0).minus(this);
  }

  /** The quotient as a float. */
  public SymFloat trueDiv(SymInt other) {
    return (SymFloat) apply(TENON_SYMBOL_TRUEDIV, other);
  }

  /** The square root of what is 0 or more. */
  public SymFloat sqrt() {
    return (SymFloat) apply(TENON_SYMBOL_SQRT, null);
  }

  /** The same number as a float. */
  public SymFloat toSymFloat() {
    return (SymFloat) apply(TENON_SYMBOL_FLOAT, null);
  }

  /** Whether {@code this == other}, as far as known without a guard. */
  public SymBool eq(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_EQ, other);
  }

  /** Whether {@code this == other}, as far as known without a guard. */
  public SymBool eq(long other) {
    return eq(of(other));
  }

  /** Whether {@code this != other}, as far as known without a guard. */
  public SymBool ne(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_NE, other);
  }

  /** Whether {@code this != other}, as far as known without a guard. */
  public SymBool ne(long other) {
    return ne(of(other));
  }

  /** Whether {@code this < other}, as far as known without a guard. */
  public SymBool lt(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_LT, other);
  }

  /** Whether {@code this < other}, as far as known without a guard. */
  public SymBool lt(long other) {
    return lt(of(other));
  }

  /** Whether {@code this <= other}, as far as known without a guard. */
  public SymBool le(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_LE, other);
  }

  /** Whether {@code this <= other}, as far as known without a guard. */
  public SymBool le(long other) {
    return le(of(other));
  }

  /** Whether {@code this > other}, as far as known without a guard. */
  public SymBool gt(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_GT, other);
  }

  /** Whether {@code this > other}, as far as known without a guard. */
  public SymBool gt(long other) {
    return gt(of(other));
  }

  /** Whether {@code this >= other}, as far as known without a guard. */
  public SymBool ge(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_GE, other);
  }

  /** Whether {@code this >= other}, as far as known without a guard. */
  public SymBool ge(long other) {
    return ge(of(other));
  }

  @Override
  Object number() {
    return word;
  }
}
