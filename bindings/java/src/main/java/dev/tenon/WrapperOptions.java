// SPDX-License-Identifier: Apache-2.0
// Options of wrapper tensors.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * Describes the tensor that a wrapper claims to be: see {@link Tensor#wrapper(Dispatching,
 * WrapperOptions)}.
 *
 * <pre>{@code
 * Tensor w = Tensor.wrapper(handler, WrapperOptions.like(x).keys(DispatchKeySet.of(TRACER)));
 * }</pre>
 */
public final class WrapperOptions {
  private final DType dtype;
  private final long[] sizes;
  private long[] strides;
  private long storageOffset;
  private Device device = Device.CPU;
  private DispatchKeySet keys = DispatchKeySet.EMPTY;
  private Tensor aliasOf;

  private WrapperOptions(DType dtype, long[] sizes) {
    this.dtype = dtype;
    this.sizes = sizes;
  }

  /** Returns the options of a row-major CPU tensor. */
  public static WrapperOptions of(DType dtype, long... sizes) {
    return new WrapperOptions(dtype, sizes.clone());
  }

  /** Returns options with the sizes, strides, offset, dtype and device of another tensor. */
  public static WrapperOptions like(Tensor tensor) {
    return new WrapperOptions(tensor.dtype(), tensor.sizes())
        .strides(tensor.strides())
        .storageOffset(tensor.storageOffset())
        .device(tensor.device());
  }

  /** Sets the strides, in elements. */
  public WrapperOptions strides(long... strides) {
    this.strides = strides.clone();
    return this;
  }

  /** Sets the storage offset of the first element, in elements. */
  public WrapperOptions storageOffset(long offset) {
    storageOffset = offset;
    return this;
  }

  /** Sets the device. */
  public WrapperOptions device(Device device) {
    this.device = device;
    return this;
  }

  /** Sets the functionalities that it carries besides Wrapper, such as Tracer. */
  public WrapperOptions keys(DispatchKeySet keys) {
    this.keys = keys;
    return this;
  }

  /** Shares the version counter of another tensor: writing to either increments it. */
  public WrapperOptions aliasOf(Tensor tensor) {
    aliasOf = tensor;
    return this;
  }

  /** Calls a function with these options at an address in the frame's memory. */
  int write(CallFrame frame, Source function) {
    if (strides != null && strides.length != sizes.length) {
      throw TenonException.value(
          "Tensor.wrapper", "strides", sizes.length + " numbers", strides.length + "");
    }
    long place = frame.allocate(8);
    device.write(place);
    long options = frame.allocate(Structs.WRAPPER_OPTIONS_SIZE);
    Memory.zero(options, Structs.WRAPPER_OPTIONS_SIZE);
    Memory.putInt(options, Structs.WRAPPER_OPTIONS_SIZE);
    Memory.putLong(options + Structs.WRAPPER_OPTIONS_NDIM, sizes.length);
    Memory.putLong(options + Structs.WRAPPER_OPTIONS_SIZES, frame.longs(sizes));
    Memory.putLong(
        options + Structs.WRAPPER_OPTIONS_STRIDES, strides == null ? 0 : frame.longs(strides));
    Memory.putLong(options + Structs.WRAPPER_OPTIONS_STORAGE_OFFSET, storageOffset);
    Memory.putInt(options + Structs.WRAPPER_OPTIONS_DTYPE, dtype.number());
    Memory.putLong(options + Structs.WRAPPER_OPTIONS_DEVICE, place);
    Memory.putLong(options + Structs.WRAPPER_OPTIONS_KEYS, keys.bits());
    Memory.putLong(
        options + Structs.WRAPPER_OPTIONS_ALIAS_OF, aliasOf == null ? 0 : aliasOf.address());
    return function.make(options);
  }

  /** A function that takes the options. */
  interface Source {
    int make(long options);
  }
}
