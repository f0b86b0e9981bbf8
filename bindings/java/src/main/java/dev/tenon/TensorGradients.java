// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor that are about gradients.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/** What {@link Tensor} knows of gradients; {@link Autograd} runs the passes. */
abstract class TensorGradients extends TensorMethods {
  TensorGradients(long address) {
    super(address);
  }

  /**
   * Tells whether gradients flow to this tensor: it asks for them, or was made from one that does
   * by a recorded call.
   */
  public boolean requiresGrad() {
    boolean asks = TenonNative.tenon_tensor_requires_grad(beginUse()) != 0;
    endUse();
    return asks;
  }

  /**
   * Makes a leaf ask for gradients, or no longer, and returns it. Nobody else uses it meanwhile.
   *
   * @throws TenonException TYPE for a dtype that is neither floating nor complex; STATE for a
   *     recorded tensor that is to stop asking, for inference tensors and for tensors without
   *     memory of their own
   */
  public Tensor requiresGrad(boolean wanted) {
    int status = TenonNative.tenon_tensor_set_requires_grad(beginUse(), wanted ? 1 : 0);
    endUse();
    Errors.check(status);
    return (Tensor) this;
  }

  /** Tells whether no recorded call has made this: gradients end here. */
  public boolean isLeaf() {
    boolean leaf = TenonNative.tenon_tensor_is_leaf(beginUse()) != 0;
    endUse();
    return leaf;
  }

  /** Returns the gradient that backward passes have left with a leaf; null without one. */
  public Tensor grad() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_tensor_copy_grad(address(), out));
      return Tensor.ownOrNull(frame, Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Sets a leaf's gradient, of its sizes, dtype and device; null clears it.
   *
   * @throws TenonException INVALID_ARGUMENT for a gradient that differs or is the tensor itself;
   *     STATE for a tensor that is no leaf
   */
  public void setGrad(Tensor grad) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long given = grad == null ? 0 : grad.address();
      Errors.check(TenonNative.tenon_tensor_set_grad(address(), given));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns the node of the recorded call that made this; null for a leaf.
   *
   * @throws TenonException as {@link #gradientEdge}
   */
  public Node gradFn() {
    Node.Edge edge = gradientEdge();
    if (edge == null) {
      return null;
    }
    if (isLeaf()) {
      edge.node().close();
      return null;
    }
    return edge.node();
  }

  /**
   * Returns where gradients of this go to: a leaf that asks for them has a node of its own. Null
   * for a tensor that no gradient flows to.
   *
   * @throws TenonException STATE for a view made without recording whose base was written since
   */
  public Node.Edge gradientEdge() {
    return Node.edge(
        (node, output) -> TenonNative.tenon_tensor_copy_node(address(), node, output));
  }

  /** Returns the tensor that a view is a view of, never a view itself; null for all others. */
  public Tensor base() {
    long base = TenonNative.tenon_tensor_copy_base(beginUse());
    endUse();
    return Tensor.ownOrNull(CallFrame.get(), base);
  }

  /** Makes passes leave gradients with this, though it is no leaf, and returns it. */
  public Tensor retainGrad() {
    int status = TenonNative.tenon_tensor_retain_grad(beginUse());
    endUse();
    Errors.check(status);
    return (Tensor) this;
  }

  /** Tells whether passes leave gradients with this, which is no leaf. */
  public boolean retainsGrad() {
    boolean retains = TenonNative.tenon_tensor_retains_grad(beginUse()) != 0;
    endUse();
    return retains;
  }

  /**
   * Adds a hook that runs when the whole gradient has come, before the node that made this does.
   *
   * @throws TenonException STATE for a tensor that does not require grad
   */
  public Hook registerHook(Hook.OfTensor hook) {
    return addHook(TENON_HOOK_GRAD, Hook.onTensor(hook));
  }

  /**
   * Adds a hook that runs when a leaf's gradient has been added to.
   *
   * @throws TenonException STATE for a tensor that does not require grad or is no leaf
   */
  public Hook registerPostAccumulateGradHook(Hook.OfLeaf hook) {
    return addHook(TENON_HOOK_ACCUMULATED, Hook.onLeaf(hook));
  }

  private Hook addHook(int kind, Hook.Body body) {
    return Hook.add(
        kind,
        body,
        (Tensor) this,
        (options, out) -> TenonNative.tenon_tensor_add_hook(address(), options, out));
  }

  /** Runs a backward pass that begins here: {@link Autograd#backward(Tensor...)}. */
  public void backward() {
    Autograd.backward((Tensor) this);
  }

  /**
   * The same for more than one element.
   *
   * @param gradient of this tensor's sizes
   */
  public void backward(Tensor gradient) {
    Autograd.backward(BackwardOptions.of().gradTensors(gradient), (Tensor) this);
  }

  /** The same with options. */
  public void backward(BackwardOptions options) {
    Autograd.backward(options, (Tensor) this);
  }
}
