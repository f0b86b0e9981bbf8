// SPDX-License-Identifier: Apache-2.0
// Warnings, as passed to a handler.
package dev.tenon;

/**
 * A warning of an operator or of the library, raised in any language; see {@link
 * Tenon#setWarningHandler}.
 *
 * @param category such as "UserWarning" or "DeprecationWarning"
 * @param message the text
 * @param op the operator that is running, "" outside of calls
 */
public record Warning(String category, String message, String op) {
  /**
   * Handles warnings, on the thread that warns. If it throws, the operation that warned fails.
   */
  @FunctionalInterface
  public interface Handler {
    /** Handles a warning. */
    void handle(Warning warning) throws Exception;
  }

  /**
   * Logs the warning to the {@link System.Logger} "dev.tenon", as if no handler were set.
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
