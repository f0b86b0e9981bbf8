// SPDX-License-Identifier: Apache-2.0
// Errors between C and Java: each language's exceptions are propagated unchanged.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Turns native errors into exceptions and back.
 *
 * <p>A stack overflow may occur in any call made here, because infinite recursion unwinds through
 * these methods. Code that owns a native error must therefore release it in the method that made
 * it.
 */
final class Errors {
  private static final int MAX_CAUSES = 16;
  private static final int MAX_FRAMES = 64;

  /**
   * Errors that carry another language's exception, by address. They are kept by the exceptions
   * made of them. If such an exception is thrown on through C, the original error is passed, and
   * when that comes back, the same Java object is thrown.
   */
  private static final Map<Long, WeakReference<TenonException>> FOREIGN = new ConcurrentHashMap<>();

  private Errors() {}

  /** A native error that an exception keeps because of its payload. */
  private static final class Kept extends NativeHandle {
    Kept(long error) {
      super(TenonNative.tenon_error_retain(error));
      try {
        guardByCleaner();
      } catch (Throwable t) {
        if (isUnowned()) {
          TenonNative.tenon_error_release(error);
        }
        throw t;
      }
    }

    @Override
    int type() {
      return ERROR;
    }

    @Override
    String title() {
      return "error";
    }
  }

  // ---- From C ---------------------------------------------------------------------------------

  static void check(int status) {
    if (status != TENON_OK) {
      throw raise(status);
    }
  }

  /** Throws the error in the thread's slot. Never returns; callers can write `throw`. */
  static RuntimeException raise(int status) {
    return sneak(take(status));
  }

  /** Throws the slot's error after a native that reports failure by a null result. */
  static RuntimeException raise() {
    return raise(TENON_ERROR_INTERNAL);
  }

  @SuppressWarnings("unchecked")
  static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private static Throwable take(int status) {
    byte[] plain = Native.takePlainError();
    if (plain != null) {
      return new TenonException(plain, null);
    }
    long error = TenonNative.tenon_error_take();
    if (error == 0) {
      return new TenonException(
          status,
          TenonNative.tenon_status_kind(status),
          "Tenon: failed with " + TenonNative.tenon_status_name(status) + " and left no error");
    }
    try {
      return fromNative(error, MAX_CAUSES);
    } finally {
      TenonNative.tenon_error_release(error);
      References.drain();
    }
  }

  private static Throwable fromNative(long error, int depth) {
    long payload = TenonNative.tenon_error_payload(error, TENON_LANGUAGE_JAVA);
    if (payload != 0) {
      return (Throwable) References.at(payload);
    }
    WeakReference<TenonException> known = FOREIGN.get(References.key(error));
    TenonException exception = known == null ? null : known.get();
    if (exception != null) {
      return exception;
    }
    long cause = depth > 0 ? TenonNative.tenon_error_cause(error) : 0;
    exception =
        new TenonException(
            Native.readError(error), cause == 0 ? null : fromNative(cause, depth - 1));
    for (int language = 1; TenonNative.tenon_language_name(language) != null; language++) {
      if (TenonNative.tenon_error_payload(error, language) != 0) {
        exception.kept = new Kept(error);
        FOREIGN.values().removeIf(reference -> reference.get() == null);
        FOREIGN.put(References.key(error), new WeakReference<>(exception));
        break;
      }
    }
    return exception;
  }

  // ---- To C -----------------------------------------------------------------------------------

  /** Stores a kernel's exception in its stack and returns the status. */
  static int store(Throwable thrown, long stack, int upcalls) {
    long error = toNative(thrown, upcalls, MAX_CAUSES, true);
    TenonNative.tenon_error_release(Memory.getLong(stack + Structs.STACK_ERROR));
    Memory.putLong(stack + Structs.STACK_ERROR, error);
    return TenonNative.tenon_error_code(error);
  }

  private static long toNative(Throwable thrown, int upcalls, int depth, boolean outermost) {
    long error;
    boolean known = thrown instanceof TenonException e && e.kept != null;
    if (known) {
      NativeHandle kept = ((TenonException) thrown).kept;
      error = TenonNative.tenon_error_retain(kept.beginUse());
      kept.endUse();
    } else {
      int code = thrown instanceof TenonException e ? e.code() : TENON_ERROR_FOREIGN;
      String message = thrown.getMessage();
      error =
          TenonNative.tenon_error_new(
              code, clean(kindOf(thrown)), message == null ? "" : clean(message));
    }
    try {
      if (outermost) {
        addFrames(error, thrown, upcalls);
      }
      if (!known) {
        complete(error, thrown, upcalls, depth, outermost);
      }
      return error;
    } catch (Throwable t) {
      TenonNative.tenon_error_release(error);
      throw t;
    }
  }

  private static String kindOf(Throwable thrown) {
    if (thrown instanceof TenonException e) {
      return e.kind();
    }
    String simple = thrown.getClass().getSimpleName();
    return simple.isEmpty() ? thrown.getClass().getName() : simple;
  }

  private static void complete(
      long error, Throwable thrown, int upcalls, int depth, boolean outermost) {
    if (outermost) {
      TenonNative.tenon_error_set_payload(
          error, TENON_LANGUAGE_JAVA, References.add(thrown), Addresses.DROP_REFERENCE);
    }
    Throwable cause = thrown.getCause();
    if (cause != null && cause != thrown && depth > 0) {
      TenonNative.tenon_error_set_cause(error, toNative(cause, upcalls, depth - 1, false));
    }
  }

  // A NUL would end the text in C, and must not turn a failure into another one.
  private static String clean(String text) {
    return text.indexOf('\0') < 0 ? text : text.replace('\0', ' ');
  }

  /**
   * Adds the places that a C error passed before it came to Java, then the Java frames between the
   * throw and the kernel's entry: those above the entry that is `upcalls` deep, counted from the
   * bottom of the stack. Frames of this package are left out.
   */
  private static void addFrames(long error, Throwable thrown, int upcalls) {
    if (thrown instanceof TenonException known && known.kept == null) {
      for (ErrorFrame place : known.frames()) {
        TenonNative.tenon_error_add_frame(
            error, place.languageNumber(), place.function(), place.file(), place.line());
      }
    }
    StackTraceElement[] trace = traceOf(thrown);
    int end = trace.length;
    int entries = 0;
    for (int i = trace.length - 1; i >= 0; i--) {
      if (isEntry(trace[i]) && ++entries == upcalls) {
        end = i;
        break;
      }
    }
    int added = 0;
    for (int i = 0; i < end && added < MAX_FRAMES; i++) {
      StackTraceElement element = trace[i];
      if (element.getClassName().startsWith("<") || isOwn(element.getClassName())) {
        continue;
      }
      TenonNative.tenon_error_add_frame(
          error,
          TENON_LANGUAGE_JAVA,
          element.getClassName() + "." + element.getMethodName(),
          element.getFileName(),
          Math.max(element.getLineNumber(), 0));
      added++;
    }
  }

  // Returns no frames instead of losing the error if they cannot be read: a user's class may
  // override getStackTrace, and after a stack overflow in the wrong place the virtual machine
  // cannot read traces any more (see Bridge).
  private static StackTraceElement[] traceOf(Throwable thrown) {
    try {
      return thrown.getStackTrace();
    } catch (RuntimeException | LinkageError e) {
      return new StackTraceElement[0];
    }
  }

  private static boolean isEntry(StackTraceElement element) {
    return element.getClassName().equals(Bridge.class.getName())
        && (element.getMethodName().equals("dispatch") || element.getMethodName().equals("handle"));
  }

  // Returns true if a class belongs to this package and loader; a name alone could be another
  // class's.
  private static boolean isOwn(String name) {
    if (!name.startsWith("dev.tenon.")) {
      return false;
    }
    try {
      return Class.forName(name, false, Errors.class.getClassLoader()).getProtectionDomain()
          == Errors.class.getProtectionDomain();
    } catch (ClassNotFoundException | LinkageError e) {
      return false; // of another loader
    }
  }
}
