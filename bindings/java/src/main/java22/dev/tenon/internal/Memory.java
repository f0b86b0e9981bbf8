// SPDX-License-Identifier: Apache-2.0
// The only class that accesses native memory by address, from Java 22 on.
package dev.tenon.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Native memory by address, through a memory segment over the whole address space. Internal.
 *
 * <p>Replaces the class with this name in src/main/java, and has the same methods.
 */
public final class Memory {
  private static final MemorySegment ALL = all();
  private static final VarHandle LONG = JAVA_LONG.varHandle();

  private Memory() {}

  @SuppressWarnings("restricted")
  private static MemorySegment all() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }

  public static byte getByte(long address) {
    return ALL.get(JAVA_BYTE, address);
  }

  public static void putByte(long address, byte value) {
    ALL.set(JAVA_BYTE, address, value);
  }

  public static short getShort(long address) {
    return ALL.get(JAVA_SHORT_UNALIGNED, address);
  }

  public static void putShort(long address, short value) {
    ALL.set(JAVA_SHORT_UNALIGNED, address, value);
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  /** Stores with release order: earlier writes are visible before it. */
  public static void putLongRelease(long address, long value) {
    LONG.setRelease(ALL, address, value);
  }

  public static float getFloat(long address) {
    return ALL.get(JAVA_FLOAT_UNALIGNED, address);
  }

  public static void putFloat(long address, float value) {
    ALL.set(JAVA_FLOAT_UNALIGNED, address, value);
  }

  public static double getDouble(long address) {
    return ALL.get(JAVA_DOUBLE_UNALIGNED, address);
  }

  public static void putDouble(long address, double value) {
    ALL.set(JAVA_DOUBLE_UNALIGNED, address, value);
  }

  /** Allocates zeroed memory, freed by {@link #free}. */
  public static long allocate(long size) {
    long address = Native.allocate(size);
    if (address == 0) {
      throw new OutOfMemoryError("Tenon: no native memory for " + size + " bytes");
    }
    return address;
  }

  public static void free(long address) {
    Native.free(address);
  }

  public static void zero(long address, long size) {
    ALL.asSlice(address, size).fill((byte) 0);
  }

  public static void copy(long from, long to, long size) {
    MemorySegment.copy(ALL, from, ALL, to, size);
  }

  /** Copies {@code size} bytes from a primitive array to memory, from the array's byte offset. */
  public static void copyIn(Object array, long offset, long to, long size) {
    if (array instanceof boolean[] booleans) {
      for (int i = 0; i < size; i++) {
        putByte(to + i, (byte) (booleans[(int) offset + i] ? 1 : 0));
      }
    } else {
      MemorySegment.copy(segment(array), offset, ALL, to, size);
    }
  }

  /** Copies {@code size} bytes from memory to a primitive array, at the array's byte offset. */
  public static void copyOut(long from, Object array, long offset, long size) {
    if (array instanceof boolean[] booleans) {
      for (int i = 0; i < size; i++) {
        booleans[(int) offset + i] = getByte(from + i) != 0;
      }
    } else {
      MemorySegment.copy(ALL, from, segment(array), offset, size);
    }
  }

  private static MemorySegment segment(Object array) {
    if (array instanceof byte[] bytes) {
      return MemorySegment.ofArray(bytes);
    } else if (array instanceof short[] shorts) {
      return MemorySegment.ofArray(shorts);
    } else if (array instanceof int[] ints) {
      return MemorySegment.ofArray(ints);
    } else if (array instanceof long[] longs) {
      return MemorySegment.ofArray(longs);
    } else if (array instanceof float[] floats) {
      return MemorySegment.ofArray(floats);
    } else if (array instanceof double[] doubles) {
      return MemorySegment.ofArray(doubles);
    }
    throw new AssertionError(array.getClass());
  }
}
