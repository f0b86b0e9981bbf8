// SPDX-License-Identifier: Apache-2.0
// Cast rules of operators in autocast regions.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.Objects;

/**
 * Defines how a region converts the arguments of an operator: see {@link Library#registerAutocast}.
 * Tensors are eligible if they are on the region's device type and have a floating dtype other than
 * float64.
 */
public final class CastPolicy {
  /** Converts eligible arguments to the region's dtype. */
  public static final CastPolicy LOWER_PRECISION = new CastPolicy(TENON_CAST_LOWER, null, null);

  /** Converts eligible arguments to float32. */
  public static final CastPolicy FP32 = new CastPolicy(TENON_CAST_FP32, null, null);

  /** Adds {@code dtype=float32} if the first argument is eligible and no dtype is passed. */
  public static final CastPolicy FP32_SET_OPT_DTYPE =
      new CastPolicy(TENON_CAST_FP32_DTYPE, null, null);

  /** Calls the overload that takes a {@code dtype} as well, with float32. */
  public static final CastPolicy FP32_APPEND_DTYPE =
      new CastPolicy(TENON_CAST_FP32_OVERLOAD, null, null);

  /** Converts eligible arguments to the widest of their dtypes. */
  public static final CastPolicy PROMOTE = new CastPolicy(TENON_CAST_PROMOTE, null, null);

  final int kind;
  final DType dtype;
  final String advice;

  private CastPolicy(int kind, DType dtype, String advice) {
    this.kind = kind;
    this.dtype = dtype;
    this.advice = advice;
  }

  /** Returns a policy that converts eligible arguments to a dtype. */
  public static CastPolicy to(DType dtype) {
    return new CastPolicy(TENON_CAST_TO, Objects.requireNonNull(dtype, "dtype"), null);
  }

  /** Returns a policy that makes the call fail, with advice in the error. */
  public static CastPolicy banned(String advice) {
    return new CastPolicy(TENON_CAST_BANNED, null, Objects.requireNonNull(advice, "advice"));
  }
}
