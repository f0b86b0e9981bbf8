// SPDX-License-Identifier: Apache-2.0
// Devices.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A device.
 *
 * @param type the number of its type, which is its backend's
 * @param index which one of that type; -1 for the current one
 */
public record Device(int type, int index) {
  // Types that were found to exist, by number: they stay.
  private static volatile long known;

  /** The CPU. */
  public static final Device CPU = new Device(TENON_DEVICE_CPU, -1);

  /** Shapes without memory. */
  public static final Device META = new Device(TENON_DEVICE_META, -1);

  /** The CPU and Meta are one device each, whatever the index. */
  public Device {
    if (type == TENON_DEVICE_CPU || type == TENON_DEVICE_META) {
      index = -1;
    }
  }

  /** Tells whether its type is a backend's; the undefined tensor's, -1, is none. */
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

  /** Returns how many devices of a type there are, such as "cuda"; 0 without driver. */
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

  // What a fake tensor claims, of its device.
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

  /** Tells whether this is the CPU. */
  public boolean isCpu() {
    return type == TENON_DEVICE_CPU;
  }

  @Override
  public String toString() {
    return index < 0 ? typeName() : typeName() + ":" + index;
  }
}
