// SPDX-License-Identifier: Apache-2.0
// Ints that may be symbolic, such as sizes.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.Map;
import java.util.OptionalLong;

/**
 * An int that may be symbolic: a size such as {@code s0}, or an expression of symbols.
 *
 * <p>Arithmetic and relations stay symbolic. {@link SymBool#guard} decides a relation, and {@link
 * #guard} converts to a number.
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

  /** Makes a size from a word that borrows its symbol, which {@code env} keeps alive. */
  static SymInt ofWord(ShapeEnv env, long word) {
    return isSymbol(word) ? new SymInt(env, symbolOf(word)) : new SymInt(word);
  }

  /** Returns true if a word is a symbol, which is the case below -2^62. */
  static boolean isSymbol(long word) {
    return word < -(1L << 62);
  }

  static long symbolOf(long word) {
    return word & Long.MAX_VALUE;
  }

  /**
   * Returns the word, which borrows the symbol.
   *
   * @throws TenonException INVALID_ARGUMENT for a number below -2^62, whose bits are those of a
   *     symbol
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
   * Converts to a number and records a guard with the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT if the value depends on data
   */
  public long guard() {
    return (Long) guarded();
  }

  /** Returns the number in the current example, or empty if it depends on data. */
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

  /** Returns the known lower bound, or empty if there is none. */
  public OptionalLong lowerBound() {
    long bound = isSymbolic() ? bound(false) : word;
    return bound == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(bound);
  }

  /** Returns the known upper bound, or empty if there is none. */
  public OptionalLong upperBound() {
    long bound = isSymbolic() ? bound(true) : word;
    return bound == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(bound);
  }

  /**
   * Evaluates the expression with numbers for its variables. Records no guard.
   *
   * @throws TenonException INVALID_ARGUMENT if a variable is missing
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

  /** Returns the sum. */
  public SymInt plus(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_ADD, other);
  }

  /** Returns the sum. */
  public SymInt plus(long other) {
    return plus(of(other));
  }

  /** Returns the difference. */
  public SymInt minus(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_SUB, other);
  }

  /** Returns the difference. */
  public SymInt minus(long other) {
    return minus(of(other));
  }

  /** Returns the product. */
  public SymInt times(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MUL, other);
  }

  /** Returns the product. */
  public SymInt times(long other) {
    return times(of(other));
  }

  /** Returns the quotient, rounded down as {@link Math#floorDiv(long, long)} does. */
  public SymInt floorDiv(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_FLOORDIV, other);
  }

  /** Returns the quotient, rounded down as {@link Math#floorDiv(long, long)} does. */
  public SymInt floorDiv(long other) {
    return floorDiv(of(other));
  }

  /** Returns the remainder, with the sign of the divisor. */
  public SymInt mod(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MOD, other);
  }

  /** Returns the remainder, with the sign of the divisor. */
  public SymInt mod(long other) {
    return mod(of(other));
  }

  /** Returns the maximum, without deciding which operand it is. */
  public SymInt max(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MAX, other);
  }

  /** Returns the maximum, without deciding which operand it is. */
  public SymInt max(long other) {
    return max(of(other));
  }

  /** Returns the minimum, without deciding which operand it is. */
  public SymInt min(SymInt other) {
    return (SymInt) apply(TENON_SYMBOL_MIN, other);
  }

  /** Returns the minimum, without deciding which operand it is. */
  public SymInt min(long other) {
    return min(of(other));
  }

  /** Returns the negated number. */
  public SymInt negate() {
    return of(0).minus(this);
  }

  /** Returns the quotient as a float. */
  public SymFloat trueDiv(SymInt other) {
    return (SymFloat) apply(TENON_SYMBOL_TRUEDIV, other);
  }

  /** Returns the square root of a number that is at least 0. */
  public SymFloat sqrt() {
    return (SymFloat) apply(TENON_SYMBOL_SQRT, null);
  }

  /** Returns the same number as a float. */
  public SymFloat toSymFloat() {
    return (SymFloat) apply(TENON_SYMBOL_FLOAT, null);
  }

  /** Returns whether {@code this == other}; decides nothing. */
  public SymBool eq(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_EQ, other);
  }

  /** Returns whether {@code this == other}; decides nothing. */
  public SymBool eq(long other) {
    return eq(of(other));
  }

  /** Returns whether {@code this != other}; decides nothing. */
  public SymBool ne(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_NE, other);
  }

  /** Returns whether {@code this != other}; decides nothing. */
  public SymBool ne(long other) {
    return ne(of(other));
  }

  /** Returns whether {@code this < other}; decides nothing. */
  public SymBool lt(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_LT, other);
  }

  /** Returns whether {@code this < other}; decides nothing. */
  public SymBool lt(long other) {
    return lt(of(other));
  }

  /** Returns whether {@code this <= other}; decides nothing. */
  public SymBool le(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_LE, other);
  }

  /** Returns whether {@code this <= other}; decides nothing. */
  public SymBool le(long other) {
    return le(of(other));
  }

  /** Returns whether {@code this > other}; decides nothing. */
  public SymBool gt(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_GT, other);
  }

  /** Returns whether {@code this > other}; decides nothing. */
  public SymBool gt(long other) {
    return gt(of(other));
  }

  /** Returns whether {@code this >= other}; decides nothing. */
  public SymBool ge(SymInt other) {
    return (SymBool) apply(TENON_SYMBOL_GE, other);
  }

  /** Returns whether {@code this >= other}; decides nothing. */
  public SymBool ge(long other) {
    return ge(of(other));
  }

  @Override
  Object number() {
    return word;
  }
}
