// SPDX-License-Identifier: Apache-2.0
// The exception class of this package.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;

/**
 * A failure that Tenon reports, or an exception of another language.
 *
 * <p>An exception thrown by a Java kernel is not wrapped: it reaches a Java caller unchanged.
 *
 * <p>The stack trace begins with the places in other languages that the error passed through. These
 * and all texts are only read on demand, so that an exception that is caught and ignored costs
 * little more than a plain Java exception. If another exception wraps this one before its text or
 * trace was read, the wrapper prints only the Java part of the trace.
 */
public final class TenonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private int code;
  private String kind;
  private String message;
  private transient List<String> notes;
  private transient List<ErrorFrame> frames;
  // The data from C until it is read; and whether its places are in the stack trace.
  private transient volatile byte[] unread;
  private transient boolean placesShown;
  // The native error, if it carries another language's exception; see Errors.
  transient NativeHandle kept;

  /** Makes an error to throw from a kernel. {@code code} is an {@link ErrorCode}. */
  public TenonException(ErrorCode code, String message) {
    this(code.number(), TenonNative.tenon_status_kind(code.number()), message);
  }

  TenonException(int code, String kind, String message) {
    super(null, null);
    this.code = code;
    this.kind = kind;
    this.message = message;
    this.notes = List.of();
    this.frames = List.of();
  }

  /** Makes an exception from a native error, in the format of {@link ErrorText}. */
  TenonException(byte[] packed, Throwable cause) {
    super(null, cause);
    unread = packed;
  }

  /** Makes the error for a wrong type, with the wording of the native checks. */
  static TenonException type(String subject, String argument, String expected, String actual) {
    return new TenonException(
        ErrorCode.TYPE, subject + ": " + argument + " must be " + expected + ", got " + actual);
  }

  /** Makes the error for a wrong value. */
  static TenonException value(String subject, String argument, String expected, String actual) {
    return new TenonException(
        ErrorCode.INVALID_ARGUMENT,
        subject + ": " + argument + " must be " + expected + ", got " + actual);
  }

  private void read() {
    if (unread == null) {
      return;
    }
    synchronized (this) {
      if (unread != null) {
        ErrorText text = new ErrorText(unread);
        code = text.code;
        kind = text.kind;
        notes = text.notes;
        frames = text.frames;
        message =
            notes.isEmpty() ? text.message : text.message + "\n" + String.join("\n", notes);
        unread = null;
      }
    }
  }

  /** Returns the number of the status, one of {@link ErrorCode}'s. */
  public int code() {
    read();
    return code;
  }

  /** Returns the status by name; {@link ErrorCode#UNKNOWN} for a number of a newer library. */
  public ErrorCode errorCode() {
    return ErrorCode.of(code());
  }

  /** Returns the kind, such as "TypeError" or the name of another language's exception class. */
  public String kind() {
    read();
    return kind;
  }

  /** Returns the message, followed by the notes. */
  @Override
  public String getMessage() {
    read();
    return message;
  }

  /** Returns the notes: lines of context, which are also part of the message. */
  public List<String> notes() {
    read();
    return notes == null ? List.of() : notes; // null: deserialised from another process
  }

  /** Returns the places that the error passed through before it reached Java, innermost first. */
  public List<ErrorFrame> frames() {
    read();
    return frames == null ? List.of() : frames;
  }

  /** Returns class, kind and message. */
  @Override
  public String toString() {
    showPlaces(); // an exception that wraps this one reads this text, but never the trace
    return "dev.tenon.TenonException: " + kind + ": " + message;
  }

  // ---- The stack trace --------------------------------------------------------------------------

  /** Puts the places in other languages at the beginning of the trace. */
  private synchronized void showPlaces() {
    if (placesShown) {
      return;
    }
    placesShown = true;
    List<ErrorFrame> places = frames();
    if (places.isEmpty()) {
      return;
    }
    StackTraceElement[] own = super.getStackTrace();
    StackTraceElement[] all = new StackTraceElement[places.size() + own.length];
    for (int i = 0; i < places.size(); i++) {
      ErrorFrame place = places.get(i);
      all[i] =
          new StackTraceElement(
              "<" + place.language() + ">",
              place.function(),
              place.file().isEmpty() ? null : place.file(),
              place.line() > 0 ? place.line() : -1);
    }
    System.arraycopy(own, 0, all, places.size(), own.length);
    super.setStackTrace(all);
  }

  /** Returns the places in other languages, innermost first, followed by Java's. */
  @Override
  public StackTraceElement[] getStackTrace() {
    showPlaces();
    return super.getStackTrace();
  }

  @Override
  public synchronized void setStackTrace(StackTraceElement[] trace) {
    placesShown = true;
    super.setStackTrace(trace);
  }

  @Override
  public void printStackTrace(PrintStream stream) {
    showAll();
    super.printStackTrace(stream);
  }

  @Override
  public void printStackTrace(PrintWriter writer) {
    showAll();
    super.printStackTrace(writer);
  }

  // Printing reads the traces of causes without calling their methods.
  private void showAll() {
    showPlaces();
    if (getCause() instanceof TenonException cause) {
      cause.showAll();
    }
  }

  // Serialisation includes all data that is otherwise read on demand.
  private Object writeReplace() {
    showAll();
    return this;
  }
}
