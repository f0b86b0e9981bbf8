// SPDX-License-Identifier: Apache-2.0
// The only class that accesses native memory by address.
package dev.tenon.internal;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Native memory by address. Internal.
 *
 * <p>On Java 17 to 21 this is {@code sun.misc.Unsafe}, the only way to read memory that C owns
 * without copying. From Java 22 on another class replaces this one in the jar (src/main/java22); it
 * uses a memory segment over the whole address space. All other code, including the public classes,
 * uses this class.
 */
@SuppressWarnings({"deprecation", "removal"})
public final class Memory {
  private static final Unsafe UNSAFE = unsafe();

  private Memory() {}

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  public static byte getByte(long address) {
    return UNSAFE.getByte(address);
  }

  public static void putByte(long address, byte value) {
    UNSAFE.putByte(address, value);
  }

  public static short getShort(long address) {
    return UNSAFE.getShort(address);
  }

  public static void putShort(long address, short value) {
    UNSAFE.putShort(address, value);
  }

  public static int getInt(long address) {
    return UNSAFE.getInt(address);
  }

  public static void putInt(long address, int value) {
    UNSAFE.putInt(address, value);
  }

  public static long getLong(long address) {
    return UNSAFE.getLong(address);
  }

  public static void putLong(long address, long value) {
    UNSAFE.putLong(address, value);
  }

  /** Stores with release order: earlier writes are visible before it. */
  public static void putLongRelease(long address, long value) {
    UNSAFE.putOrderedLong(null, address, value);
  }

  public static float getFloat(long address) {
    return UNSAFE.getFloat(address);
  }

  public static void putFloat(long address, float value) {
    UNSAFE.putFloat(address, value);
  }

  public static double getDouble(long address) {
    return UNSAFE.getDouble(address);
  }

  public static void putDouble(long address, double value) {
    UNSAFE.putDouble(address, value);
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
    UNSAFE.setMemory(address, size, (byte) 0);
  }

  public static void copy(long from, long to, long size) {
    UNSAFE.copyMemory(from, to, size);
  }

  /** Copies {@code size} bytes from a primitive array to memory, from the array's byte offset. */
  public static void copyIn(Object array, long offset, long to, long size) {
    UNSAFE.copyMemory(array, UNSAFE.arrayBaseOffset(array.getClass()) + offset, null, to, size);
  }

  /** Copies {@code size} bytes from memory to a primitive array, at the array's byte offset. */
  public static void copyOut(long from, Object array, long offset, long size) {
    UNSAFE.copyMemory(null, from, array, UNSAFE.arrayBaseOffset(array.getClass()) + offset, size);
  }
}
