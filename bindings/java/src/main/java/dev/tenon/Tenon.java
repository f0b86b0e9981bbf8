// SPDX-License-Identifier: Apache-2.0
// The library as a whole.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.lang.ref.Reference;
import java.time.Duration;

/** Facts about the loaded Tenon, and short ways to the other classes. */
public final class Tenon {
  private Tenon() {}

  /** Returns the release of the loaded library, "major.minor.patch". */
  public static String version() {
    return TenonNative.tenon_version();
  }

  /** Finds an operator: {@link Operators#find}. */
  public static Op op(String name) {
    return Operators.find(name);
  }

  /** Loads a plugin: {@link Plugin#load}. */
  public static Plugin loadPlugin(String pathOrName) {
    return Plugin.load(pathOrName);
  }

  /**
   * Returns how many threads work on one operator, the caller's included: at first as many as the
   * variable TENON_NUM_THREADS says, else as the process may use processors.
   */
  public static int numThreads() {
    return TenonNative.tenon_parallel_get_threads();
  }

  /** Sets how many threads work on one operator, up to 256; 0 for as many as at first. */
  public static void setNumThreads(int count) {
    Errors.check(TenonNative.tenon_parallel_set_threads(count));
  }

  /** Returns the floating dtype of factories that are given none. */
  public static DType defaultDType() {
    return DType.ofNumber(TenonNative.tenon_dtype_default());
  }

  /** Sets the floating dtype of factories that are given none, for the whole process. */
  public static void setDefaultDType(DType dtype) {
    Errors.check(TenonNative.tenon_dtype_set_default(dtype.number()));
  }

  /**
   * Seeds the default generators of all devices, those made later too: {@link
   * Generator#getDefault}.
   */
  public static void manualSeed(long seed) {
    Errors.check(TenonNative.tenon_generator_seed_all(seed));
  }

  /**
   * Sets who hears warnings, of operators in any language, for the whole process; null drops them.
   * Without a call, and where no other language's host set a handler, they are logged: {@link
   * Warning#log}.
   */
  public static void setWarningHandler(Warning.Handler handler) {
    if (handler == null) {
      Errors.check(TenonNative.tenon_warning_set_handler(0, 0, 0));
      return;
    }
    Bridge.open();
    Errors.check(
        TenonNative.tenon_warning_set_handler(
            Addresses.CALL_WARNING, References.add(handler), Addresses.DROP_REFERENCE));
  }

  /** Warns; what the handler throws is thrown here. */
  public static void warn(String category, String message) {
    Errors.check(TenonNative.tenon_warning_emit(category, message));
  }

  /** The nanoseconds of a time-out: no negative one, which C takes for "for ever". */
  static long nanoseconds(String subject, Duration timeout) {
    if (timeout.isNegative()) {
      throw TenonException.value(subject, "timeout", "zero or more", timeout.toString());
    }
    boolean fits = timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) <= 0;
    return fits ? timeout.toNanos() : Long.MAX_VALUE;
  }

  /** Reads a text buffer and releases it. */
  static String takeText(long buffer) {
    try {
      return Text.read(
          TenonNative.tenon_buffer_data(buffer), (int) TenonNative.tenon_buffer_size(buffer));
    } finally {
      TenonNative.tenon_buffer_release(buffer);
    }
  }

  /** A native function that writes a text buffer. */
  interface TextFunction {
    int call(long out);
  }

  /** Calls a function that writes a text buffer and returns the text. */
  static String text(Object keepAlive, TextFunction function) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(function.call(out));
      return takeText(Memory.getLong(out));
    } finally {
      Reference.reachabilityFence(keepAlive);
      frame.reset(mark);
    }
  }
}
