// SPDX-License-Identifier: Apache-2.0
// Storages: the memory under tensors.
package dev.tenon;

import dev.tenon.internal.TenonNative;

/** The memory that views of one tensor share. */
public final class Storage extends NativeHandle {
  private Storage(long address) {
    super(address);
  }

  /** Adds a new reference to the current scope. */
  static Storage retain(CallFrame frame, long address) {
    return frame.adopt(new Storage(TenonNative.tenon_storage_retain(address)));
  }

  @Override
  Storage unownedCopy() {
    Storage copy = new Storage(TenonNative.tenon_storage_retain(beginUse()));
    endUse();
    return copy;
  }

  /** Returns the address of the memory, or 0 if there is none. */
  public long dataAddress() {
    long data = TenonNative.tenon_storage_data(beginUse());
    endUse();
    return data;
  }

  /** Returns the size in bytes. */
  public long byteCount() {
    long size = TenonNative.tenon_storage_nbytes(beginUse());
    endUse();
    return size;
  }

  /** Returns true if both are references to the same storage. */
  public boolean isSame(Storage other) {
    return hasAddressOf(other);
  }

  @Override
  int type() {
    return STORAGE;
  }

  @Override
  String title() {
    return "Storage";
  }
}
