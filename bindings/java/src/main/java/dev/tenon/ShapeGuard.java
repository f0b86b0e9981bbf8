// SPDX-License-Identifier: Apache-2.0
// A guard of a shape environment.
package dev.tenon;

/**
 * A relation that must hold for the numbers of variables, and what caused it.
 *
 * @param text such as "s0 == s1"
 * @param op operator whose kernel caused it, "" without one
 * @param file file of the place that caused it, "" if unknown
 * @param line line in the file, 0 if unknown
 */
public record ShapeGuard(String text, String op, String file, int line) {}
