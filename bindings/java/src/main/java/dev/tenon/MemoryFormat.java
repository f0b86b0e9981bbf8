// SPDX-License-Identifier: Apache-2.0
// Memory formats.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/** Order of a tensor's dims in memory. */
public enum MemoryFormat {
  CONTIGUOUS(TENON_MEMORY_FORMAT_CONTIGUOUS),
  PRESERVE(TENON_MEMORY_FORMAT_PRESERVE),
  CHANNELS_LAST(TENON_MEMORY_FORMAT_CHANNELS_LAST),
  CHANNELS_LAST_3D(TENON_MEMORY_FORMAT_CHANNELS_LAST_3D);

  private final int number;

  MemoryFormat(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static MemoryFormat ofNumber(long number) {
    for (MemoryFormat format : values()) {
      if (format.number == number) {
        return format;
      }
    }
    throw TenonException.value(
        "MemoryFormat", "number", "one that this version knows", "" + number);
  }
}
