// SPDX-License-Identifier: Apache-2.0
// Options of a backward pass.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

/**
 * Options of a backward pass. By default it frees the graph and computes gradients for all leaves.
 *
 * <pre>{@code
 * Tensor[] slopes = Autograd.grad(BackwardOptions.of().createGraph(true), outputs, inputs);
 * }</pre>
 */
public final class BackwardOptions {
  private static final Tensor[] NONE = {};

  // Copies of the caller's arrays, or null.
  Tensor[] gradTensors;
  Tensor[] inputs;
  int flags;

  private BackwardOptions() {}

  /** Returns the default options. */
  public static BackwardOptions of() {
    return new BackwardOptions();
  }

  /** Sets a gradient for each output, of its sizes. Null means 1, for a one-element output. */
  public BackwardOptions gradTensors(Tensor... grads) {
    gradTensors = grads == null ? new Tensor[1] : grads.clone();
    return this;
  }

  /**
   * Sets the tensors that {@link Autograd#backward} accumulates gradients into; by default all
   * leaves. For a tensor that is no leaf, {@link Tensor#retainGrad} takes effect.
   */
  public BackwardOptions inputs(Tensor... leaves) {
    inputs = leaves.clone();
    return this;
  }

  /** Sets whether nodes keep their saved values for another pass. */
  public BackwardOptions retainGraph(boolean retain) {
    return flag(TENON_BACKWARD_KEEP_GRAPH, retain);
  }

  /** Sets whether the pass itself is recorded, for higher derivatives. Also keeps the graph. */
  public BackwardOptions createGraph(boolean create) {
    return flag(TENON_BACKWARD_CREATE_GRAPH, create);
  }

  /** Sets whether an input of {@link Autograd#grad} that no output depends on gets null. */
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
