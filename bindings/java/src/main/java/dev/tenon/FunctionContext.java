// SPDX-License-Identifier: Apache-2.0
// What one call of a function keeps for its backward pass.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;

/**
 * One call of an {@link AutogradFunction}, as its forward sees it, or of an operator, as a {@link
 * SetupFunction} does: says what is kept for backward, which gets it in a {@link BackwardCall}, and
 * for forward mode, which gets it in a {@link JvpCall}. It ends with forward or setup.
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

  /** Runs a setup; the subject has the native context and the call's stack. */
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

  /** Saves values, in place of what was saved before, for {@link BackwardCall#saved}. */
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

  /** Tells whether a gradient flows to an argument. */
  public boolean needsInputGrad(int argument) {
    return TenonNative.tenon_function_context_needs_grad(address(), argument) != 0;
  }

  /** Says that forward has written an argument in place, which it returns. */
  public void markDirty(Tensor tensor) {
    int status = TenonNative.tenon_function_context_mark_dirty(address(), tensor.beginUse());
    tensor.endUse();
    Errors.check(status);
  }

  /** Says that a result has no gradient. */
  public void markNonDifferentiable(Tensor tensor) {
    int status =
        TenonNative.tenon_function_context_mark_non_differentiable(
            address(), tensor.beginUse());
    tensor.endUse();
    Errors.check(status);
  }

  /** Says whether backward gets zeros, as at first, or null for outputs that none came to. */
  public void setMaterializeGrads(boolean materialize) {
    TenonNative.tenon_function_context_set_materialize_grads(address(), materialize ? 1 : 0);
  }

  /**
   * Keeps an object, in place of the one that was kept, for {@link BackwardCall#state}. Tensors are
   * saved, not kept: {@link #saveForBackward}.
   */
  public void setState(Object state) {
    TenonNative.tenon_function_context_set_state(
        address(), References.add(state), Addresses.DROP_REFERENCE);
    References.drain();
  }
}
