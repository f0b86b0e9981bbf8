// SPDX-License-Identifier: Apache-2.0
// Functions of the library as a whole.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.lang.ref.Reference;
import java.time.Duration;

/** Properties of the loaded Tenon, and shortcuts to the other classes. */
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
   * Returns the number of threads that work on one operator, including the calling thread. By
   * default it is the variable TENON_NUM_THREADS, or, if that is not set, the number of processors
   * that the process may use.
   */
  public static int numThreads() {
    return TenonNative.tenon_parallel_get_threads();
  }

  /** Sets the number of threads that work on one operator, up to 256; 0 restores the default. */
  public static void setNumThreads(int count) {
    Errors.check(TenonNative.tenon_parallel_set_threads(count));
  }

  /** Returns the default floating dtype of factories. */
  public static DType defaultDType() {
    return DType.ofNumber(TenonNative.tenon_dtype_default());
  }

  /** Sets the default floating dtype of factories, for the whole process. */
  public static void setDefaultDType(DType dtype) {
    Errors.check(TenonNative.tenon_dtype_set_default(dtype.number()));
  }

  /**
   * Seeds the default generators of all devices, including those that are created later: {@link
   * Generator#getDefault}.
   */
  public static void manualSeed(long seed) {
    Errors.check(TenonNative.tenon_generator_seed_all(seed));
  }

  /**
   * Sets the handler of warnings, of operators in any language, for the whole process; null drops
   * them. By default, and if no other language's host set a handler, they are logged: {@link
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

  /** Passes a warning to the handler. The handler's exception is thrown here. */
  public static void warn(String category, String message) {
    Errors.check(TenonNative.tenon_warning_emit(category, message));
  }

  /** Converts a time-out to nanoseconds. Refuses a negative one, which C interprets as no limit. */
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
