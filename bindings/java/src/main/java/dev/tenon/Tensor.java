// SPDX-License-Identifier: Apache-2.0
// Tensors: creation, inspection, sharing, slices, and arithmetic by operators.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A reference to a tensor: a strided view of elements of one dtype on one device.
 *
 * <p>Each object is a separate reference. It is closed by its owner, by the {@link Scope} it was
 * made in, or otherwise by a cleaner. Two objects may refer to the same tensor: {@link #isSame}.
 */
public final class Tensor extends TensorSizes {
  private Tensor(long address) {
    super(address);
  }

  /** Takes over a reference, for the open scope or the cleaner. */
  static Tensor own(CallFrame frame, long handle) {
    return frame.adopt(new Tensor(handle));
  }

  /** Like {@link #own}, for a handle that may be NULL. */
  static Tensor ownOrNull(CallFrame frame, long handle) {
    return handle == 0 ? null : own(frame, handle);
  }

  /** Makes a view of a tensor that C holds, which ends with the innermost region. */
  static Tensor borrow(CallFrame frame, long handle) {
    Tensor tensor = viewOf(frame, handle);
    frame.track(tensor);
    return tensor;
  }

  /** Makes a view of a tensor that C holds, which {@link #endViewOf} must end. */
  static Tensor viewOf(CallFrame frame, long handle) {
    Tensor tensor = new Tensor(handle);
    tensor.borrowed = true;
    tensor.belongTo(frame);
    return tensor;
  }

  /** Ends a view, unless it escaped. */
  static void endViewOf(Object v) {
    if (v instanceof Tensor tensor && tensor.borrowed) {
      tensor.endView();
    }
  }

  /** The hooks that were added by this object, or null. */
  HookCycles.Hooks hooks;

  @Override
  long takeAddress() {
    if (hooks == null) {
      return super.takeAddress();
    }
    synchronized (HookCycles.class) {
      HookCycles.strengthen(this);
      return super.takeAddress();
    }
  }

  @Override
  long wake() {
    return hooks == null ? 0 : HookCycles.strengthen(this);
  }

  @Override
  void retainViewed(long viewed) {
    TenonNative.tenon_tensor_retain(viewed);
  }

  @Override
  Tensor unownedCopy() {
    Tensor copy = new Tensor(TenonNative.tenon_tensor_retain(beginUse()));
    endUse();
    return copy;
  }

  // ---- Making ---------------------------------------------------------------------------------

  /** A native function that makes a tensor. */
  interface Maker {
    int call(CallFrame frame, long out);
  }

  static Tensor make(Maker maker) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(maker.call(frame, out));
      return own(frame, Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Allocates a CPU tensor with uninitialised elements. */
  public static Tensor empty(DType dtype, long... sizes) {
    return empty(dtype, Device.CPU, sizes);
  }

  /**
   * Allocates a tensor with uninitialised elements. On Meta it has no memory. In a {@link FakeMode}
   * it is fake, as are all tensors that this class makes from sizes or elements.
   */
  public static Tensor empty(DType dtype, Device device, long... sizes) {
    return FakeMode.isOn()
        ? Aten.empty(sizes, new Aten.EmptyMemoryFormatOptions().dtype(dtype).device(device))
        : allocate(dtype, device, sizes);
  }

  /** Allocates a tensor with memory, even in a fake mode. */
  static Tensor allocate(DType dtype, Device device, long... sizes) {
    return make(
        (frame, out) -> {
          long place = frame.allocate(8);
          device.write(place);
          return TenonNative.tenon_tensor_new(
              dtype.number(), place, sizes.length, frame.longs(sizes), 0, out);
        });
  }

  /**
   * Creates a wrapper tensor with a dtype, device and sizes, but without memory. {@code handler}
   * runs the operators that are called on it. Tensors that the handler keeps must {@link #escape}
   * first if they were made inside a handler or kernel.
   */
  public static Tensor wrapper(Dispatching handler, DType dtype, Device device, long... sizes) {
    return wrapper(handler, WrapperOptions.of(dtype, sizes).device(device));
  }

  /**
   * Creates a wrapper tensor with the properties in the options.
   *
   * @throws TenonException INVALID_ARGUMENT for a bad shape, stride or offset, or a key that
   *     wrappers cannot carry
   */
  public static Tensor wrapper(Dispatching handler, WrapperOptions options) {
    Bridge.open();
    long type = ForeignObject.typeOf(handler.getClass(), null);
    long self = References.add(handler);
    boolean taken = false;
    try {
      Tensor tensor =
          make(
              (frame, out) ->
                  options.write(
                      frame, at -> TenonNative.tenon_wrapper_new(type, self, at, out)));
      taken = true;
      return tensor;
    } finally {
      if (!taken) {
        Native.dropReference(self);
      }
    }
  }

  /** Returns the handler of a wrapper tensor, if that is a Java object; otherwise null. */
  public Dispatching wrapped() {
    long tensor = beginUse();
    try {
      long object = TenonNative.tenon_wrapper_object(tensor);
      if (object == 0) {
        return null;
      }
      long type = TenonNative.tenon_object_get_type(object);
      boolean java = Memory.getInt(type + Structs.OBJECT_TYPE_LANGUAGE) == TENON_LANGUAGE_JAVA;
      return java ? (Dispatching) References.at(TenonNative.tenon_object_self(object)) : null;
    } finally {
      endUse();
    }
  }

  /** Makes a carrier of an object that overrides operators, to be passed as a Tensor. */
  public static Tensor carrier(Object overriding) {
    return make(
        (frame, out) -> {
          int objects = frame.objectCount();
          long value = frame.allocate(Structs.VALUE_SIZE);
          Values.putAny(frame, value, overriding);
          try {
            return TenonNative.tenon_carrier_new(value, out);
          } finally {
            frame.releaseObjects(objects);
          }
        });
  }

  /** Returns the value in a carrier, such as the result of an override; null for other tensors. */
  public Object carried() {
    Object opened = Overrides.open(CallFrame.get(), this);
    return opened == this ? null : opened;
  }

  /** Creates a CPU tensor of zeros. */
  public static Tensor zeros(DType dtype, long... sizes) {
    if (FakeMode.isOn()) {
      return empty(dtype, sizes);
    }
    Tensor tensor = allocate(dtype, Device.CPU, sizes);
    Memory.zero(TensorData.address(tensor), tensor.numel() * dtype.size());
    return tensor;
  }

  /** Copies numbers into a float32 tensor; without sizes it is 1-d. */
  public static Tensor of(float[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.FLOAT32, sizes);
  }

  /** Copies numbers into a float64 tensor; without sizes it is 1-d. */
  public static Tensor of(double[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.FLOAT64, sizes);
  }

  /** Copies numbers into an int64 tensor; without sizes it is 1-d. */
  public static Tensor of(long[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.INT64, sizes);
  }

  /** Copies numbers into an int32 tensor; without sizes it is 1-d. */
  public static Tensor of(int[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.INT32, sizes);
  }

  /** Copies numbers into an int16 tensor; without sizes it is 1-d. */
  public static Tensor of(short[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.INT16, sizes);
  }

  /** Copies bytes into an int8 tensor; without sizes it is 1-d. */
  public static Tensor of(byte[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.INT8, sizes);
  }

  /** Copies truth values into a bool tensor; without sizes it is 1-d. */
  public static Tensor of(boolean[] values, long... sizes) {
    return TensorData.copyOf(values, values.length, DType.BOOL, sizes);
  }

  /** Makes a 0-dim float64 tensor. */
  public static Tensor scalar(double value) {
    Tensor tensor = allocate(DType.FLOAT64, Device.CPU);
    Memory.putDouble(TensorData.address(tensor), value);
    return FakeMode.fakeIfOn(tensor);
  }

  /** Makes a 0-dim int64 tensor. */
  public static Tensor scalar(long value) {
    Tensor tensor = allocate(DType.INT64, Device.CPU);
    Memory.putLong(TensorData.address(tensor), value);
    return FakeMode.fakeIfOn(tensor);
  }

  /**
   * Makes a 0-dim tensor of a number with the lowest priority in type promotion, like a literal:
   * {@code t * 2.5} keeps t's float32.
   */
  public static Tensor number(Object number) {
    if (!(number instanceof Number || number instanceof Boolean || number instanceof Complex)) {
      throw TenonException.type("Tensor.number", "number", "a number", Values.typeName(number));
    }
    return make(
        (frame, out) -> {
          long value = frame.allocate(Structs.VALUE_SIZE);
          Values.putAny(frame, value, number);
          return TenonNative.tenon_tensor_new_number(value, out);
        });
  }

  /**
   * Wraps a direct buffer's bytes from its position to its limit, without copying. The buffer is
   * kept alive as long as any tensor or view on it, in any language.
   *
   * @throws TenonException INVALID_ARGUMENT for a buffer in another byte order than the machine's,
   *     as most new buffers are: set it by {@code buffer.order(ByteOrder.nativeOrder())}
   */
  public static Tensor wrap(ByteBuffer buffer, DType dtype, long... sizes) {
    return TensorData.wrap(buffer, dtype, sizes);
  }

  /** Returns the undefined tensor, which has no shape, dtype or keys. */
  public static Tensor undefined() {
    long handle = TenonNative.tenon_tensor_undefined();
    return own(CallFrame.get(), TenonNative.tenon_tensor_retain(handle));
  }

  // ---- Ownership ------------------------------------------------------------------------------

  /** Returns a new reference to the same tensor, owned by the open scope or the caller. */
  public Tensor retain() {
    Tensor copy = own(CallFrame.get(), TenonNative.tenon_tensor_retain(beginUse()));
    endUse();
    return copy;
  }

  /**
   * Removes this object from its scope, so that it lives until it is closed. A kernel's argument
   * first becomes a reference.
   */
  public Tensor escape() {
    CallFrame frame = owner;
    boolean view = borrowed;
    if (view || frame != null) {
      long handle = beginUse();
      if (view) {
        TenonNative.tenon_tensor_retain(handle);
        borrowed = false;
      }
      endUse();
      if (frame != null) {
        frame.untrack(this);
      }
      guardByCleaner();
    }
    return this;
  }

  /** Returns true if both objects refer to the same tensor. */
  public boolean isSame(Tensor other) {
    return hasAddressOf(other);
  }

  /** Returns the number of references, which is exact only while no other thread holds one. */
  public long useCount() {
    long count = TenonNative.tenon_tensor_use_count(beginUse());
    endUse();
    return count;
  }

  // ---- Inspecting -----------------------------------------------------------------------------

  /** Returns the dtype; null for the undefined tensor. */
  public DType dtype() {
    int number = TenonNative.tenon_tensor_dtype(beginUse());
    endUse();
    return DType.ofNumber(number);
  }

  /** Returns the device. */
  public Device device() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      TenonNative.tenon_tensor_device(address(), out);
      return Device.read(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns true if it is fake: it claims its device and has no memory. */
  public boolean isFake() {
    boolean fake = TenonNative.tenon_tensor_is_fake(beginUse()) != 0;
    endUse();
    return fake;
  }

  /** Returns the offset of the first element in the storage, in elements. */
  public long storageOffset() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long info = frame.allocate(Structs.TENSOR_INFO_SIZE);
      Errors.check(TenonNative.tenon_tensor_describe(address(), info));
      return Memory.getLong(info + Structs.TENSOR_INFO_STORAGE_OFFSET);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the storage, which views share. */
  public Storage storage() {
    Storage storage = Storage.retain(CallFrame.get(), TenonNative.tenon_tensor_storage(beginUse()));
    endUse();
    return storage;
  }

  private boolean flag(int bit) {
    int flags = TenonNative.tenon_tensor_flags(beginUse());
    endUse();
    return (flags & bit) != 0;
  }

  /** Returns true if the elements are in row-major order without gaps. */
  public boolean isContiguous() {
    return flag(TENON_TENSOR_CONTIGUOUS);
  }

  /** Returns true if this is the undefined tensor. */
  public boolean isUndefined() {
    return flag(TENON_TENSOR_UNDEFINED);
  }

  /** Returns true if it was made in inference mode: see {@link GradMode#inference}. */
  public boolean isInference() {
    return flag(TENON_TENSOR_INFERENCE);
  }

  /** Returns true if its producer forbids writing. */
  public boolean isReadOnly() {
    return flag(TENON_TENSOR_READ_ONLY);
  }

  /** Returns true if it was made from a number: it has the lowest priority in type promotion. */
  public boolean isWrappedNumber() {
    return flag(TENON_TENSOR_WRAPPED_NUMBER);
  }

  /** Returns the dispatch keys that it carries. */
  public DispatchKeySet keys() {
    long bits = TenonNative.tenon_tensor_keys(beginUse());
    endUse();
    return new DispatchKeySet(bits);
  }

  /** Returns the version: how often the data that it shares with its views was written in place. */
  public long version() {
    long version = TenonNative.tenon_tensor_version(beginUse());
    endUse();
    return version;
  }

  /**
   * Returns the address of the first element, which is valid while the tensor is open.
   *
   * @throws TenonException STATE if it has no memory
   */
  public long dataAddress() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_tensor_data(address(), out));
      return Memory.getLong(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns elements, dtype and device as text; long dims are abbreviated. */
  @Override
  public String toString() {
    if (isClosed()) {
      return "Tensor (closed)";
    }
    return Tenon.text(this, out -> TenonNative.tenon_tensor_print(address(), out));
  }

  // ---- Data -----------------------------------------------------------------------------------

  /**
   * Returns the elements of a contiguous CPU tensor as a buffer on the same memory, in the
   * machine's byte order. The memory lives as long as the buffer, its slices and duplicates.
   */
  public ByteBuffer asByteBuffer() {
    return TensorData.asByteBuffer(this);
  }

  /** Copies the elements in row-major order. For float32, float16 and bfloat16. */
  public float[] toFloatArray() {
    return TensorData.toFloats(this);
  }

  /** Copies the elements in row-major order. For all real floating dtypes of 16 bits and more. */
  public double[] toDoubleArray() {
    return TensorData.toDoubles(this);
  }

  /** Copies the elements in row-major order. For all integer dtypes and bool. */
  public long[] toLongArray() {
    return TensorData.toLongs(this);
  }

  /** Copies the elements in row-major order. For int32 and narrower, and bool. */
  public int[] toIntArray() {
    return TensorData.toInts(this);
  }

  /** Copies the elements in row-major order. For bool. */
  public boolean[] toBooleanArray() {
    return TensorData.toBooleans(this);
  }

  /** Copies the elements' bytes in row-major order. For every dtype. */
  public byte[] toByteArray() {
    return TensorData.toBytes(this);
  }

  /** Reads one element of any real dtype as a double. */
  public double getDouble(long... index) {
    return TensorData.getDouble(this, index);
  }

  /** Reads one element of an integer dtype or bool. */
  public long getLong(long... index) {
    return TensorData.getLong(this, index);
  }

  // ---- DLPack ---------------------------------------------------------------------------------

  /**
   * Exports to a DLManagedTensorVersioned without copying and returns its address. The consumer
   * runs its deleter. If there is no consumer, call {@link #deleteDLPack}.
   */
  public long toDLPack() {
    return export(false);
  }

  /**
   * Exports to the older struct without version, for consumers that only support that. If there is
   * no consumer, call {@link #deleteLegacyDLPack}.
   */
  public long toLegacyDLPack() {
    return export(true);
  }

  private long export(boolean legacy) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(
          legacy
              ? TenonNative.tenon_tensor_to_dlpack_legacy(address(), 0, out)
              : TenonNative.tenon_tensor_to_dlpack(address(), 0, out));
      return Memory.getLong(out);
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Imports the DLManagedTensorVersioned at an address without copying, and takes it over on
   * success.
   */
  public static Tensor fromDLPack(long managed) {
    return make((frame, out) -> TenonNative.tenon_tensor_from_dlpack(checked(managed), out));
  }

  /** Imports the older struct without version, like {@link #fromDLPack}. */
  public static Tensor fromLegacyDLPack(long managed) {
    return make((frame, out) -> TenonNative.tenon_tensor_from_dlpack_legacy(checked(managed), out));
  }

  private static long checked(long managed) {
    if (managed == 0) {
      throw TenonException.value(
          "Tensor.fromDLPack", "managed", "the address of a DLManagedTensor", "0");
    }
    return managed;
  }

  /** Runs the deleter of a DLManagedTensorVersioned that was not imported. */
  public static void deleteDLPack(long managed) {
    Native.deleteDLPack(checked(managed));
    References.drain();
  }

  /** Runs the deleter of a DLManagedTensor that was not imported. */
  public static void deleteLegacyDLPack(long managed) {
    Native.deleteLegacyDLPack(checked(managed));
    References.drain();
  }

  /** Returns true if dtype, sizes and all elements are bitwise equal. Both must be on the CPU. */
  public boolean dataEquals(Tensor other) {
    return dtype() == other.dtype()
        && Arrays.equals(sizes(), other.sizes())
        && Arrays.equals(toByteArray(), other.toByteArray());
  }

  @Override
  long nativeBytes(long owned) {
    return Native.tensorBytes(owned);
  }

  @Override
  int type() {
    return TENSOR;
  }

  @Override
  String title() {
    return "Tensor";
  }
}
