// SPDX-License-Identifier: Apache-2.0
// Conversion between boxed values in native memory and Java objects.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes {@code tenon_value}s.
 *
 * <p>Java's forms: none is null, int Long, float Double, bool Boolean, complex Complex, str String,
 * int lists long[], float lists double[], bool lists boolean[], tensor lists Tensor[] (null =
 * absent), other lists List, tuples Object[], dicts Map; symbols SymInt, SymFloat and SymBool, and
 * int lists with some of them List of SymInt.
 */
final class Values {
  /** Tensors become views that end with the current region: a kernel's arguments. */
  static final int BORROW = 0;

  /** Tensors become new references. */
  static final int RETAIN = 1;

  /** The value's own tensor reference is taken over: a call's results. */
  static final int TAKE = 2;

  private static final int AS = Structs.VALUE_AS;

  private static final int MAX_NESTING = 1000; // the limit of C's copies

  private Values() {}

  // ---- Reading --------------------------------------------------------------------------------

  static Object read(CallFrame frame, long at, int mode) {
    int tag = Memory.getShort(at);
    long as = at + AS;
    switch (tag) {
      case TENON_TAG_TENSOR:
        return readTensor(frame, at, mode);
      case TENON_TAG_NONE:
        return null;
      case TENON_TAG_INT:
        return Memory.getLong(as);
      case TENON_TAG_FLOAT:
        return Memory.getDouble(as);
      case TENON_TAG_BOOL:
        return Memory.getLong(as) != 0;
      case TENON_TAG_STRING:
        return Text.read(Memory.getLong(as), count(at));
      case TENON_TAG_COMPLEX:
        return new Complex(Memory.getDouble(as), Memory.getDouble(as + 8));
      case TENON_TAG_DTYPE:
        return DType.ofNumber(Memory.getLong(as));
      case TENON_TAG_LAYOUT:
        return Layout.ofNumber(Memory.getLong(as));
      case TENON_TAG_MEMORY_FORMAT:
        return MemoryFormat.ofNumber(Memory.getLong(as));
      case TENON_TAG_DEVICE:
        return Device.read(as);
      case TENON_TAG_STREAM:
        return Stream.read(as);
      case TENON_TAG_GENERATOR:
        return Generator.retain(frame, Memory.getLong(as));
      case TENON_TAG_STORAGE:
        return Storage.retain(frame, Memory.getLong(as));
      case TENON_TAG_REF:
        return new GraphRef(Memory.getLong(as));
      case TENON_TAG_SYMINT:
      case TENON_TAG_SYMFLOAT:
      case TENON_TAG_SYMBOOL:
        return SymNumber.retain(Memory.getLong(as));
      case TENON_TAG_OBJECT:
      case TENON_TAG_FUNCTION:
        return ForeignObject.read(frame, Memory.getLong(as), tag == TENON_TAG_FUNCTION);
      default:
        return readList(frame, at, tag, mode == BORROW ? BORROW : RETAIN);
    }
  }

  private static int count(long at) {
    return Memory.getInt(at + Structs.VALUE_COUNT);
  }

  private static Tensor readTensor(CallFrame frame, long at, int mode) {
    long handle = Memory.getLong(at + AS);
    if (mode == BORROW) {
      return Tensor.borrow(frame, handle);
    }
    if (mode == TAKE && (Memory.getShort(at + Structs.VALUE_FLAGS) & TENON_VALUE_OWNED) != 0) {
      Memory.putInt(at, 0); // clears tag and flags: nothing needs to be cleared any more
      return Tensor.own(frame, handle);
    }
    return Tensor.own(frame, TenonNative.tenon_tensor_retain(handle));
  }

  private static Object readList(CallFrame frame, long at, int tag, int mode) {
    int count = count(at);
    long data = Memory.getLong(at + AS);
    switch (tag) {
      case TENON_TAG_INT_LIST:
        return isSymbolic(at) ? readSizes(at) : readLongs(data, count);
      case TENON_TAG_FLOAT_LIST:
        {
          double[] doubles = new double[count];
          Memory.copyOut(data, doubles, 0, count * 8L);
          return doubles;
        }
      case TENON_TAG_BOOL_LIST:
        {
          boolean[] booleans = new boolean[count];
          for (int i = 0; i < count; i++) {
            booleans[i] = Memory.getByte(data + i) != 0;
          }
          return booleans;
        }
      case TENON_TAG_TENSOR_LIST:
        {
          if (mode == BORROW) {
            return borrowTensors(frame, data, count);
          }
          Tensor[] tensors = new Tensor[count];
          for (int i = 0; i < count; i++) {
            long handle = TenonNative.tenon_tensor_retain(Memory.getLong(data + i * 8L));
            tensors[i] = Tensor.ownOrNull(frame, handle);
          }
          return tensors;
        }
      case TENON_TAG_LIST:
        return Collections.unmodifiableList(Arrays.asList(readAll(frame, data, count, mode)));
      case TENON_TAG_TUPLE:
        return readAll(frame, data, count, mode);
      case TENON_TAG_DICT:
        {
          Map<Object, Object> map = new LinkedHashMap<>();
          for (int i = 0; i < count; i++) {
            Object key = read(frame, data + 2L * i * Structs.VALUE_SIZE, mode);
            map.put(key, read(frame, data + (2L * i + 1) * Structs.VALUE_SIZE, mode));
          }
          return map;
        }
      default:
        throw new TenonException(
            ErrorCode.NOT_SUPPORTED,
            "value: type must be one that Java carries, got "
                + TenonNative.tenon_tag_name((short) tag));
    }
  }

  private static boolean isSymbolic(long at) {
    return (Memory.getShort(at + Structs.VALUE_FLAGS) & TENON_VALUE_HAS_SYMBOLIC) != 0;
  }

  /** Reads an int list, which may have symbols among its elements. */
  static List<SymInt> readSizes(long at) {
    long[] words = readLongs(Memory.getLong(at + AS), count(at));
    SymInt[] sizes = new SymInt[words.length];
    ShapeEnv env = null; // all symbols of a list belong to one
    for (int i = 0; i < words.length; i++) {
      if (!isSymbolic(at)) {
        sizes[i] = SymInt.of(words[i]);
        continue;
      }
      if (env == null && SymInt.isSymbol(words[i])) {
        env = ShapeEnv.keeping(TenonNative.tenon_symbol_env(SymInt.symbolOf(words[i])));
      }
      sizes[i] = SymInt.ofWord(env, words[i]);
    }
    return List.of(sizes);
  }

  static long[] readLongs(long data, int count) {
    long[] longs = new long[count];
    Memory.copyOut(data, longs, 0, count * 8L);
    return longs;
  }

  /** Makes views of an array of tensor handles; null for NULL. */
  static Tensor[] borrowTensors(CallFrame frame, long data, int count) {
    Tensor[] tensors = new Tensor[count];
    for (int i = 0; i < count; i++) {
      long handle = Memory.getLong(data + i * 8L);
      tensors[i] = handle == 0 ? null : Tensor.borrow(frame, handle);
    }
    return tensors;
  }

  /** Writes an array of handles that C takes over, all or none; NULL for null. */
  static void giveTensors(long data, Tensor[] tensors) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long[] handles = new long[tensors.length];
      for (int i = 0; i < handles.length; i++) {
        handles[i] = tensors[i] == null ? 0 : tensors[i].address();
      }
      for (int i = 0; i < handles.length; i++) {
        Memory.putLong(data + i * 8L, TenonNative.tenon_tensor_retain(handles[i]));
      }
    } finally {
      frame.reset(mark);
    }
  }

  static Object[] readAll(CallFrame frame, long data, int count, int mode) {
    Object[] objects = new Object[count];
    for (int i = 0; i < count; i++) {
      objects[i] = read(frame, data + (long) i * Structs.VALUE_SIZE, mode);
    }
    return objects;
  }

  // ---- Writing: borrowed values whose lists are in the frame -----------------------------------

  static void put(long at, int tag, long word) {
    Memory.putLong(at, tag);
    Memory.putLong(at + AS, word);
    Memory.putLong(at + AS + 8, 0);
  }

  static void putTensor(long at, long handle) {
    put(at, TENON_TAG_TENSOR, handle);
  }

  static void putNone(long at) {
    put(at, TENON_TAG_NONE, 0);
  }

  static void putDouble(long at, double value) {
    put(at, TENON_TAG_FLOAT, Double.doubleToRawLongBits(value));
  }

  static void putComplex(long at, Complex value) {
    put(at, TENON_TAG_COMPLEX, Double.doubleToRawLongBits(value.real()));
    Memory.putDouble(at + AS + 8, value.imaginary());
  }

  static void putDevice(long at, Device device) {
    if (!device.exists()) {
      throw TenonException.value("value", "Device", "of a backend's type", typeName(device));
    }
    put(at, TENON_TAG_DEVICE, 0);
    device.write(at + AS);
  }

  static void putStream(long at, Stream stream) {
    put(at, TENON_TAG_STREAM, 0);
    stream.write(at + AS);
  }

  static void putString(CallFrame frame, long at, String text) {
    byte[] bytes = encoded(text);
    putList(at, TENON_TAG_STRING, copyBytes(frame, bytes), bytes.length);
  }

  /** Returns the address of a NUL-terminated copy of a text, in the frame. */
  static long copyText(CallFrame frame, String text) {
    return copyBytes(frame, encoded(text));
  }

  private static byte[] encoded(String text) {
    if (Text.loneSurrogate(text) >= 0) {
      throw TenonException.value("value", "str", "valid Unicode", typeName(text));
    }
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static long copyBytes(CallFrame frame, byte[] bytes) {
    long data = frame.allocate(bytes.length + 1L);
    Memory.copyIn(bytes, 0, data, bytes.length);
    Memory.putByte(data + bytes.length, (byte) 0);
    return data;
  }

  static void putList(long at, int tag, long data, int count) {
    Memory.putLong(at, (long) count << 32 | tag);
    Memory.putLong(at + AS, data);
    Memory.putLong(at + AS + 8, 0);
  }

  static void putLongs(CallFrame frame, long at, long[] values) {
    putList(at, TENON_TAG_INT_LIST, frame.longs(values), values.length);
  }

  /** Writes sizes, some of which may be symbols. The list does not keep the symbols alive. */
  static void putSizes(CallFrame frame, long at, List<?> sizes) {
    long[] words = new long[sizes.size()];
    boolean symbolic = sizes.stream().anyMatch(s -> s instanceof SymInt size && size.isSymbolic());
    for (int i = 0; i < words.length; i++) {
      SymInt size =
          sizes.get(i) instanceof SymInt given
              ? given
              : SymInt.of(((Number) sizes.get(i)).longValue());
      words[i] = symbolic ? size.word() : size.asLong().getAsLong();
    }
    putLongs(frame, at, words);
    if (symbolic) {
      Memory.putShort(at + Structs.VALUE_FLAGS, (short) TENON_VALUE_HAS_SYMBOLIC);
    }
  }

  /** Returns true if these are ints, at least one of which is a SymInt. */
  static boolean areSizes(List<?> list) {
    boolean any = false;
    for (Object v : list) {
      if (v instanceof SymInt) {
        any = true;
      } else if (!Conversion.isInteger(v)) {
        return false;
      }
    }
    return any;
  }

  static void putDoubles(CallFrame frame, long at, double[] values) {
    long data = frame.allocate(values.length * 8L);
    Memory.copyIn(values, 0, data, values.length * 8L);
    putList(at, TENON_TAG_FLOAT_LIST, data, values.length);
  }

  static void putBooleans(CallFrame frame, long at, boolean[] values) {
    long data = frame.allocate(values.length);
    for (int i = 0; i < values.length; i++) {
      Memory.putByte(data + i, (byte) (values[i] ? 1 : 0));
    }
    putList(at, TENON_TAG_BOOL_LIST, data, values.length);
  }

  static void putTensors(CallFrame frame, long at, Tensor[] values) {
    long data = frame.allocate(values.length * 8L);
    for (int i = 0; i < values.length; i++) {
      Memory.putLong(data + i * 8L, values[i] == null ? 0 : values[i].address());
    }
    putList(at, TENON_TAG_TENSOR_LIST, data, values.length);
  }

  static void putObject(CallFrame frame, long at, int tag, Object object, String className) {
    if (object instanceof ForeignObject foreign) {
      put(at, tag, foreign.address());
      return;
    }
    long address = ForeignObject.wrap(frame, object, className);
    frame.releaseLater(address);
    put(at, tag, address);
  }

  /** Writes an object in its own class, for positions that accept any type. */
  static void putAny(CallFrame frame, long at, Object v) {
    if (v == null) {
      putNone(at);
    } else if (v instanceof Tensor tensor) {
      put(at, TENON_TAG_TENSOR, tensor.address());
    } else if (v instanceof Long
        || v instanceof Integer
        || v instanceof Short
        || v instanceof Byte) {
      put(at, TENON_TAG_INT, ((Number) v).longValue());
    } else if (v instanceof Double || v instanceof Float) {
      putDouble(at, ((Number) v).doubleValue());
    } else if (v instanceof Boolean b) {
      put(at, TENON_TAG_BOOL, b ? 1 : 0);
    } else if (v instanceof String text) {
      putString(frame, at, text);
    } else if (v instanceof Complex complex) {
      putComplex(at, complex);
    } else if (v instanceof DType dtype) {
      put(at, TENON_TAG_DTYPE, dtype.number());
    } else if (v instanceof Layout layout) {
      put(at, TENON_TAG_LAYOUT, layout.number());
    } else if (v instanceof MemoryFormat format) {
      put(at, TENON_TAG_MEMORY_FORMAT, format.number());
    } else if (v instanceof Device device) {
      putDevice(at, device);
    } else if (v instanceof Stream stream) {
      putStream(at, stream);
    } else if (v instanceof Generator generator) {
      put(at, TENON_TAG_GENERATOR, generator.address());
    } else if (v instanceof SymNumber number) {
      number.put(at);
    } else if (v instanceof Storage storage) {
      put(at, TENON_TAG_STORAGE, storage.address());
    } else if (v instanceof GraphRef ref) {
      put(at, TENON_TAG_REF, ref.value());
    } else {
      putAnyList(frame, at, v);
    }
  }

  private static void putAnyList(CallFrame frame, long at, Object v) {
    if (v instanceof long[] longs) {
      putLongs(frame, at, longs);
    } else if (v instanceof int[] ints) {
      putLongs(frame, at, Arrays.stream(ints).asLongStream().toArray());
    } else if (v instanceof double[] doubles) {
      putDoubles(frame, at, doubles);
    } else if (v instanceof boolean[] booleans) {
      putBooleans(frame, at, booleans);
    } else if (v instanceof Tensor[] tensors) {
      putTensors(frame, at, tensors);
    } else if (v instanceof List<?> list && areSizes(list)) {
      putSizes(frame, at, list);
    } else if (v instanceof List<?> list) {
      putAll(frame, at, TENON_TAG_LIST, list.toArray(), list.size());
    } else if (v instanceof Object[] tuple) {
      putAll(frame, at, TENON_TAG_TUPLE, tuple, tuple.length);
    } else if (v instanceof Map<?, ?> map) {
      Object[] pairs = new Object[map.size() * 2];
      int n = 0;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        pairs[n++] = entry.getKey();
        pairs[n++] = entry.getValue();
      }
      putAll(frame, at, TENON_TAG_DICT, pairs, map.size());
    } else {
      putObject(frame, at, isFunction(v) ? TENON_TAG_FUNCTION : TENON_TAG_OBJECT, v, null);
    }
  }

  static boolean isFunction(Object v) {
    return v instanceof ForeignObject foreign ? foreign.isFunction() : v instanceof Callback;
  }

  private static void putAll(CallFrame frame, long at, int tag, Object[] values, int count) {
    if (frame.nesting == MAX_NESTING) {
      throw new TenonException(
          ErrorCode.RECURSION, "value: lists must nest at most " + MAX_NESTING + " deep, got more");
    }
    frame.nesting++;
    try {
      long data = frame.allocate((long) values.length * Structs.VALUE_SIZE);
      for (int i = 0; i < values.length; i++) {
        putAny(frame, data + (long) i * Structs.VALUE_SIZE, values[i]);
      }
      putList(at, tag, data, count);
    } finally {
      frame.nesting--;
    }
  }

  // ---- Names of types in messages
  // ----------------------------------------------------------------

  /** Returns the name of an object's type as in schemas, or of its Java class. */
  static String typeName(Object v) {
    if (v == null) {
      return "None";
    }
    if (v instanceof Long || v instanceof Integer || v instanceof Short || v instanceof Byte) {
      return "int";
    }
    if (v instanceof Double || v instanceof Float) {
      return "float";
    }
    if (v instanceof Boolean) {
      return "bool";
    }
    if (v instanceof String text) {
      return Text.loneSurrogate(text) < 0 ? "str" : "str with a lone surrogate";
    }
    if (v instanceof Complex) {
      return "complex";
    }
    if (v instanceof DType) {
      return "ScalarType";
    }
    if (v instanceof Device device && !device.exists()) {
      return "Device of unknown type " + device.type();
    }
    if (v instanceof long[] || v instanceof int[]) {
      return "int[]";
    }
    if (v instanceof double[] || v instanceof float[]) {
      return "float[]";
    }
    if (v instanceof boolean[]) {
      return "bool[]";
    }
    return v.getClass().getSimpleName();
  }
}
