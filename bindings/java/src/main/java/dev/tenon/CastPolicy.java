// SPDX-License-Identifier: Apache-2.0
// How an operator is cast in autocast regions.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import java.util.Objects;

/**
 * What a region does to the arguments of an operator: see {@link Library#registerAutocast}.
 * Eligible are tensors of the region's device type and of a floating dtype other than float64.
 */
public final class CastPolicy {
  /** Eligible arguments to the region's dtype. */
  public static final CastPolicy LOWER_PRECISION = new CastPolicy(TENON_CAST_LOWER, null, null);

  /** Eligible arguments to float32. */
  public static final CastPolicy FP32 = new CastPolicy(TENON_CAST_FP32, null, null);

  /** {@code dtype=float32} where the first argument is eligible, and none is given. */
  public static final CastPolicy FP32_SET_OPT_DTYPE =
      new CastPolicy(TENON_CAST_FP32_DTYPE, null, null);

  /** The overload that takes a {@code dtype} besides, with float32. */
  public static final CastPolicy FP32_APPEND_DTYPE =
      new CastPolicy(TENON_CAST_FP32_OVERLOAD, null, null);

  /** Eligible arguments to the widest of their dtypes. */
  public static final CastPolicy PROMOTE = new CastPolicy(TENON_CAST_PROMOTE, null, null);

  final int kind;
  final DType dtype;
  final String advice;

  private CastPolicy(int kind, DType dtype, String advice) {
    this.kind = kind;
    this.dtype = dtype;
    this.advice = advice;
  }

  /** Eligible arguments to a dtype. */
  public static CastPolicy to(DType dtype) {
    return new CastPolicy(TENON_CAST_TO, Objects.requireNonNull(dtype, "dtype"), null);
  }

  /** The call fails, and says what to do instead. */
  public static CastPolicy banned(String advice) {
    return new CastPolicy(TENON_CAST_BANNED, null, Objects.requireNonNull(advice, "advice"));
  }
}
