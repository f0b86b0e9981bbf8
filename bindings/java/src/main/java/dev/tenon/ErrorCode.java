// SPDX-License-Identifier: Apache-2.0
// Status codes by name.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** What kind of failure a {@link TenonException} is. The numbers are the C interface's. */
public enum ErrorCode {
  /** A value, shape or name that is not accepted. */
  INVALID_ARGUMENT(TENON_ERROR_INVALID_ARGUMENT),
  /** An argument of the wrong type, or the wrong number of arguments. */
  TYPE(TENON_ERROR_TYPE),
  /** An operator, overload, key, device or plugin that does not exist. */
  NOT_FOUND(TENON_ERROR_NOT_FOUND),
  /** A name that is taken. */
  ALREADY_EXISTS(TENON_ERROR_ALREADY_EXISTS),
  /** No kernel serves the computed key. */
  NO_KERNEL(TENON_ERROR_NO_KERNEL),
  /** The operation exists, but not for this dtype, device or layout. */
  NOT_SUPPORTED(TENON_ERROR_NOT_SUPPORTED),
  /** An index or dimension out of range. */
  INDEX(TENON_ERROR_INDEX),
  /** Text that does not parse. */
  PARSE(TENON_ERROR_PARSE),
  /** Native memory could not be had. */
  OUT_OF_MEMORY(TENON_ERROR_OUT_OF_MEMORY),
  /** The object was closed, or the call is not legal now. */
  STATE(TENON_ERROR_STATE),
  /** Something is in use on another thread. */
  BUSY(TENON_ERROR_BUSY),
  /** Dispatches nested too deep. */
  RECURSION(TENON_ERROR_RECURSION),
  /** Built for another ABI. */
  ABI(TENON_ERROR_ABI),
  /** A file, loader or driver failed. */
  SYSTEM(TENON_ERROR_SYSTEM),
  /** A kernel failed and gave no code of its own. */
  RUNTIME(TENON_ERROR_RUNTIME),
  /** A result depends on data that is not there. */
  DATA_DEPENDENT(TENON_ERROR_DATA_DEPENDENT),
  /** An exception of another language. */
  FOREIGN(TENON_ERROR_FOREIGN),
  /** A failure inside Tenon itself. */
  INTERNAL(TENON_ERROR_INTERNAL),
  /** A number that this version does not know. */
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
