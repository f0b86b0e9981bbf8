// SPDX-License-Identifier: Apache-2.0
// Complex numbers in arguments and results.
package dev.tenon;

/** A complex number. */
public record Complex(double real, double imaginary) {
  @Override
  public String toString() {
    return "(" + real + (imaginary < 0 || 1 / imaginary < 0 ? "" : "+") + imaginary + "j)";
  }
}
