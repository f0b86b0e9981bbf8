// SPDX-License-Identifier: Apache-2.0
// Floats that may be symbolic.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.OptionalDouble;

/** A float that may be symbolic, such as {@code s0 / 2}. */
public final class SymFloat extends SymNumber {
  SymFloat(ShapeEnv env, long symbol) {
    super(env, TENON_TAG_SYMFLOAT, symbol);
  }

  private SymFloat(double number) {
    super(null, TENON_TAG_FLOAT, Double.doubleToRawLongBits(number));
  }

  /** Returns a number. */
  public static SymFloat of(double number) {
    return new SymFloat(number);
  }

  /**
   * Converts to a number and records a guard with the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT if the value depends on data
   */
  public double guard() {
    return (Double) guarded();
  }

  /** Returns the number in the current example, or empty if it depends on data. */
  public OptionalDouble hint() {
    Object hint = hinted();
    return hint == null ? OptionalDouble.empty() : OptionalDouble.of((Double) hint);
  }

  /** Returns the sum. */
  public SymFloat plus(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_ADD, other);
  }

  /** Returns the difference. */
  public SymFloat minus(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_SUB, other);
  }

  /** Returns the product. */
  public SymFloat times(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_MUL, other);
  }

  /** Returns the quotient. */
  public SymFloat dividedBy(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_TRUEDIV, other);
  }

  /** Returns the square root of a number that is at least 0. */
  public SymFloat sqrt() {
    return (SymFloat) apply(TENON_SYMBOL_SQRT, null);
  }

  @Override
  Object number() {
    return Double.longBitsToDouble(word);
  }
}
