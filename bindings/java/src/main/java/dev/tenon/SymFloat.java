// SPDX-License-Identifier: Apache-2.0
// Floats that may not be numbers yet.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.OptionalDouble;

/** A float that may not be a number yet, such as {@code s0 / 2}. */
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
   * Makes a number of it, by a guard that tells the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT where only data tells
   */
  public double guard() {
    return (Double) guarded();
  }

  /** Returns the number in the case at hand, empty where only data tells. */
  public OptionalDouble hint() {
    Object hint = hinted();
    return hint == null ? OptionalDouble.empty() : OptionalDouble.of((Double) hint);
  }

  /** The sum. */
  public SymFloat plus(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_ADD, other);
  }

  /** The difference. */
  public SymFloat minus(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_SUB, other);
  }

  /** The product. */
  public SymFloat times(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_MUL, other);
  }

  /** The quotient. */
  public SymFloat dividedBy(SymFloat other) {
    return (SymFloat) apply(TENON_SYMBOL_TRUEDIV, other);
  }

  /** The square root of what is 0 or more. */
  public SymFloat sqrt() {
    return (SymFloat) apply(TENON_SYMBOL_SQRT, null);
  }

  @Override
  Object number() {
    return Double.longBitsToDouble(word);
  }
}
