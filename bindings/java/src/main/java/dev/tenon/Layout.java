// SPDX-License-Identifier: Apache-2.0
// Layouts.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** How a tensor's elements are stored. */
public enum Layout {
  STRIDED(TENON_LAYOUT_STRIDED);

  private final int number;

  Layout(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static Layout ofNumber(long number) {
    if (number == TENON_LAYOUT_STRIDED) {
      return STRIDED;
    }
    throw TenonException.value("Layout", "number", "one that this version knows", "" + number);
  }
}
