// SPDX-License-Identifier: Apache-2.0
// Hooks of new nodes.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.TenonNative;
import java.util.Objects;

/**
 * A hook that is called with each node that the calling thread records, until it is closed. {@link
 * ThreadState} carries it.
 *
 * <pre>{@code
 * try (NodeCreationHook hook = NodeCreationHook.enter(node -> names.add(node.name()))) {
 *   y = model(x);
 * }
 * }</pre>
 */
public final class NodeCreationHook implements AutoCloseable {
  /** Receives new nodes. */
  @FunctionalInterface
  public interface Hook {
    /** Receives a node. An exception fails the recorded call and is propagated unchanged. */
    void accept(Node node) throws Exception;
  }

  private final long ctx;
  private boolean closed;

  private NodeCreationHook(long ctx) {
    this.ctx = ctx;
  }

  /** Enters a hook on the calling thread. */
  public static NodeCreationHook enter(Hook hook) {
    Objects.requireNonNull(hook, "hook");
    Bridge.open();
    // C owns the reference from here on, also on failure.
    long ctx = References.add(hook);
    Errors.check(
        TenonNative.tenon_creation_hook_push(
            Addresses.CALL_CREATED, ctx, Addresses.DROP_REFERENCE));
    return new NodeCreationHook(ctx);
  }

  /** Runs a hook on the native node at an address. */
  static void run(CallFrame frame, Hook hook, long node, int guards) throws Exception {
    hook.accept(Node.retain(frame, node));
    frame.checkGuards(guards, "creation hook");
  }

  /**
   * Leaves the hook. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread, and if a hook that was entered later is still
   *     open
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    Errors.check(TenonNative.tenon_creation_hook_pop(ctx));
    closed = true;
    References.drain();
  }
}
