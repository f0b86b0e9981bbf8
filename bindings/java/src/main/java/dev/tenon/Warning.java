// SPDX-License-Identifier: Apache-2.0
// What a handler of warnings is told.
package dev.tenon;

/**
 * A warning of an operator or of the library, in whatever language it was raised; see {@link
 * Tenon#setWarningHandler}.
 *
 * @param category such as "UserWarning" or "DeprecationWarning"
 * @param message the text
 * @param op the operator that runs, "" outside of calls
 */
public record Warning(String category, String message, String op) {
  /**
   * Hears warnings, on the thread that warns. What it throws becomes the failure of what warned.
   */
  @FunctionalInterface
  public interface Handler {
    /** Hears one. */
    void handle(Warning warning) throws Exception;
  }

  /**
   * Logs the warning, as happens where no handler is set: to the {@link System.Logger} "dev.tenon".
   */
  public void log() {
    System.getLogger("dev.tenon").log(System.Logger.Level.WARNING, this::toString);
  }

  /** Returns category, operator and message, such as "UserWarning: aten::add.out: out has ...". */
  @Override
  public String toString() {
    boolean named = op.isEmpty() || message.contains(op);
    return category + ": " + (named ? "" : op + ": ") + message;
  }
}
