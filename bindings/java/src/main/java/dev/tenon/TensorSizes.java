// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor for its shape.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.List;

/** Sizes and strides of a {@link Tensor}, as numbers or symbols. */
abstract class TensorSizes extends TensorGradients {
  TensorSizes(long address) {
    super(address);
  }

  /** Returns the number of dims. */
  public int dim() {
    int dims = (int) TenonNative.tenon_tensor_ndim(beginUse());
    endUse();
    return dims;
  }

  private long[] numbers(String function, boolean strides) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8L * TENON_TENSOR_MAX_DIMS);
      long dims =
          TenonNative.tenon_tensor_copy_dims(address(), strides ? 0 : out, strides ? out : 0);
      if (dims < 0) {
        throw new TenonException(
            ErrorCode.NOT_SUPPORTED,
            "Tensor." + function + ": tensor must have plain sizes, got a symbolic shape");
      }
      return Values.readLongs(out, (int) dims);
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns the sizes.
   *
   * @throws TenonException NOT_SUPPORTED for a symbolic shape: see {@link #symSizes}
   */
  public long[] sizes() {
    return numbers("sizes", false);
  }

  /** Returns consistent sizes and strides, even if another thread resizes the tensor. */
  long[][] sizesAndStrides() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long sizes = frame.allocate(16L * TENON_TENSOR_MAX_DIMS);
      long strides = sizes + 8L * TENON_TENSOR_MAX_DIMS;
      int dims = (int) TenonNative.tenon_tensor_copy_dims(address(), sizes, strides);
      if (dims < 0) {
        throw new TenonException(
            ErrorCode.NOT_SUPPORTED,
            "Tensor: tensor must have plain sizes to read elements, got a symbolic shape");
      }
      return new long[][] {Values.readLongs(sizes, dims), Values.readLongs(strides, dims)};
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the size of one dim; negative ones count from the end. */
  public long size(int dim) {
    int dims = dim();
    if (dim < -dims || dim >= dims) {
      throw new TenonException(
          ErrorCode.INDEX,
          "Tensor.size: dim must be from " + -dims + " to " + (dims - 1) + ", got " + dim);
    }
    return sizes()[dim < 0 ? dim + dims : dim];
  }

  /**
   * Returns the strides, in elements.
   *
   * @throws TenonException NOT_SUPPORTED for a symbolic shape: see {@link #symStrides}
   */
  public long[] strides() {
    return numbers("strides", true);
  }

  /** Returns the number of elements; -1 for a symbolic shape: see {@link #symNumel}. */
  public long numel() {
    long numel = TenonNative.tenon_tensor_numel(beginUse());
    endUse();
    return numel;
  }

  private Object dims(int what) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      Errors.check(TenonNative.tenon_tensor_dims(address(), what, out));
      try {
        return Memory.getShort(out) == TENON_TAG_INT_LIST
            ? Values.readSizes(out)
            : SymNumber.of(frame, out);
      } finally {
        TenonNative.tenon_value_clear(out);
      }
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the sizes of any shape, as numbers or symbols. */
  @SuppressWarnings("unchecked") // the tag says so
  public List<SymInt> symSizes() {
    return (List<SymInt>) dims(TENON_DIMS_SIZES);
  }

  /** Returns the strides of any shape, in elements. */
  @SuppressWarnings("unchecked") // the tag says so
  public List<SymInt> symStrides() {
    return (List<SymInt>) dims(TENON_DIMS_STRIDES);
  }

  /** Returns the number of elements of any shape. */
  public SymInt symNumel() {
    return (SymInt) dims(TENON_DIMS_NUMEL);
  }

  /** Returns the storage offset of any shape, in elements. */
  public SymInt symStorageOffset() {
    return (SymInt) dims(TENON_DIMS_OFFSET);
  }

  /**
   * Creates a row-major tensor with these sizes on Meta, without memory.
   *
   * @throws TenonException INVALID_ARGUMENT for a negative size and symbols of two environments
   */
  public static Tensor emptySymbolic(DType dtype, List<SymInt> sizes) {
    return symbolic("emptySymbolic", dtype, sizes, null, Device.META::write);
  }

  /**
   * Creates a tensor with these sizes and strides (in elements) on Meta, without memory.
   *
   * @throws TenonException as {@link #emptySymbolic}; for a wrong number of strides
   */
  public static Tensor emptyStridedSymbolic(
      DType dtype, List<SymInt> sizes, List<SymInt> strides) {
    return symbolic("emptyStridedSymbolic", dtype, sizes, strides, Device.META::write);
  }

  /**
   * Creates a row-major tensor with these sizes, with this tensor's dtype and device, which must
   * have no memory. It is fake if this tensor is.
   *
   * @throws TenonException as {@link #emptySymbolic}; for a device with memory
   */
  public Tensor newEmptySymbolic(List<SymInt> sizes) {
    DType dtype = ((Tensor) this).dtype();
    return symbolic(
        "newEmptySymbolic",
        dtype,
        sizes,
        null,
        at -> TenonNative.tenon_fake_device(address(), at));
  }

  private interface DeviceWriter {
    void put(long at);
  }

  private static Tensor symbolic(
      String function, DType dtype, List<SymInt> sizes, List<SymInt> strides, DeviceWriter device) {
    if (strides != null && strides.size() != sizes.size()) {
      throw TenonException.value(
          "Tensor." + function,
          "strides",
          sizes.size() + " like the sizes",
          String.valueOf(strides.size()));
    }
    try {
      return Tensor.make(
          (frame, out) -> {
            long options = frame.allocate(Structs.SYMBOLIC_OPTIONS_SIZE + 8L);
            Memory.zero(options, Structs.SYMBOLIC_OPTIONS_SIZE);
            long place = options + Structs.SYMBOLIC_OPTIONS_SIZE;
            device.put(place);
            Memory.putInt(options, Structs.SYMBOLIC_OPTIONS_SIZE);
            Memory.putInt(options + Structs.SYMBOLIC_OPTIONS_DTYPE, dtype.number());
            Memory.putLong(options + Structs.SYMBOLIC_OPTIONS_DEVICE, place);
            Memory.putLong(options + Structs.SYMBOLIC_OPTIONS_NDIM, sizes.size());
            Memory.putLong(options + Structs.SYMBOLIC_OPTIONS_SIZES, words(frame, sizes));
            if (strides != null) {
              Memory.putLong(options + Structs.SYMBOLIC_OPTIONS_STRIDES, words(frame, strides));
            }
            return TenonNative.tenon_tensor_new_symbolic(options, out);
          });
    } finally {
      Reference.reachabilityFence(sizes);
      Reference.reachabilityFence(strides);
    }
  }

  private static long words(CallFrame frame, List<SymInt> sizes) {
    return frame.longs(sizes.stream().mapToLong(SymInt::word).toArray());
  }
}
