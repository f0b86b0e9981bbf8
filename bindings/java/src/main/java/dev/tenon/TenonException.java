// SPDX-License-Identifier: Apache-2.0
// The one exception of this package.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;

/**
 * A failure that Tenon reports, or one of another language passing through.
 *
 * <p>An exception thrown by a Java kernel is not wrapped: it reaches a Java caller as the same
 * object.
 *
 * <p>The stack trace begins with the places in other languages that the error passed through. They
 * and all texts are read when somebody asks: an exception that is caught and forgotten costs little
 * more than one of Java's own. An exception around this one that was made without a look at it (its
 * text, its trace) prints the Java part of the trace only.
 */
public final class TenonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private int code;
  private String kind;
  private String message;
  private transient List<String> notes;
  private transient List<ErrorFrame> frames;
  // What C told, until somebody reads it; and whether its places are in the stack trace.
  private transient volatile byte[] unread;
  private transient boolean placesShown;
  // The native error, where another language's exception hangs on it; see Errors.
  transient NativeHandle kept;

  /** Makes an error to throw from a kernel; {@code code} is one of {@link ErrorCode}'s numbers. */
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

  /** Makes what stands for a native error, given as {@link ErrorText} takes it. */
  TenonException(byte[] packed, Throwable cause) {
    super(null, cause);
    unread = packed;
  }

  /** Makes the error of a wrong type, as the native checks word it. */
  static TenonException type(String subject, String argument, String expected, String actual) {
    return new TenonException(
        ErrorCode.TYPE, subject + ": " + argument + " must be " + expected + ", got " + actual);
  }

  /** Makes the error of a wrong value. */
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

  /** Returns the status number, one of {@link ErrorCode}'s. */
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

  /** Returns the message, the notes below it. */
  @Override
  public String getMessage() {
    read();
    return message;
  }

  /** Returns lines of context, also part of the message. */
  public List<String> notes() {
    read();
    return notes == null ? List.of() : notes; // null: came from another process
  }

  /** Returns the places that the error passed through before it reached Java, innermost first. */
  public List<ErrorFrame> frames() {
    read();
    return frames == null ? List.of() : frames;
  }

  /** Writes class, kind and message. */
  @Override
  public String toString() {
    showPlaces(); // an exception made around this one asks for this text, and never for the trace
    return "dev.tenon.TenonException: " + kind + ": " + message;
  }

  // ---- The stack trace --------------------------------------------------------------------------

  /** Puts the places in other languages where a Java reader looks first. */
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

  /** Returns the places in other languages, innermost first, and Java's. */
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

  // Printing takes the traces of causes without asking them.
  private void showAll() {
    showPlaces();
    if (getCause() instanceof TenonException cause) {
      cause.showAll();
    }
  }

  // All that is read late goes along.
  private Object writeReplace() {
    showAll();
    return this;
  }
}
