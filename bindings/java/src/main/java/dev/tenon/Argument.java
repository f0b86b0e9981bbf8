// SPDX-License-Identifier: Apache-2.0
// An argument or return of a schema.
package dev.tenon;

/**
 * An argument or return of a schema.
 *
 * @param name "" for an unnamed return
 * @param type as printed, such as "int[]?"
 * @param alias the alias annotation, such as "(a!)", or ""
 * @param keywordOnly whether it can only be passed by name
 * @param out whether it is an out argument
 * @param written whether the operator writes to it
 * @param hasDefault whether it may be omitted
 * @param defaultValue the default in the form that kernels receive; null without a default
 * @param listSize N of {@code T[N]}, otherwise -1
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
