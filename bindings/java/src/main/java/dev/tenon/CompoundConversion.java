// SPDX-License-Identifier: Apache-2.0
// Conversions of types that have elements: optionals, lists, tuples, dicts, unions.
package dev.tenon;

import static dev.tenon.Conversion.CLOSED;
import static dev.tenon.Conversion.MISMATCH;
import static dev.tenon.Conversion.isInteger;
import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Structs;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The {@link Conversion}s of compound types. */
final class CompoundConversion {
  private CompoundConversion() {}

  // Sets and queues are treated as lists.
  private static Object asList(Object v) {
    boolean other = v instanceof Collection && !(v instanceof List);
    return other ? Arrays.asList(((Collection<?>) v).toArray()) : v;
  }

  /**
   * Writes a compound value. If its element types name classes, Java objects are written under
   * these names.
   */
  private static void giveElements(Conversion type, CallFrame frame, long at, Object v) {
    Object canonical = type.names() ? type.normalise(v) : MISMATCH;
    if (canonical == MISMATCH || canonical == CLOSED) {
      Values.putAny(frame, at, asList(v));
    } else {
      type.write(frame, at, canonical);
    }
  }

  static final class OfOptional extends Conversion {
    private final Conversion inner;

    OfOptional(String text, Conversion inner) {
      super(text);
      this.inner = inner;
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof Optional<?> optional) {
        return normalise(optional.orElse(null));
      }
      return v == null ? null : inner.normalise(v);
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      Object given = v instanceof Optional<?> optional ? optional.orElse(null) : v;
      if (given == null) {
        Values.putNone(at);
      } else {
        inner.give(frame, at, given);
      }
    }

    @Override
    boolean names() {
      return inner.names();
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      if (v == null) {
        Values.putNone(at);
      } else {
        inner.write(frame, at, v);
      }
    }

    @Override
    boolean writeInt(long at, long v) {
      return inner.writeInt(at, v);
    }

    @Override
    boolean writeFloat(long at, double v) {
      return inner.writeFloat(at, v);
    }

    @Override
    boolean isTensor() {
      return inner.isTensor();
    }
  }

  static final class OfInts extends Conversion {
    OfInts(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof long[]) {
        return v;
      }
      if (v instanceof int[] ints) {
        return Arrays.stream(ints).asLongStream().toArray();
      }
      if (!(v instanceof Collection<?> list)) {
        return MISMATCH;
      }
      if (v instanceof List<?> sizes && Values.areSizes(sizes)) {
        return sizes;
      }
      long[] longs = new long[list.size()];
      int n = 0;
      for (Object element : list) {
        if (!isInteger(element)) {
          return MISMATCH;
        }
        longs[n++] = ((Number) element).longValue();
      }
      return longs;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, asList(v));
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v);
    }
  }

  static final class OfFloats extends Conversion {
    OfFloats(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof double[]) {
        return v;
      }
      if (v instanceof float[] floats) {
        double[] doubles = new double[floats.length];
        for (int i = 0; i < floats.length; i++) {
          doubles[i] = floats[i];
        }
        return doubles;
      }
      if (!(v instanceof Collection<?> list)) {
        return MISMATCH;
      }
      double[] doubles = new double[list.size()];
      int n = 0;
      for (Object element : list) {
        if (!isInteger(element) && !(element instanceof Double) && !(element instanceof Float)) {
          return MISMATCH;
        }
        doubles[n++] = ((Number) element).doubleValue();
      }
      return doubles;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, v instanceof float[] ? normalise(v) : asList(v));
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putDoubles(frame, at, (double[]) v);
    }
  }

  static final class OfBools extends Conversion {
    OfBools(String text) {
      super(text);
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof boolean[]) {
        return v;
      }
      if (!(v instanceof Collection<?> list)) {
        return MISMATCH;
      }
      boolean[] booleans = new boolean[list.size()];
      int n = 0;
      for (Object element : list) {
        if (!(element instanceof Boolean)) {
          return MISMATCH;
        }
        booleans[n++] = (Boolean) element;
      }
      return booleans;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, asList(v));
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putBooleans(frame, at, (boolean[]) v);
    }
  }

  static final class OfTensors extends Conversion {
    private final boolean optional;

    OfTensors(String text, boolean optional) {
      super(text);
      this.optional = optional;
    }

    @Override
    Object normalise(Object v) {
      Object[] elements;
      if (v instanceof Collection<?> list) {
        elements = list.toArray();
      } else if (v instanceof Object[] array) {
        elements = array;
      } else {
        return MISMATCH;
      }
      Tensor[] tensors = v instanceof Tensor[] already ? already : new Tensor[elements.length];
      for (int i = 0; i < elements.length; i++) {
        Object element = elements[i];
        if (element instanceof Tensor t) {
          if (t.isClosed()) {
            return CLOSED;
          }
          tensors[i] = t;
        } else if (element != null || !optional) {
          return MISMATCH;
        }
      }
      return tensors;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      Values.putAny(frame, at, asList(v));
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Values.putTensors(frame, at, (Tensor[]) v);
    }
  }

  static final class OfList extends Conversion {
    private final Conversion inner;

    OfList(String text, Conversion inner) {
      super(text);
      this.inner = inner;
    }

    @Override
    Object normalise(Object v) {
      if (v instanceof Collection<?> list) {
        return listOf(normaliseAll(list.toArray(), inner));
      }
      return v instanceof Object[] array ? listOf(normaliseAll(array, inner)) : MISMATCH;
    }

    private static Object listOf(Object normalised) {
      return normalised instanceof Object[] array ? Arrays.asList(array) : normalised;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      giveElements(this, frame, at, v);
    }

    @Override
    boolean names() {
      return inner.names();
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Object[] elements = ((List<?>) v).toArray();
      long data = frame.allocate((long) elements.length * Structs.VALUE_SIZE);
      for (int i = 0; i < elements.length; i++) {
        inner.write(frame, data + (long) i * Structs.VALUE_SIZE, elements[i]);
      }
      Values.putList(at, TENON_TAG_LIST, data, elements.length);
    }
  }

  /**
   * Returns the canonical elements in a new array, or the result for the first element that does
   * not fit.
   */
  private static Object normaliseAll(Object[] elements, Conversion inner) {
    Object[] all = new Object[elements.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = inner.normalise(elements[i]);
      if (all[i] == MISMATCH || all[i] == CLOSED) {
        return all[i];
      }
    }
    return all;
  }

  static final class OfTuple extends Conversion {
    private final Conversion[] parts;

    OfTuple(String text, Conversion[] parts) {
      super(text);
      this.parts = parts;
    }

    @Override
    Object normalise(Object v) {
      Object[] elements =
          v instanceof Object[] array ? array : v instanceof List<?> list ? list.toArray() : null;
      if (elements == null || elements.length != parts.length) {
        return MISMATCH;
      }
      Object[] all = new Object[parts.length];
      for (int i = 0; i < all.length; i++) {
        all[i] = parts[i].normalise(elements[i]);
        if (all[i] == MISMATCH || all[i] == CLOSED) {
          return all[i];
        }
      }
      return all;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      giveElements(this, frame, at, v);
    }

    @Override
    boolean names() {
      return Arrays.stream(parts).anyMatch(Conversion::names);
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Object[] elements = (Object[]) v;
      long data = frame.allocate((long) elements.length * Structs.VALUE_SIZE);
      for (int i = 0; i < elements.length; i++) {
        parts[i].write(frame, data + (long) i * Structs.VALUE_SIZE, elements[i]);
      }
      Values.putList(at, TENON_TAG_TUPLE, data, elements.length);
    }
  }

  static final class OfDict extends Conversion {
    private final Conversion key;
    private final Conversion value;

    OfDict(String text, Conversion key, Conversion value) {
      super(text);
      this.key = key;
      this.value = value;
    }

    @Override
    Object normalise(Object v) {
      if (!(v instanceof Map<?, ?> map)) {
        return MISMATCH;
      }
      Map<Object, Object> all = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        Object k = key.normalise(entry.getKey());
        Object w = value.normalise(entry.getValue());
        if (k == MISMATCH || w == MISMATCH) {
          return MISMATCH;
        }
        if (k == CLOSED || w == CLOSED) {
          return CLOSED;
        }
        all.put(k, w);
      }
      return all;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      giveElements(this, frame, at, v);
    }

    @Override
    boolean names() {
      return value.names();
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      Map<?, ?> map = (Map<?, ?>) v;
      long data = frame.allocate(2L * map.size() * Structs.VALUE_SIZE);
      long next = data;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        key.write(frame, next, entry.getKey());
        value.write(frame, next + Structs.VALUE_SIZE, entry.getValue());
        next += 2 * Structs.VALUE_SIZE;
      }
      Values.putList(at, TENON_TAG_DICT, data, map.size());
    }
  }

  static final class OfUnion extends Conversion {
    private final Conversion[] members;

    OfUnion(String text, Conversion[] members) {
      super(text);
      this.members = members;
    }

    @Override
    Object normalise(Object v) {
      for (Conversion member : members) {
        Object normalised = member.normalise(v);
        if (normalised != MISMATCH) {
          return normalised;
        }
      }
      return MISMATCH;
    }

    @Override
    void give(CallFrame frame, long at, Object v) {
      giveElements(this, frame, at, v);
    }

    @Override
    boolean names() {
      return Arrays.stream(members).anyMatch(Conversion::names);
    }

    @Override
    void write(CallFrame frame, long at, Object v) {
      for (Conversion member : members) {
        if (member.normalise(v) != MISMATCH) {
          member.write(frame, at, v);
          return;
        }
      }
      throw new AssertionError(text);
    }
  }
}
