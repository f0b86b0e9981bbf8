// SPDX-License-Identifier: Apache-2.0
// Devices.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A device.
 *
 * @param type the number of its type, which is that of its backend
 * @param index its index within the type; -1 for the current one
 */
public record Device(int type, int index) {
  // Set of types that were found to exist, by number. They are never removed.
  private static volatile long known;

  /** The CPU. */
  public static final Device CPU = new Device(TENON_DEVICE_CPU, -1);

  /** Meta: shapes without memory. */
  public static final Device META = new Device(TENON_DEVICE_META, -1);

  /** Ignores the index of CPU and Meta, which are single devices. */
  public Device {
    if (type == TENON_DEVICE_CPU || type == TENON_DEVICE_META) {
      index = -1;
    }
  }

  /** Returns true if its type is that of a backend; false for the undefined tensor's type, -1. */
  boolean exists() {
    if (type < 0 || type >= TENON_BACKEND_BITS) {
      return false;
    }
    if ((known >>> type & 1) == 0) {
      if (TenonNative.tenon_device_type_name(type).equals("unknown")) {
        return false;
      }
      known |= 1L << type;
    }
    return true;
  }

  /** Parses "cpu", "cuda:1", "meta" or the name of a registered backend with an optional index. */
  public static Device of(String text) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_device_parse(text, out));
      return read(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the number of devices of a type, such as "cuda"; 0 without driver. */
  public static int count(String type) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_device_count(of(type).type, out));
      return Memory.getInt(out);
    } finally {
      frame.reset(mark);
    }
  }

  // Reads a device. For the device of a fake tensor, returns the claimed device.
  static Device read(long address) {
    int index = Memory.getInt(address + 4);
    boolean fake = index >= TENON_DEVICE_FAKE;
    return new Device(Memory.getInt(address), fake ? index - TENON_DEVICE_FAKE : index);
  }

  void write(long address) {
    Memory.putInt(address, type);
    Memory.putInt(address + 4, index);
  }

  /** Returns the name of the type, such as "cuda". */
  public String typeName() {
    return TenonNative.tenon_device_type_name(type);
  }

  /** Returns true if this is the CPU. */
  public boolean isCpu() {
    return type == TENON_DEVICE_CPU;
  }

  @Override
  public String toString() {
    return index < 0 ? typeName() : typeName() + ":" + index;
  }
}
