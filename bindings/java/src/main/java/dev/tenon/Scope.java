// SPDX-License-Identifier: Apache-2.0
// Arenas: tensors made in one are closed together.
package dev.tenon;

/**
 * Closes the tensors, nodes, storages, generators and objects that its thread makes while it is
 * open.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open()) {
 *   Tensor y = add.call(x, x);      // closed with the scope
 *   return y.mul(y).escape();       // outlives it
 * }
 * }</pre>
 *
 * <p>Scopes can be nested. They must be closed in reverse order by the thread that opened them.
 * Java kernels run in their own scope, so that handles made in them are closed when they return.
 */
public final class Scope implements AutoCloseable {
  private final CallFrame frame;
  private final int outer;
  private final int depth;
  private boolean closed;

  private Scope(CallFrame frame) {
    this.frame = frame;
    this.outer = frame.openRegion();
    this.depth = frame.regionCount();
  }

  /** Opens a scope on the calling thread. */
  public static Scope open() {
    return new Scope(CallFrame.get());
  }

  /**
   * Closes the handles made in the scope. Closing again does nothing.
   *
   * @throws IllegalStateException on another thread, or while a scope opened later is still open
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (Thread.currentThread() != frame.thread()) {
      throw new IllegalStateException(
          "Scope: must be closed by the thread that opened it, "
              + frame.thread().getName()
              + ", got "
              + Thread.currentThread().getName());
    }
    if (frame.regionCount() != depth) {
      throw new IllegalStateException(
          "Scope: must be closed in reverse order of opening, got one with another inside");
    }
    closed = true;
    frame.closeRegion(outer);
  }
}
