// SPDX-License-Identifier: Apache-2.0
// How a backward pass runs.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/**
 * How a backward pass runs, and what it is for; by default it frees the graph, and is for all
 * leaves.
 *
 * <pre>{@code
 * Tensor[] slopes = Autograd.grad(BackwardOptions.of().createGraph(true), outputs, inputs);
 * }</pre>
 */
public final class BackwardOptions {
  private static final Tensor[] NONE = {};

  // Arrays of the caller's, copied; null where they were not given.
  Tensor[] gradTensors;
  Tensor[] inputs;
  int flags;

  private BackwardOptions() {}

  /** The default. */
  public static BackwardOptions of() {
    return new BackwardOptions();
  }

  /** Sets a gradient for each output, of its sizes; null for one of one element: 1. */
  public BackwardOptions gradTensors(Tensor... grads) {
    gradTensors = grads == null ? new Tensor[1] : grads.clone();
    return this;
  }

  /** Sets the leaves that get gradients by {@link Autograd#backward}; by default all. */
  public BackwardOptions inputs(Tensor... leaves) {
    inputs = leaves.clone();
    return this;
  }

  /** Keeps what nodes saved for another pass. */
  public BackwardOptions retainGraph(boolean retain) {
    return flag(TENON_BACKWARD_KEEP_GRAPH, retain);
  }

  /** Records the pass itself, for derivatives of gradients; keeps the graph, too. */
  public BackwardOptions createGraph(boolean create) {
    return flag(TENON_BACKWARD_CREATE_GRAPH, create);
  }

  /** Gives null for an input of {@link Autograd#grad} that no output depends on. */
  public BackwardOptions allowUnused(boolean allow) {
    return flag(TENON_BACKWARD_ALLOW_UNUSED, allow);
  }

  private BackwardOptions flag(int flag, boolean on) {
    flags = on ? flags | flag : flags & ~flag;
    return this;
  }

  Tensor[] leaves() {
    return inputs == null ? NONE : inputs;
  }
}
