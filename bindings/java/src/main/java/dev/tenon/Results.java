// SPDX-License-Identifier: Apache-2.0
// Results of Java kernels called without C: moves them from the kernel's region to its caller's.
package dev.tenon;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Moves a kernel's results out of the kernel's region, which closes everything else. */
final class Results {
  private Results() {}

  /**
   * Removes results that were made in the innermost region from it. Other handles get new
   * references, and lists are copied for the caller, so that kernel and caller share no object, as
   * in a call through C.
   */
  static Object detach(CallFrame frame, Object v) {
    if (v instanceof NativeHandle handle) {
      if (frame.inRegion(handle) && !handle.borrowed) {
        frame.untrack(handle);
        return handle;
      }
      return handle.unownedCopy();
    }
    if (v instanceof Number number) {
      return canonical(number);
    }
    if (v instanceof Object[] array) {
      Object[] all = v instanceof Tensor[] ? new Tensor[array.length] : new Object[array.length];
      for (int i = 0; i < all.length; i++) {
        all[i] = detach(frame, array[i]);
      }
      return all;
    }
    if (v instanceof List<?> list) {
      List<Object> all = new ArrayList<>(list.size());
      list.forEach(element -> all.add(detach(frame, element)));
      return Collections.unmodifiableList(all);
    }
    if (v instanceof Map<?, ?> map) {
      Map<Object, Object> all = new LinkedHashMap<>();
      map.forEach((key, value) -> all.put(detach(frame, key), detach(frame, value)));
      return all;
    }
    return detachArray(v);
  }

  private static Object canonical(Number number) {
    if (Conversion.isInteger(number)) {
      return number.longValue();
    }
    return number instanceof Float ? (Object) number.doubleValue() : number;
  }

  private static Object detachArray(Object v) {
    if (v instanceof long[] longs) {
      return longs.clone();
    }
    if (v instanceof double[] doubles) {
      return doubles.clone();
    }
    if (v instanceof boolean[] booleans) {
      return booleans.clone();
    }
    return v instanceof int[] ints ? Arrays.stream(ints).asLongStream().toArray() : v;
  }

  /** Adds the results of {@link #detach} to the region that is innermost now. */
  static void adopt(CallFrame frame, Object v) {
    if (v instanceof NativeHandle handle) {
      if (handle.isUnowned() && !handle.isClosed()) {
        frame.adopt(handle);
      }
    } else if (v instanceof Object[] array) {
      for (Object element : array) {
        adopt(frame, element);
      }
    } else if (v instanceof List<?> list) {
      list.forEach(element -> adopt(frame, element));
    } else if (v instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            adopt(frame, key);
            adopt(frame, value);
          });
    }
  }
}
