// SPDX-License-Identifier: Apache-2.0
// One argument or return of a schema.
package dev.tenon;

/**
 * One argument or return of a schema.
 *
 * @param name "" for an unnamed return
 * @param type as printed, such as "int[]?"
 * @param alias the alias annotation, such as "(a!)", or ""
 * @param keywordOnly whether it goes by name only
 * @param out whether it is an out argument
 * @param written whether the operator writes it
 * @param hasDefault whether it may be left out
 * @param defaultValue the default in the form that kernels see; null where there is none
 * @param listSize N of {@code T[N]}, else -1
 */
public record Argument(
    String name,
    String type,
    String alias,
    boolean keywordOnly,
    boolean out,
    boolean written,
    boolean hasDefault,
    Object defaultValue,
    int listSize) {}
