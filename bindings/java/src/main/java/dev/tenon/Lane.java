// SPDX-License-Identifier: Apache-2.0
// The memory by which C calls an operator with some tensors and the defaults of the rest.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import java.nio.ByteBuffer;

/**
 * The defaults of an operator's arguments, written as values once, so that a call with tensors only
 * makes and fills in nothing: it reaches a typed kernel with their addresses, a boxed one with
 * copies.
 */
final class Lane {
  /** As many arguments as a lane has: C copies them to its stack for a boxed kernel. */
  static final int MOST = 16;

  /** What {@link #address} is where there is no lane. */
  static final Lane NONE = new Lane();

  // Keeps the memory alive: who calls by the address keeps this object alive meanwhile.
  private final ByteBuffer memory;
  final long address;

  private Lane() {
    memory = null;
    address = 0;
  }

  /** Writes the values of arguments from `given` on; `results` are the low bits of a word. */
  private Lane(CallFrame frame, long op, int results, Signature s, int given) {
    int count = s.arguments.length;
    long mark = frame.mark();
    try {
      long values = frame.allocate((long) count * Structs.VALUE_SIZE);
      Memory.zero(values, (long) count * Structs.VALUE_SIZE);
      s.writeDefaults(frame, values, given);
      long size = Structs.LANE_VALUES + (long) count * Structs.VALUE_SIZE;
      long data = 0;
      for (int i = given; i < count; i++) {
        data += dataSize(values + (long) i * Structs.VALUE_SIZE);
      }
      memory = ByteBuffer.allocateDirect((int) (size + data) + 8);
      address = (Native.bufferAddress(memory) + 7) & ~7L;
      Memory.putLong(address, op);
      Memory.putInt(address + Structs.LANE_COUNT, count);
      Memory.putInt(address + Structs.LANE_RESULTS, results);
      long end = address + size;
      for (int i = given; i < count; i++) {
        long from = values + (long) i * Structs.VALUE_SIZE;
        long to = address + Structs.LANE_VALUES + (long) i * Structs.VALUE_SIZE;
        Memory.copy(from, to, Structs.VALUE_SIZE);
        long bytes = dataSize(from);
        if (bytes > 0) {
          Memory.copy(Memory.getLong(from + Structs.VALUE_AS), end, bytes);
          Memory.putLong(to + Structs.VALUE_AS, end);
          end += bytes;
        }
      }
    } finally {
      frame.reset(mark);
    }
  }

  /** Makes the lane of a signature that {@link Signature#lane} found fit for one. */
  static Lane make(long op, int results, Signature s, int given) {
    CallFrame frame = CallFrame.get();
    return new Lane(frame, op, results, s, given);
  }

  /** Tells whether a default can be kept without a reference to anything. */
  static boolean holds(Object v) {
    return v == null
        || v instanceof Long
        || v instanceof Double
        || v instanceof Boolean
        || v instanceof Complex
        || v instanceof String
        || v instanceof DType
        || v instanceof Layout
        || v instanceof MemoryFormat
        || v instanceof Device
        || v instanceof long[]
        || v instanceof double[]
        || v instanceof boolean[];
  }

  // Bytes of the elements that a value points to, rounded up.
  private static long dataSize(long at) {
    long count = Memory.getInt(at + Structs.VALUE_COUNT);
    return switch (Memory.getShort(at)) {
      case TENON_TAG_INT_LIST, TENON_TAG_FLOAT_LIST -> count * 8;
      case TENON_TAG_BOOL_LIST -> (count + 7) & ~7L;
      case TENON_TAG_STRING -> (count + 1 + 7) & ~7L; // with its NUL
      default -> 0;
    };
  }
}
