// SPDX-License-Identifier: Apache-2.0
// State of a call that is kept for its backward pass.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;

/**
 * A call of an {@link AutogradFunction}, as seen by its forward, or of an operator, as seen by a
 * {@link SetupFunction}. It saves what backward ({@link BackwardCall}) and forward mode ({@link
 * JvpCall}) need. It cannot be used after forward or setup has returned.
 */
public final class FunctionContext {
  private long address;

  private FunctionContext(long address) {
    this.address = address;
  }

  /** Runs forward with a native context, on the arguments and results of a stack. */
  static void forward(
      CallFrame frame, AutogradFunction function, long address, long stack, int guards)
      throws Exception {
    FunctionContext context = new FunctionContext(address);
    String name = function.name();
    try {
      Object[] args = Handlers.arguments(frame, stack);
      Object result = function.forward(context, args);
      function.setupContext(context, args, result);
      frame.checkGuards(guards, name);
      Bridge.writeResults(frame, name, stack, result, null);
    } finally {
      context.address = 0;
    }
  }

  /** Runs a setup. The subject contains the native context and the call's stack. */
  static void setup(CallFrame frame, Formula formula, long subject, int guards) throws Exception {
    FunctionContext context = new FunctionContext(Memory.getLong(subject));
    long stack = Memory.getLong(subject + 8);
    int count = Memory.getInt(stack + Structs.STACK_NRETS);
    long rets = Memory.getLong(stack + Structs.STACK_RETS);
    try {
      Object[] args = Handlers.arguments(frame, stack);
      Object[] results = Values.readAll(frame, rets, count, Values.BORROW);
      formula.setup().setup(context, args, results);
      frame.checkGuards(guards, formula.op());
    } finally {
      context.address = 0;
    }
  }

  private long address() {
    if (address == 0) {
      throw new IllegalStateException(
          "FunctionContext: must be in forward or setup, got one that ended");
    }
    return address;
  }

  /** Saves values for {@link BackwardCall#saved} and replaces those that were saved before. */
  public void saveForBackward(Object... values) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int objects = frame.objectCount();
    try {
      long data = frame.allocate((long) values.length * Structs.VALUE_SIZE);
      for (int i = 0; i < values.length; i++) {
        Values.putAny(frame, data + (long) i * Structs.VALUE_SIZE, values[i]);
      }
      Errors.check(TenonNative.tenon_function_context_save(address(), data, values.length));
    } finally {
      Reference.reachabilityFence(values);
      frame.releaseObjects(objects);
      frame.reset(mark);
    }
  }

  /** Returns true if a gradient flows to an argument. */
  public boolean needsInputGrad(int argument) {
    return TenonNative.tenon_function_context_needs_grad(address(), argument) != 0;
  }

  /** Marks an argument as written in place by forward, which must return it. */
  public void markDirty(Tensor tensor) {
    int status = TenonNative.tenon_function_context_mark_dirty(address(), tensor.beginUse());
    tensor.endUse();
    Errors.check(status);
  }

  /** Marks a result as having no gradient. */
  public void markNonDifferentiable(Tensor tensor) {
    int status =
        TenonNative.tenon_function_context_mark_non_differentiable(
            address(), tensor.beginUse());
    tensor.endUse();
    Errors.check(status);
  }

  /** Sets whether backward receives zeros (the default) or null for outputs without gradient. */
  public void setMaterializeGrads(boolean materialize) {
    TenonNative.tenon_function_context_set_materialize_grads(address(), materialize ? 1 : 0);
  }

  /**
   * Keeps an object for {@link BackwardCall#state} and replaces the previous one. Tensors must be
   * saved with {@link #saveForBackward} instead.
   */
  public void setState(Object state) {
    TenonNative.tenon_function_context_set_state(
        address(), References.add(state), Addresses.DROP_REFERENCE);
    References.drain();
  }
}
