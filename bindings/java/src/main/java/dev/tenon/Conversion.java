// SPDX-License-Identifier: Apache-2.0
// One class per kind of schema type: the Java objects that it accepts, and how they are written.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;

/**
 * Conversion between Java objects and values of one schema type.
 *
 * <p>{@link #normalise} converts a caller's object to the canonical Java form of the type (see
 * {@link Values}), and {@link #write} writes that form to native memory. Java kernels that are
 * called from Java receive the normalised objects directly, without going through memory.
 */
abstract class Conversion {
  /** The result for an object that is not of this type. */
  static final Object MISMATCH = new Object();

  /** The result for a tensor or another handle that is closed. */
  static final Object CLOSED = new Object();

  final String text;

  Conversion(String text) {
    this.text = text;
  }

  /** Returns the canonical form, {@link #MISMATCH} or {@link #CLOSED}. */
  abstract Object normalise(Object v);

  /** Writes a caller's object as a value of the object's class. C converts it to the type. */
  void give(CallFrame frame, long at, Object v) {
    Values.putAny(frame, at, v);
  }

  /** Returns true if the type, or one of its elements, names the class of Java objects. */
  boolean names() {
    return false;
  }

  /** Writes the canonical form as a borrowed value. */
  abstract void write(CallFrame frame, long at, Object v);

  /** Writes an integer if this type accepts one, and returns true if it does. */
  boolean writeInt(long at, long v) {
    return false;
  }

  /** Writes a floating-point number if this type accepts one, and returns true if it does. */
  boolean writeFloat(long at, double v) {
    return false;
  }

  /** Returns true if this is `Tensor` or `Tensor?`. */
  boolean isTensor() {
    return false;
  }

  // ---- From a schema's type -------------------------------------------------------------------

  static Conversion of(long type) {
    String text = TenonNative.tenon_type_text(type);
    int kind = TenonNative.tenon_type_kind(type);
    return switch (kind) {
      case TENON_TYPE_TENSOR -> new OfTensor(text);
      case TENON_TYPE_INT, TENON_TYPE_SYMINT, TENON_TYPE_DEVICE_INDEX -> new OfInt(text);
      case TENON_TYPE_FLOAT, TENON_TYPE_SYMFLOAT -> new OfFloat(text);
      case TENON_TYPE_BOOL, TENON_TYPE_SYMBOOL -> new OfBool(text);
      case TENON_TYPE_COMPLEX -> new OfComplex(text);
      case TENON_TYPE_SCALAR -> new OfScalar(text);
      case TENON_TYPE_STRING -> new OfString(text);
      case TENON_TYPE_DTYPE -> new OfClass(text, DType.class);
      case TENON_TYPE_LAYOUT -> new OfClass(text, Layout.class);
      case TENON_TYPE_MEMORY_FORMAT -> new OfClass(text, MemoryFormat.class);
      case TENON_TYPE_DEVICE -> new OfDevice(text);
      case TENON_TYPE_STREAM -> new OfClass(text, Stream.class);
      case TENON_TYPE_GENERATOR -> new OfClass(text, Generator.class);
      case TENON_TYPE_STORAGE -> new OfClass(text, Storage.class);
      case TENON_TYPE_NONE -> new OfNone(text);
      case TENON_TYPE_ANY, TENON_TYPE_VARIABLE -> new OfAny(text);
      case TENON_TYPE_CLASS -> new OfObject(text);
      case TENON_TYPE_FUNCTION -> new OfFunction(text);
      case TENON_TYPE_OPTIONAL -> new CompoundConversion.OfOptional(text, element(type, 0));
      case TENON_TYPE_LIST -> list(text, TenonNative.tenon_type_element(type, 0));
      case TENON_TYPE_TUPLE -> new CompoundConversion.OfTuple(text, elements(type));
      case TENON_TYPE_DICT ->
          new CompoundConversion.OfDict(text, element(type, 0), element(type, 1));
      case TENON_TYPE_UNION -> new CompoundConversion.OfUnion(text, elements(type));
      default -> new OfNothing(text);
    };
  }

  private static Conversion element(long type, int index) {
    return of(TenonNative.tenon_type_element(type, index));
  }

  private static Conversion[] elements(long type) {
    Conversion[] all = new Conversion[(int) TenonNative.tenon_type_element_count(type)];
    for (int i = 0; i < all.length; i++) {
      all[i] = element(type, i);
    }
    return all;
  }

  private static Conversion list(String text, long element) {
    Conversion inner = of(element);
    return switch (TenonNative.tenon_type_kind(element)) {
      case TENON_TYPE_INT, TENON_TYPE_SYMINT -> new CompoundConversion.OfInts(text);
      case TENON_TYPE_FLOAT -> new CompoundConversion.OfFloats(text);
      case TENON_TYPE_BOOL -> new CompoundConversion.OfBools(text);
      case TENON_TYPE_TENSOR -> new CompoundConversion.OfTensors(text, false);
      case TENON_TYPE_OPTIONAL ->
          inner.isTensor()
              ? new CompoundConversion.OfTensors(text, true)
              : new CompoundConversion.OfList(text, inner);
      default -> new CompoundConversion.OfList(text, inner);
    };
  }

  // ---- Simple types ---------------------------------------------------------------------------

  /** Returns true if this is an integer that a double can represent. */
  private static boolean isExact(Object v) {
    return isInteger(v) && isExact(((Number) v).longValue());
  }

  private static boolean isExact(long v) {
    return (long) (double) v == v && v != Long.MAX_VALUE;
  }

  static boolean isInteger(Object v) {
    return v instanceof Long || v instanceof Integer || v instanceof Short || v instanceof Byte;
  }

  static final class OfTensor extends Conversion {
    OfTensor(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      return v instanceof Tensor t ? (t.isClosed() ? CLOSED : t) : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.put(at, TENON_TAG_TENSOR, ((Tensor) v).address());
    }

    @Override
    boolean isTensor() {
      return true;
    }
  }

  private static final class OfInt extends Conversion {
    OfInt(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof SymInt size) {
        return size.isSymbolic() ? size : size.number();
      }
      return v instanceof Long ? v : isInteger(v) ? (Object) ((Number) v).longValue() : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }

    @Override
    boolean writeInt(long at, long v) {
      Values.put(at, TENON_TAG_INT, v);
      return true;
    }
  }

  private static final class OfFloat extends Conversion {
    OfFloat(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof Double || v instanceof SymFloat number && number.isSymbolic()) {
        return v;
      }
      if (v instanceof SymFloat number) {
        return number.number();
      }
      return isExact(v) || v instanceof Float ? (Object) ((Number) v).doubleValue() : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }

    @Override
    boolean writeInt(long at, long v) {
      if (!isExact(v)) {
        return false;
      }
      Values.putDouble(at, v);
      return true;
    }

    @Override
    boolean writeFloat(long at, double v) {
      Values.putDouble(at, v);
      return true;
    }
  }

  private static final class OfBool extends Conversion {
    OfBool(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof SymBool truth) {
        return truth.isSymbolic() ? truth : truth.number();
      }
      return v instanceof Boolean ? v : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }
  }

  private static final class OfComplex extends Conversion {
    OfComplex(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof Complex) {
        return v;
      }
      return isExact(v) || v instanceof Double || v instanceof Float
          ? new Complex(((Number) v).doubleValue(), 0)
          : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putComplex(at, (Complex) v);
    }
  }

  /** A number of any kind. */
  private static final class OfScalar extends Conversion {
    OfScalar(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof Long
          || v instanceof Double
          || v instanceof Boolean
          || v instanceof Complex) {
        return v;
      }
      if (v instanceof Float f) {
        return (double) f;
      }
      return isInteger(v) ? (Object) ((Number) v).longValue() : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }

    @Override
    boolean writeInt(long at, long v) {
      Values.put(at, TENON_TAG_INT, v);
      return true;
    }

    @Override
    boolean writeFloat(long at, double v) {
      Values.putDouble(at, v);
      return true;
    }
  }

  private static final class OfString extends Conversion {
    OfString(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      return v instanceof String text && Text.loneSurrogate(text) < 0 ? v : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putString(frame, at, (String) v);
    }
  }

  /** A schema type with one Java class. */
  private static final class OfClass extends Conversion {
    private final Class<?> javaClass;

    OfClass(String text, Class<?> javaClass) {
      super(text);
      this.javaClass = javaClass;
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof NativeHandle handle && javaClass.isInstance(v) && handle.isClosed()) {
        return CLOSED;
      }
      return javaClass.isInstance(v) ? v : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }
  }

  /** A device, given as an object or by name. */
  private static final class OfDevice extends Conversion {
    OfDevice(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof String name) {
        return Device.of(name);
      }
      return v instanceof Device device && device.exists() ? v : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putDevice(at, (Device) v);
    }
  }

  private static final class OfNone extends Conversion {
    OfNone(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      return v == null ? null : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putNone(at);
    }
  }

  static final class OfAny extends Conversion {
    OfAny(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      boolean closed =
          v instanceof Tensor t && t.isClosed() || v instanceof Generator g && g.isClosed();
      return closed ? CLOSED : v;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }
  }

  /** An object of a named class: any Java object, or one of another language. */
  private static final class OfObject extends Conversion {
    OfObject(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      return v == null ? MISMATCH : v;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      if (v == null) {
        Values.putNone(at);
      } else {
        Values.putObject(frame, at, TENON_TAG_OBJECT, v, text);
      }
    }

    @Override
    boolean names() {
      return true;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putObject(frame, at, TENON_TAG_OBJECT, v, text);
    }
  }

  /** A function of any language. */
  private static final class OfFunction extends Conversion {
    OfFunction(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof NativeHandle handle && handle.isClosed()) {
        return CLOSED;
      }
      return Values.isFunction(v) ? v : MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putObject(frame, at, TENON_TAG_FUNCTION, v, null);
    }
  }

  /** Types of schemas that have no values in Java. */
  private static final class OfNothing extends Conversion {
    OfNothing(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      return MISMATCH;
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      throw new AssertionError(text);
    }
  }

  /** Writes the canonical form as an owned value: a kernel's result. */
  final void writeOwned(CallFrame frame, long at, Object v) {
    if (v instanceof Tensor tensor) {
      Values.put(at, TENON_TAG_TENSOR, TenonNative.tenon_tensor_retain(tensor.beginUse()));
      tensor.endUse();
      Memory.putShort(at + Structs.VALUE_FLAGS, (short) TENON_VALUE_OWNED);
    } else if (v == null || v instanceof Long || v instanceof Double || v instanceof Boolean) {
      write(frame, at, v);
    } else {
      int objects = frame.objectCount();
      long value = frame.allocate(Structs.VALUE_SIZE);
      try {
        write(frame, value, v);
        Errors.check(TenonNative.tenon_value_copy(value, at));
      } finally {
        frame.releaseObjects(objects);
      }
    }
  }
}
