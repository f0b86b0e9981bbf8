// SPDX-License-Identifier: Apache-2.0
// Transfer of elements between CPU tensors and Java arrays and buffers.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongConsumer;

/** Reads and writes elements of tensors in memory that the CPU can access. */
final class TensorData {
  private static final Cleaner BUFFERS = Cleaner.create();
  private static final Set<DType> FLOATS = EnumSet.of(DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16);
  private static final Set<DType> DOUBLES =
      EnumSet.of(DType.FLOAT64, DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16);
  private static final Set<DType> LONGS =
      EnumSet.of(
          DType.INT64,
          DType.INT32,
          DType.INT16,
          DType.INT8,
          DType.UINT8,
          DType.UINT16,
          DType.UINT32,
          DType.BOOL);
  private static final Set<DType> INTS =
      EnumSet.of(
          DType.INT32, DType.INT16, DType.INT8, DType.UINT8, DType.UINT16, DType.BOOL);

  private TensorData() {}

  // ---- In -------------------------------------------------------------------------------------

  static Tensor copyOf(Object array, int length, DType dtype, long[] sizes) {
    long[] shape = sizes.length == 0 ? new long[] {length} : sizes;
    if (product(shape) != length) {
      throw TenonException.value(
          "Tensor.of", "sizes", "of " + length + " elements", Arrays.toString(shape));
    }
    Tensor tensor = Tensor.allocate(dtype, Device.CPU, shape);
    Memory.copyIn(array, 0, address(tensor), (long) length * dtype.size());
    return FakeMode.fakeIfOn(tensor);
  }

  /** Returns the number of elements, or -1 for a negative size or a number beyond 64 bits. */
  private static long product(long... sizes) {
    long product = 1;
    for (long size : sizes) {
      if (size < 0 || Math.multiplyHigh(product, size) != 0 || product * size < 0) {
        return -1;
      }
      product *= size;
    }
    return product;
  }

  static Tensor wrap(ByteBuffer buffer, DType dtype, long[] sizes) {
    if (!buffer.isDirect()) {
      throw TenonException.value("Tensor.wrap", "buffer", "direct", "one on the heap");
    }
    if (buffer.isReadOnly()) {
      throw TenonException.value("Tensor.wrap", "buffer", "writable", "a read-only one");
    }
    if (buffer.order() != ByteOrder.nativeOrder() && dtype.size() > 1) {
      throw TenonException.value(
          "Tensor.wrap",
          "buffer",
          "in the machine's byte order, " + ByteOrder.nativeOrder(),
          buffer.order().toString());
    }
    long[] shape = sizes.length == 0 ? new long[] {buffer.remaining() / dtype.size()} : sizes;
    long numel = product(shape);
    long bytes = numel < 0 ? -1 : product(numel, dtype.size());
    if (bytes < 0 || bytes > buffer.remaining()) {
      throw TenonException.value(
          "Tensor.wrap",
          "sizes",
          "of at most " + buffer.remaining() + " bytes of " + dtype,
          Arrays.toString(shape));
    }
    long data = Native.bufferAddress(buffer) + buffer.position();
    if (data % dtype.size() != 0) {
      throw TenonException.value(
          "Tensor.wrap", "buffer", "aligned to " + dtype.size() + " bytes", "address " + data);
    }
    return Tensor.make(
        (frame, out) ->
            TenonNative.tenon_tensor_wrap(
                data,
                dtype.number(),
                0,
                shape.length,
                frame.longs(shape),
                0,
                References.add(buffer),
                Addresses.DROP_REFERENCE,
                out));
  }

  // ---- Out ------------------------------------------------------------------------------------

  /** Returns the address of the first element of a tensor in memory that the CPU can access. */
  static long address(Tensor tensor) {
    requireCpu(tensor);
    return tensor.numel() == 0 ? 0 : tensor.dataAddress();
  }

  private static void requireCpu(Tensor tensor) {
    Device device = tensor.device();
    if (!device.isCpu()) {
      throw TenonException.value("Tensor", "device", "cpu to read elements", device.toString());
    }
  }

  static ByteBuffer asByteBuffer(Tensor tensor) {
    tensor.beginUse();
    try {
      return bufferOf(tensor);
    } finally {
      tensor.endUse();
    }
  }

  private static ByteBuffer bufferOf(Tensor tensor) {
    requireCpu(tensor);
    Elements elements = new Elements(tensor);
    if (!elements.isRowMajor()) {
      throw TenonException.value(
          "Tensor.asByteBuffer",
          "tensor",
          "contiguous",
          "strides " + Arrays.toString(elements.strides));
    }
    long data = address(tensor);
    long bytes = product(elements.sizes) * elements.size;
    if (bytes > Integer.MAX_VALUE) {
      throw TenonException.value(
          "Tensor.asByteBuffer", "tensor", "of at most 2 GiB", bytes + " bytes; slice it first");
    }
    if (bytes == 0) {
      return ByteBuffer.allocateDirect(0);
    }
    // Slices and duplicates refer to this buffer, so that the memory lives as long as any of them.
    ByteBuffer buffer = Native.newBuffer(data, bytes);
    long held = TenonNative.tenon_tensor_retain(tensor.beginUse());
    tensor.endUse();
    BUFFERS.register(buffer, () -> TenonNative.tenon_tensor_release(held));
    boolean readOnly = tensor.isReadOnly();
    ByteBuffer view = readOnly ? buffer.asReadOnlyBuffer() : buffer;
    return view.order(ByteOrder.nativeOrder());
  }

  private static void require(Tensor tensor, Set<DType> accepted, String method) {
    requireCpu(tensor);
    if (!accepted.contains(tensor.dtype())) {
      throw TenonException.type(
          "Tensor." + method, "dtype", "one of " + accepted, String.valueOf(tensor.dtype()));
    }
  }

  /**
   * The elements of a tensor, of one shape. The shape is copied before the address is read: memory
   * only grows, so that it has room for that shape even if another thread resizes the tensor.
   */
  private static final class Elements {
    private final Tensor tensor;
    private final long[] sizes;
    private final long[] strides;
    private final long size;

    Elements(Tensor tensor) {
      long[][] both = tensor.sizesAndStrides();
      this.tensor = tensor;
      this.sizes = both[0];
      this.strides = both[1];
      this.size = tensor.dtype().size();
    }

    int count() {
      return count(1);
    }

    /** Returns the number of elements, times a factor, for an array. */
    int count(long factor) {
      long count = product(sizes);
      if (count < 0 || count > (Integer.MAX_VALUE - 8) / factor) {
        throw TenonException.value(
            "Tensor",
            "tensor",
            "small enough for an array",
            factor == 1 ? count + " elements" : count * factor + " bytes");
      }
      return (int) (count * factor);
    }

    boolean isRowMajor() {
      if (product(sizes) == 0) {
        return true;
      }
      long expected = 1;
      for (int d = sizes.length - 1; d >= 0; d--) {
        if (sizes[d] != 1 && strides[d] != expected) {
          return false;
        }
        expected *= sizes[d];
      }
      return true;
    }

    /**
     * Copies row-major elements to an array of the same length. Returns false for other strides.
     */
    boolean copyTo(Object array) {
      if (!isRowMajor()) {
        return false;
      }
      long bytes = product(sizes) * size;
      tensor.beginUse();
      try {
        if (bytes > 0) {
          Memory.copyOut(address(tensor), array, 0, bytes);
        }
      } finally {
        tensor.endUse();
      }
      return true;
    }

    /** Visits the addresses of the elements in row-major order. */
    void forEach(LongConsumer visitor) {
      tensor.beginUse();
      try {
        long address = address(tensor);
        long[] index = new long[sizes.length];
        for (long n = product(sizes); n > 0; n--) {
          visitor.accept(address);
          for (int d = sizes.length - 1; d >= 0; d--) {
            address += strides[d] * size;
            if (++index[d] < sizes[d]) {
              break;
            }
            address -= sizes[d] * strides[d] * size;
            index[d] = 0;
          }
        }
      } finally {
        tensor.endUse();
      }
    }
  }

  private static double readDouble(long address, DType dtype) {
    return switch (dtype) {
      case FLOAT64 -> Memory.getDouble(address);
      case FLOAT32 -> Memory.getFloat(address);
      case FLOAT16 -> halfToFloat(Memory.getShort(address));
      case BFLOAT16 -> Float.intBitsToFloat(Memory.getShort(address) << 16);
      default -> readLong(address, dtype);
    };
  }

  private static long readLong(long address, DType dtype) {
    return switch (dtype) {
      case INT64 -> Memory.getLong(address);
      case INT32 -> Memory.getInt(address);
      case INT16 -> Memory.getShort(address);
      case INT8 -> Memory.getByte(address);
      case UINT8 -> Memory.getByte(address) & 0xFF;
      case UINT16 -> Memory.getShort(address) & 0xFFFF;
      case UINT32 -> Memory.getInt(address) & 0xFFFFFFFFL;
      case BOOL -> Memory.getByte(address) != 0 ? 1 : 0;
      default ->
          throw TenonException.type("Tensor", "dtype", "an integer one or bool", dtype.toString());
    };
  }

  /** Converts an IEEE half exactly. */
  private static float halfToFloat(short bits) {
    int sign = (bits & 0x8000) << 16;
    int exponent = bits >> 10 & 0x1F;
    int fraction = bits & 0x3FF;
    if (exponent == 0x1F) {
      return Float.intBitsToFloat(sign | 0x7F800000 | fraction << 13);
    }
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24
      float value = fraction * 0x1p-24f;
      return sign != 0 ? -value : value;
    }
    return Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13);
  }

  static float[] toFloats(Tensor tensor) {
    require(tensor, FLOATS, "toFloatArray");
    Elements elements = new Elements(tensor);
    float[] values = new float[elements.count()];
    DType dtype = tensor.dtype();
    if (dtype == DType.FLOAT32 && elements.copyTo(values)) {
      return values;
    }
    int[] n = {0};
    elements.forEach(address -> values[n[0]++] = (float) readDouble(address, dtype));
    return values;
  }

  static double[] toDoubles(Tensor tensor) {
    require(tensor, DOUBLES, "toDoubleArray");
    Elements elements = new Elements(tensor);
    double[] values = new double[elements.count()];
    DType dtype = tensor.dtype();
    if (dtype == DType.FLOAT64 && elements.copyTo(values)) {
      return values;
    }
    int[] n = {0};
    elements.forEach(address -> values[n[0]++] = readDouble(address, dtype));
    return values;
  }

  static long[] toLongs(Tensor tensor) {
    require(tensor, LONGS, "toLongArray");
    Elements elements = new Elements(tensor);
    long[] values = new long[elements.count()];
    DType dtype = tensor.dtype();
    if (dtype == DType.INT64 && elements.copyTo(values)) {
      return values;
    }
    int[] n = {0};
    elements.forEach(address -> values[n[0]++] = readLong(address, dtype));
    return values;
  }

  static int[] toInts(Tensor tensor) {
    require(tensor, INTS, "toIntArray");
    Elements elements = new Elements(tensor);
    int[] values = new int[elements.count()];
    DType dtype = tensor.dtype();
    if (dtype == DType.INT32 && elements.copyTo(values)) {
      return values;
    }
    int[] n = {0};
    elements.forEach(address -> values[n[0]++] = (int) readLong(address, dtype));
    return values;
  }

  static boolean[] toBooleans(Tensor tensor) {
    require(tensor, EnumSet.of(DType.BOOL), "toBooleanArray");
    Elements elements = new Elements(tensor);
    boolean[] values = new boolean[elements.count()];
    int[] n = {0};
    elements.forEach(address -> values[n[0]++] = Memory.getByte(address) != 0);
    return values;
  }

  static byte[] toBytes(Tensor tensor) {
    requireCpu(tensor);
    int size = tensor.dtype().size();
    Elements elements = new Elements(tensor);
    byte[] values = new byte[elements.count(size)];
    if (elements.copyTo(values)) {
      return values;
    }
    int[] n = {0};
    elements.forEach(
        address -> {
          Memory.copyOut(address, values, n[0], size);
          n[0] += size;
        });
    return values;
  }

  // ---- One element ----------------------------------------------------------------------------

  static double getDouble(Tensor tensor, long[] index) {
    tensor.beginUse();
    try {
      return readDouble(element(tensor, index), tensor.dtype());
    } finally {
      tensor.endUse();
    }
  }

  static long getLong(Tensor tensor, long[] index) {
    tensor.beginUse();
    try {
      return readLong(element(tensor, index), tensor.dtype());
    } finally {
      tensor.endUse();
    }
  }

  private static long element(Tensor tensor, long[] index) {
    long[][] both = tensor.sizesAndStrides();
    long[] sizes = both[0];
    long[] strides = both[1];
    if (index.length != sizes.length) {
      throw new TenonException(
          ErrorCode.INDEX,
          "Tensor: index must be of " + sizes.length + " numbers, got " + index.length);
    }
    long offset = 0;
    for (int d = 0; d < index.length; d++) {
      long i = index[d] < 0 ? index[d] + sizes[d] : index[d];
      if (i < 0 || i >= sizes[d]) {
        throw new TenonException(
            ErrorCode.INDEX,
            "Tensor: index of dim "
                + d
                + " must be from "
                + -sizes[d]
                + " to "
                + (sizes[d] - 1)
                + ", got "
                + index[d]);
      }
      offset += i * strides[d];
    }
    return address(tensor) + offset * tensor.dtype().size();
  }
}
