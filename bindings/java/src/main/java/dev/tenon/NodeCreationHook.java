// SPDX-License-Identifier: Apache-2.0
// Hooks of new nodes.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.TenonNative;
import java.util.Objects;

/**
 * A hook that sees each node which the calling thread's calls record, until it is closed. {@link
 * ThreadState} carries it.
 *
 * <pre>{@code
 * try (NodeCreationHook hook = NodeCreationHook.enter(node -> names.add(node.name()))) {
 *   y = model(x);
 * }
 * }</pre>
 */
public final class NodeCreationHook implements AutoCloseable {
  /** Sees a node. */
  @FunctionalInterface
  public interface Hook {
    /** Looks at it; what it throws fails the recorded call, and comes home as the same object. */
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
    // From here on C owns the reference, whatever happens.
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
   * @throws TenonException STATE on another thread, and before one that was entered later
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
