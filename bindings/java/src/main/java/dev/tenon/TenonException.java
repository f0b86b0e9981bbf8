// SPDX-License-Identifier: Apache-2.0
// The one exception of this package.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.util.List;

/**
 * A failure that Tenon reports, or one of another language passing through.
 *
 * <p>An exception thrown by a Java kernel is not wrapped: it reaches a Java caller as the same
 * object.
 */
public final class TenonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;
  private final String kind;
  private final transient List<String> notes;
  private final transient List<ErrorFrame> frames;
  // The native error, where another language's exception hangs on it; see Errors.
  transient NativeHandle kept;

  /** Makes an error to throw from a kernel; {@code code} is one of {@link ErrorCode}'s numbers. */
  public TenonException(ErrorCode code, String message) {
    this(
        code.number(),
        TenonNative.tenon_status_kind(code.number()),
        message,
        null,
        List.of(),
        List.of());
  }

  TenonException(
      int code,
      String kind,
      String message,
      Throwable cause,
      List<String> notes,
      List<ErrorFrame> frames) {
    super(withNotes(message, notes), cause);
    this.code = code;
    this.kind = kind;
    this.notes = notes;
    this.frames = frames;
    if (!frames.isEmpty()) {
      prependFrames();
    }
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

  private static String withNotes(String message, List<String> notes) {
    return notes.isEmpty() ? message : message + "\n" + String.join("\n", notes);
  }

  // Shows the places in other languages where a Java reader looks first.
  private void prependFrames() {
    StackTraceElement[] own = getStackTrace();
    StackTraceElement[] all = new StackTraceElement[frames.size() + own.length];
    for (int i = 0; i < frames.size(); i++) {
      ErrorFrame frame = frames.get(i);
      all[i] =
          new StackTraceElement(
              "<" + frame.language() + ">",
              frame.function(),
              frame.file().isEmpty() ? null : frame.file(),
              frame.line() > 0 ? frame.line() : -1);
    }
    System.arraycopy(own, 0, all, frames.size(), own.length);
    setStackTrace(all);
  }

  /** Returns the status number, one of {@link ErrorCode}'s. */
  public int code() {
    return code;
  }

  /** Returns the status by name; {@link ErrorCode#UNKNOWN} for a number of a newer library. */
  public ErrorCode errorCode() {
    return ErrorCode.of(code);
  }

  /** Returns the kind, such as "TypeError" or the name of another language's exception class. */
  public String kind() {
    return kind;
  }

  /** Returns lines of context, also part of the message. */
  public List<String> notes() {
    return notes == null ? List.of() : notes; // null: came from another process
  }

  /** Returns the places that the error passed through before it reached Java, innermost first. */
  public List<ErrorFrame> frames() {
    return frames == null ? List.of() : frames;
  }

  @Override
  public String toString() {
    return "dev.tenon.TenonException: " + kind + ": " + getMessage();
  }
}
