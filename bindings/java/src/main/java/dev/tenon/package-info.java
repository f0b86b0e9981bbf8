// SPDX-License-Identifier: Apache-2.0

/**
 * Tenon for Java: define operators, register kernels as lambdas, and call operators written in any
 * language.
 *
 * <p>Start at {@link dev.tenon.Library} to define and implement, at {@link dev.tenon.Operators} to
 * find and call, at {@link dev.tenon.Tensor} for data, at {@link dev.tenon.Scope} for lifetimes.
 * Failures are {@link dev.tenon.TenonException}s; exceptions of Java kernels come home as
 * themselves.
 */
package dev.tenon;
