// SPDX-License-Identifier: Apache-2.0
// Status codes by name.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** Failure codes of a {@link TenonException}. The numbers are those of the C interface. */
public enum ErrorCode {
  /** A value, shape or name is invalid. */
  INVALID_ARGUMENT(TENON_ERROR_INVALID_ARGUMENT),
  /** An argument has the wrong type, or the number of arguments is wrong. */
  TYPE(TENON_ERROR_TYPE),
  /** An operator, overload, key, device or plugin does not exist. */
  NOT_FOUND(TENON_ERROR_NOT_FOUND),
  /** The name exists already. */
  ALREADY_EXISTS(TENON_ERROR_ALREADY_EXISTS),
  /** No kernel serves the computed key. */
  NO_KERNEL(TENON_ERROR_NO_KERNEL),
  /** The operation exists, but not for this dtype, device or layout. */
  NOT_SUPPORTED(TENON_ERROR_NOT_SUPPORTED),
  /** An index or dimension is out of range. */
  INDEX(TENON_ERROR_INDEX),
  /** A text cannot be parsed. */
  PARSE(TENON_ERROR_PARSE),
  /** An allocation of native memory failed. */
  OUT_OF_MEMORY(TENON_ERROR_OUT_OF_MEMORY),
  /** The object was closed, or the call is not legal in this state. */
  STATE(TENON_ERROR_STATE),
  /** Something is in use on another thread. */
  BUSY(TENON_ERROR_BUSY),
  /** Dispatches are nested too deeply. */
  RECURSION(TENON_ERROR_RECURSION),
  /** Something was built for another ABI. */
  ABI(TENON_ERROR_ABI),
  /** A file operation, the dynamic loader or a driver failed. */
  SYSTEM(TENON_ERROR_SYSTEM),
  /** A kernel failed without a more specific code. */
  RUNTIME(TENON_ERROR_RUNTIME),
  /** A result depends on elements that a Meta or fake tensor does not have. */
  DATA_DEPENDENT(TENON_ERROR_DATA_DEPENDENT),
  /** An exception of another language. */
  FOREIGN(TENON_ERROR_FOREIGN),
  /** A bug in Tenon itself. */
  INTERNAL(TENON_ERROR_INTERNAL),
  /** A number that this version does not have. */
  UNKNOWN(-1);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** Returns the number. */
  public int number() {
    return number;
  }

  static ErrorCode of(int number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    return UNKNOWN;
  }
}
