// SPDX-License-Identifier: Apache-2.0
// A guard of a shape environment.
package dev.tenon;

/**
 * A relation that must hold for numbers that are put in, and who asked.
 *
 * @param text such as "s0 == s1"
 * @param op operator whose kernel asked, "" without
 * @param file that asked, "" where unknown
 * @param line in the file, 0 where unknown
 */
public record ShapeGuard(String text, String op, String file, int line) {}
