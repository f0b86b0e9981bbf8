// SPDX-License-Identifier: Apache-2.0
// Streams of devices.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A queue of work on a device.
 *
 * @param handle the vendor's handle; 0 is the default stream
 * @param device the device
 */
public record Stream(long handle, Device device) {
  /** Returns a device's current stream on the calling thread. */
  public static Stream current(Device device) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long in = frame.allocate(8);
      device.write(in);
      long out = frame.allocate(16);
      Errors.check(TenonNative.tenon_stream_current(in, out));
      return read(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Waits until the work queued here has finished. */
  public void synchronize() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long in = frame.allocate(16);
      write(in);
      Errors.check(TenonNative.tenon_stream_synchronize(in));
    } finally {
      frame.reset(mark);
    }
  }

  static Stream read(long address) {
    return new Stream(Memory.getLong(address), Device.read(address + 8));
  }

  void write(long address) {
    Memory.putLong(address, handle);
    device.write(address + 8);
  }
}
