// SPDX-License-Identifier: Apache-2.0

/**
 * Tenon for Java: define operators, register kernels as lambdas, and call operators written in any
 * language.
 *
 * <p>Start at {@link dev.tenon.Library} to define operators and register kernels, at {@link
 * dev.tenon.Operators} to find and call them, at {@link dev.tenon.Tensor} for data, and at {@link
 * dev.tenon.Scope} for lifetimes. Failures are {@link dev.tenon.TenonException}s; exceptions of
 * Java kernels are propagated unchanged.
 */
package dev.tenon;
