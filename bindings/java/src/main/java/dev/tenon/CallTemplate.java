// SPDX-License-Identifier: Apache-2.0
// Defaults of an operator's arguments, ready for calls that omit them.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import java.nio.ByteBuffer;

/**
 * An operator and the defaults of its arguments as values, written once. A call that omits
 * arguments then makes and fills in nothing: typed kernels receive addresses of the defaults, boxed
 * ones receive copies.
 */
final class CallTemplate {
  /** Maximum number of arguments of a template. C copies them to its stack for a boxed kernel. */
  static final int MOST = 16;

  // Keeps the memory alive. Code that uses the address must keep this object alive.
  private final ByteBuffer memory;
  final long address;

  /** Index of the first argument whose default is stored here. */
  final int from;

  /**
   * Copies defaults, given by address; 0 for arguments without one. `results` are the low bits of a
   * word. The defaults must not hold references, because these would have to be released.
   */
  CallTemplate(long op, int results, long[] defaults) {
    int first = defaults.length;
    long bytes = 0;
    while (first > 0 && defaults[first - 1] != 0 && dataSize(defaults[first - 1]) >= 0) {
      first--;
      bytes += dataSize(defaults[first]);
    }
    from = first;
    long size = Structs.LANE_VALUES + (long) defaults.length * Structs.VALUE_SIZE;
    memory = ByteBuffer.allocateDirect((int) (size + bytes) + 8);
    address = (Native.bufferAddress(memory) + 7) & ~7L;
    Memory.putLong(address, op);
    Memory.putInt(address + Structs.LANE_COUNT, defaults.length);
    Memory.putInt(address + Structs.LANE_RESULTS, results);
    long data = address + size;
    for (int i = first; i < defaults.length; i++) {
      long to = value(i);
      Memory.copy(defaults[i], to, Structs.VALUE_SIZE);
      Memory.putShort(to + Structs.VALUE_FLAGS, (short) 0); // borrowed
      long elements = dataSize(defaults[i]);
      if (elements > 0) {
        Memory.copy(Memory.getLong(defaults[i] + Structs.VALUE_AS), data, elements);
        Memory.putLong(to + Structs.VALUE_AS, data);
        Memory.putLong(to + Structs.VALUE_AS + 8, 0);
        data += (elements + 7) & ~7L;
      }
    }
  }

  /** Returns the address of an argument's value. */
  long value(int index) {
    return address + Structs.LANE_VALUES + (long) index * Structs.VALUE_SIZE;
  }

  // Returns the size in bytes of the elements of a value, or -1 if the value holds a reference.
  private static long dataSize(long at) {
    long count = Memory.getInt(at + Structs.VALUE_COUNT);
    return switch (Memory.getShort(at)) {
      case TENON_TAG_NONE,
              TENON_TAG_BOOL,
              TENON_TAG_INT,
              TENON_TAG_FLOAT,
              TENON_TAG_COMPLEX,
              TENON_TAG_DTYPE,
              TENON_TAG_LAYOUT,
              TENON_TAG_MEMORY_FORMAT,
              TENON_TAG_DEVICE ->
          0;
      case TENON_TAG_INT_LIST, TENON_TAG_FLOAT_LIST -> count * 8;
      case TENON_TAG_BOOL_LIST, TENON_TAG_STRING -> count;
      case TENON_TAG_TENSOR_LIST, TENON_TAG_LIST -> count == 0 ? 0 : -1;
      default -> -1;
    };
  }
}
