// SPDX-License-Identifier: Apache-2.0
// Element types.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/** Type of a tensor's elements. The numbers are those of the C interface. */
public enum DType {
  UINT8(TENON_DTYPE_U8),
  INT8(TENON_DTYPE_I8),
  INT16(TENON_DTYPE_I16),
  INT32(TENON_DTYPE_I32),
  INT64(TENON_DTYPE_I64),
  FLOAT16(TENON_DTYPE_F16),
  FLOAT32(TENON_DTYPE_F32),
  FLOAT64(TENON_DTYPE_F64),
  COMPLEX32(TENON_DTYPE_C32),
  COMPLEX64(TENON_DTYPE_C64),
  COMPLEX128(TENON_DTYPE_C128),
  BOOL(TENON_DTYPE_BOOL),
  BFLOAT16(TENON_DTYPE_BF16),
  FLOAT8_E5M2(TENON_DTYPE_F8_E5M2),
  FLOAT8_E4M3FN(TENON_DTYPE_F8_E4M3FN),
  UINT16(TENON_DTYPE_U16),
  UINT32(TENON_DTYPE_U32),
  UINT64(TENON_DTYPE_U64);

  private static final DType[] BY_NUMBER = new DType[64];

  static {
    for (DType dtype : values()) {
      BY_NUMBER[dtype.number] = dtype;
    }
  }

  private final int number;
  private final int size;
  private final int traits;
  private final String text;

  DType(int number) {
    this.number = number;
    this.size = (int) TenonNative.tenon_dtype_size(number);
    this.traits = TenonNative.tenon_dtype_traits(number);
    this.text = TenonNative.tenon_dtype_name(number);
  }

  /** Returns the dtype of a C number, or null for none. */
  static DType ofNumber(long number) {
    if (number == TENON_DTYPE_NONE) {
      return null;
    }
    DType dtype = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[(int) number] : null;
    if (dtype == null) {
      throw TenonException.value("DType", "number", "one that this version knows", "" + number);
    }
    return dtype;
  }

  /** Finds a dtype by name: "float32", or a usual alias such as "float", "half" and "long". */
  public static DType of(String name) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_dtype_parse(name, out));
      return ofNumber(Memory.getInt(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the dtype that both are promoted to. */
  public static DType promote(DType a, DType b) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_dtype_promote(a.number, b.number, out));
      return ofNumber(Memory.getInt(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the number of this dtype in C and in graphs. */
  public int number() {
    return number;
  }

  /** Returns the size of one element in bytes. */
  public int size() {
    return size;
  }

  /** Returns true if this is a real floating dtype. */
  public boolean isFloating() {
    return (traits & TENON_DTYPE_IS_FLOATING) != 0;
  }

  /** Returns true if this is a complex dtype. */
  public boolean isComplex() {
    return (traits & TENON_DTYPE_IS_COMPLEX) != 0;
  }

  /** Returns true if this is an integer dtype; false for bool. */
  public boolean isIntegral() {
    return (traits & TENON_DTYPE_IS_INTEGRAL) != 0;
  }

  /** Returns the name, such as "float32". */
  @Override
  public String toString() {
    return text;
  }
}
