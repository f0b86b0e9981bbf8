// SPDX-License-Identifier: Apache-2.0
// Truths that may not be decided yet.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.Optional;

/** A truth that may not be decided yet, such as {@code s0 < s1}. */
public final class SymBool extends SymNumber {
  SymBool(ShapeEnv env, long symbol) {
    super(env, TENON_TAG_SYMBOOL, symbol);
  }

  private SymBool(boolean truth) {
    super(null, TENON_TAG_BOOL, truth ? 1 : 0);
  }

  /** Returns a truth that is decided. */
  public static SymBool of(boolean truth) {
    return new SymBool(truth);
  }

  /**
   * Decides it: by what is known, else by hints and a guard that tells the caller's place.
   *
   * @throws TenonException DATA_DEPENDENT where only data tells
   */
  public boolean guard() {
    return (Boolean) guarded();
  }

  /** Returns the truth in the case at hand, empty where only data tells. */
  public Optional<Boolean> hint() {
    return Optional.ofNullable((Boolean) hinted());
  }

  /** Whether both hold. */
  public SymBool and(SymBool other) {
    return (SymBool) apply(TENON_SYMBOL_AND, other);
  }

  /** Whether one of them holds. */
  public SymBool or(SymBool other) {
    return (SymBool) apply(TENON_SYMBOL_OR, other);
  }

  /** Whether it does not hold. */
  public SymBool not() {
    return (SymBool) apply(TENON_SYMBOL_NOT, null);
  }

  @Override
  Object number() {
    return word != 0;
  }
}
