// SPDX-License-Identifier: Apache-2.0
// Bools that may be symbolic.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.Optional;

/** A bool that may be symbolic, such as {@code s0 < s1}. */
public final class SymBool extends SymNumber {
  SymBool(ShapeEnv env, long symbol) {
    super(env, TENON_TAG_SYMBOOL, symbol);
  }

  private SymBool(boolean truth) {
    super(null, TENON_TAG_BOOL, truth ? 1 : 0);
  }

  /** Returns a known bool. */
  public static SymBool of(boolean truth) {
    return new SymBool(truth);
  }

  /**
   * Decides the value. If it is not known, uses hints and records a guard with the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT if the value depends on data
   */
  public boolean guard() {
    return (Boolean) guarded();
  }

  /** Returns the value in the current example, or empty if it depends on data. */
  public Optional<Boolean> hint() {
    return Optional.ofNullable((Boolean) hinted());
  }

  /** Returns whether both hold. */
  public SymBool and(SymBool other) {
    return (SymBool) apply(TENON_SYMBOL_AND, other);
  }

  /** Returns whether at least one of them holds. */
  public SymBool or(SymBool other) {
    return (SymBool) apply(TENON_SYMBOL_OR, other);
  }

  /** Returns whether it does not hold. */
  public SymBool not() {
    return (SymBool) apply(TENON_SYMBOL_NOT, null);
  }

  @Override
  Object number() {
    return word != 0;
  }
}
