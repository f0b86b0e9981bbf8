// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor for gradients.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/** The gradient methods of {@link Tensor}; {@link Autograd} runs the passes. */
abstract class TensorGradients extends TensorMethods {
  TensorGradients(long address) {
    super(address);
  }

  /**
   * Returns true if this tensor requires grad: it was requested for a leaf, or a recorded call made
   * it from a tensor that requires grad.
   */
  public boolean requiresGrad() {
    boolean asks = TenonNative.tenon_tensor_requires_grad(beginUse()) != 0;
    endUse();
    return asks;
  }

  /**
   * Sets whether a leaf requires grad, and returns it. No other thread may use it during the call.
   *
   * @throws TenonException TYPE for a dtype that is neither floating nor complex; STATE for
   *     clearing it on a tensor that a recorded call made, for inference tensors and for tensors
   *     without memory of their own
   */
  public Tensor requiresGrad(boolean wanted) {
    int status = TenonNative.tenon_tensor_set_requires_grad(beginUse(), wanted ? 1 : 0);
    endUse();
    Errors.check(status);
    return (Tensor) this;
  }

  /** Returns true if no recorded call made this tensor, so that gradients end at it. */
  public boolean isLeaf() {
    boolean leaf = TenonNative.tenon_tensor_is_leaf(beginUse()) != 0;
    endUse();
    return leaf;
  }

  /** Returns the gradient that backward passes have accumulated in a leaf, or null. */
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
   * Sets a leaf's gradient, which must have its sizes, dtype and device. Null clears it.
   *
   * @throws TenonException INVALID_ARGUMENT for a gradient that does not match or is the tensor
   *     itself; STATE for a tensor that is no leaf
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
   * Returns the node and output that receive the gradients of this tensor. A leaf that requires
   * grad has its own node. Null if no gradient flows to the tensor.
   *
   * @throws TenonException STATE for a view made without recording whose base was written since
   */
  public Node.Edge gradientEdge() {
    return Node.edge(
        (node, output) -> TenonNative.tenon_tensor_copy_node(address(), node, output));
  }

  /** Returns the base of a view, which is never a view itself; null for all other tensors. */
  public Tensor base() {
    long base = TenonNative.tenon_tensor_copy_base(beginUse());
    endUse();
    return Tensor.ownOrNull(CallFrame.get(), base);
  }

  /** Makes passes accumulate gradients in this tensor although it is no leaf, and returns it. */
  public Tensor retainGrad() {
    int status = TenonNative.tenon_tensor_retain_grad(beginUse());
    endUse();
    Errors.check(status);
    return (Tensor) this;
  }

  /** Returns true if {@link #retainGrad} is in effect. */
  public boolean retainsGrad() {
    boolean retains = TenonNative.tenon_tensor_retains_grad(beginUse()) != 0;
    endUse();
    return retains;
  }

  /**
   * Adds a hook that runs when the gradient is complete, before the node that made this tensor.
   *
   * @throws TenonException STATE for a tensor that does not require grad
   */
  public Hook registerHook(Hook.OfTensor hook) {
    return addHook(TENON_HOOK_GRAD, Hook.onTensor(hook));
  }

  /**
   * Adds a hook that runs after a leaf's gradient was accumulated.
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

  /** Runs a backward pass from this tensor: {@link Autograd#backward(Tensor...)}. */
  public void backward() {
    Autograd.backward((Tensor) this);
  }

  /**
   * Runs a backward pass from a tensor with more than one element.
   *
   * @param gradient a gradient of this tensor's sizes
   */
  public void backward(Tensor gradient) {
    Autograd.backward(BackwardOptions.of().gradTensors(gradient), (Tensor) this);
  }

  /** Runs a backward pass from this tensor with options. */
  public void backward(BackwardOptions options) {
    Autograd.backward(options, (Tensor) this);
  }
}
