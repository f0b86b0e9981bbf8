// SPDX-License-Identifier: Apache-2.0
// Backward passes.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Gradients of tensors with respect to tensors, recorded while operators run.
 *
 * <pre>{@code
 * Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad(true);
 * x.mul(x).sum().backward();
 * x.grad();                                              // 4, 6
 * }</pre>
 *
 * <p>{@link GradMode} controls what is recorded. {@link Library#registerAutograd} registers
 * gradients of operators. Formulas run on the calling thread, and their exceptions are thrown here
 * unchanged.
 */
public final class Autograd {
  private Autograd() {}

  /**
   * Runs a backward pass: adds the gradients of tensors, each of one element, to those of the
   * leaves. The first error stops it; gradients that were added before remain.
   *
   * @throws TenonException INVALID_ARGUMENT for a tensor with more than one element; STATE for
   *     tensors that do not require grad, a graph that was freed, and saved tensors that were
   *     written since
   */
  public static void backward(Tensor... tensors) {
    backward(BackwardOptions.of(), tensors);
  }

  /**
   * Runs a backward pass with options.
   *
   * @throws TenonException also INVALID_ARGUMENT for gradients of other sizes or a wrong number of
   *     them, and for inputs that are empty; STATE for inputs that do not require grad
   */
  public static void backward(BackwardOptions options, Tensor... tensors) {
    if (options.inputs != null && options.inputs.length == 0) {
      throw TenonException.value(
          "Autograd.backward", "inputs", "one leaf or more, or left out for all leaves", "none");
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long raw = write(frame, "Autograd.backward", options, tensors, options.leaves());
      Errors.check(TenonNative.tenon_backward(raw));
    } finally {
      fence(options, tensors);
      frame.reset(mark);
      References.drain();
    }
  }

  /** Returns the gradients of inputs of one output, without changing those of leaves. */
  public static Tensor[] grad(Tensor output, Tensor... inputs) {
    return grad(BackwardOptions.of(), new Tensor[] {output}, inputs);
  }

  /**
   * Returns the gradients of inputs, without changing those of leaves.
   *
   * @return one for each input; null only if the options allow unused inputs
   * @throws TenonException as {@link #backward(BackwardOptions, Tensor...)}; STATE for inputs that
   *     do not require grad, or that no output depends on
   */
  public static Tensor[] grad(BackwardOptions options, Tensor[] outputs, Tensor... inputs) {
    if (options.inputs != null) {
      throw TenonException.value(
          "Autograd.grad", "inputs", "given as an argument only", "them as an option, too");
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long raw = write(frame, "Autograd.grad", options, outputs, inputs);
      long out = frame.allocate(inputs.length * 8L);
      Errors.check(TenonNative.tenon_grad(raw, out));
      Tensor[] grads = new Tensor[inputs.length];
      for (int i = 0; i < grads.length; i++) {
        grads[i] = Tensor.ownOrNull(frame, Memory.getLong(out + i * 8L));
      }
      return grads;
    } finally {
      fence(options, outputs);
      frame.reset(mark);
      References.drain();
    }
  }

  /**
   * Makes a callable function with a custom gradient, which can also be passed to operators and
   * other languages. It is closed by its owner, by the open {@link Scope}, or otherwise by a
   * cleaner.
   */
  public static ForeignObject function(AutogradFunction function) {
    Bridge.open();
    String name = function.name();
    boolean once = function.isOnceDifferentiable();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long type = frame.allocate(Structs.FUNCTION_TYPE_SIZE);
      Memory.zero(type, Structs.FUNCTION_TYPE_SIZE);
      Memory.putInt(type, Structs.FUNCTION_TYPE_SIZE);
      Memory.putInt(
          type + Structs.FUNCTION_TYPE_FLAGS, once ? TENON_FUNCTION_ONCE_DIFFERENTIABLE : 0);
      Memory.putLong(type + Structs.FUNCTION_TYPE_NAME, frame.text(name));
      Memory.putLong(type + Structs.FUNCTION_TYPE_FORWARD, Addresses.CALL_FORWARD);
      Memory.putLong(type + Structs.FUNCTION_TYPE_BACKWARD, Addresses.CALL_FUNCTION_BACKWARD);
      Memory.putLong(type + Structs.FUNCTION_TYPE_JVP, Addresses.CALL_JVP);
      Memory.putLong(type + Structs.FUNCTION_TYPE_DELETER, Addresses.DROP_REFERENCE);
      Memory.putInt(type + Structs.FUNCTION_TYPE_LANGUAGE, TENON_LANGUAGE_JAVA);
      long out = frame.allocate(8);
      // C owns the reference from here on, also on failure.
      Memory.putLong(type + Structs.FUNCTION_TYPE_CTX, References.add(function));
      Errors.check(TenonNative.tenon_function_new(type, out));
      return ForeignObject.own(frame, Memory.getLong(out), true);
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  /**
   * Runs a task once the backward pass that runs on the calling thread has run all its nodes. If
   * the pass fails before that, the task does not run. Hooks and formulas call this function.
   *
   * @throws TenonException STATE if no pass runs
   */
  public static void whenDone(Runnable task) {
    Objects.requireNonNull(task, "task");
    Bridge.open();
    Errors.check(
        TenonNative.tenon_backward_when_done(
            Addresses.CALL_DONE, References.add(task), Addresses.DROP_REFERENCE));
  }

  private static void fence(BackwardOptions options, Tensor[] tensors) {
    Reference.reachabilityFence(options);
    Reference.reachabilityFence(tensors);
  }

  private static long write(
      CallFrame frame, String function, BackwardOptions options, Tensor[] outputs, Tensor[] ends) {
    Tensor[] grads = options.gradTensors;
    if (grads != null && grads.length != outputs.length) {
      throw TenonException.value(
          function, "gradTensors", outputs.length + ", one for each output", grads.length + "");
    }
    long raw = frame.allocate(Structs.BACKWARD_OPTIONS_SIZE);
    Memory.zero(raw, Structs.BACKWARD_OPTIONS_SIZE);
    Memory.putInt(raw, Structs.BACKWARD_OPTIONS_SIZE);
    Memory.putInt(raw + Structs.BACKWARD_OPTIONS_FLAGS, options.flags);
    Memory.putLong(raw + Structs.BACKWARD_OPTIONS_OUTPUTS, handles(frame, outputs));
    Memory.putLong(
        raw + Structs.BACKWARD_OPTIONS_GRADS, grads == null ? 0 : handles(frame, grads));
    Memory.putLong(raw + Structs.BACKWARD_OPTIONS_INPUTS, handles(frame, ends));
    Memory.putLong(raw + Structs.BACKWARD_OPTIONS_NOUTPUTS, outputs.length);
    Memory.putLong(raw + Structs.BACKWARD_OPTIONS_NINPUTS, ends.length);
    return raw;
  }

  // C refuses null where a tensor is required.
  private static long handles(CallFrame frame, Tensor[] tensors) {
    long data = frame.allocate(tensors.length * 8L);
    for (int i = 0; i < tensors.length; i++) {
      Memory.putLong(data + i * 8L, tensors[i] == null ? 0 : tensors[i].address());
    }
    return data;
  }
}
