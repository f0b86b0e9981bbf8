// SPDX-License-Identifier: Apache-2.0
// The argument of a gradient formula.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_LANGUAGE_JAVA;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * A node that is run backward. Its tensors are views that end with the call, as arguments of a
 * {@link Kernel} do.
 *
 * <p>Inputs are the operator's tensor arguments in order, with elements of lists counted
 * separately. Outputs are its tensor results, counted in the same way.
 */
public final class BackwardCall {
  private final Node node;
  private final Tensor[] grads;
  private final Object[] saved;
  private final boolean[] needs;
  private final Object state;

  private BackwardCall(CallFrame frame, long at) {
    node = Node.retain(frame, Memory.getLong(at));
    int outputs = (int) Memory.getLong(at + Structs.BACKWARD_CALL_NOUTPUTS);
    grads =
        Values.borrowTensors(frame, Memory.getLong(at + Structs.BACKWARD_CALL_GRADS), outputs);
    int count = (int) Memory.getLong(at + Structs.BACKWARD_CALL_NSAVED);
    long values = Memory.getLong(at + Structs.BACKWARD_CALL_SAVED);
    saved = Values.readAll(frame, values, count, Values.BORROW);
    needs = new boolean[(int) Memory.getLong(at + Structs.BACKWARD_CALL_NINPUTS)];
    long bytes = Memory.getLong(at + Structs.BACKWARD_CALL_NEEDS);
    for (int i = 0; i < needs.length; i++) {
      needs[i] = Memory.getByte(bytes + i) != 0;
    }
    long context = Memory.getLong(at + Structs.BACKWARD_CALL_CONTEXT);
    long kept =
        context == 0
            ? 0
            : TenonNative.tenon_function_context_state(context, TENON_LANGUAGE_JAVA);
    state = kept == 0 ? null : References.at(kept);
  }

  /** Runs a formula on the native call at an address and writes its gradients there. */
  static void run(CallFrame frame, BackwardFunction function, long at, int guards)
      throws Exception {
    BackwardCall call = new BackwardCall(frame, at);
    String name = call.node.name();
    Tensor[] grads = function.backward(call);
    frame.checkGuards(guards, name);
    int count = call.needs.length;
    if (grads == null || grads.length != count) {
      throw TenonException.value(
          name,
          "gradients",
          count + ", one for each input",
          grads == null ? "null" : grads.length + "");
    }
    Values.giveTensors(Memory.getLong(at + Structs.BACKWARD_CALL_OUT_GRADS), grads);
  }

  /** Returns the node. */
  public Node node() {
    return node;
  }

  /**
   * Returns the gradients of the outputs. Missing ones are zeros, or null if an output has none.
   */
  public Tensor[] grads() {
    return grads.clone();
  }

  /**
   * Returns the gradient of an output, or null if it cannot have one, such as an integer output.
   *
   * @throws TenonException INDEX for an output that does not exist
   */
  public Tensor grad(int output) {
    return grads[checked("output", output, grads.length)];
  }

  /** Returns the saved values, as the objects that a kernel receives. */
  public Object[] saved() {
    return saved.clone();
  }

  /**
   * Returns a saved value.
   *
   * @throws TenonException INDEX for a value that was not saved
   */
  public Object saved(int index) {
    return saved[checked("saved value", index, saved.length)];
  }

  /**
   * Returns a saved tensor; null for an absent optional.
   *
   * @throws TenonException INDEX for a value that was not saved, TYPE for one that is no tensor
   */
  public Tensor savedTensor(int index) {
    Object value = saved(index);
    if (value != null && !(value instanceof Tensor)) {
      throw TenonException.type(
          node.name(), "saved value " + index, "Tensor", Values.typeName(value));
    }
    return (Tensor) value;
  }

  /** Returns the object that forward kept with {@link FunctionContext#setState}, or null. */
  public Object state() {
    return state;
  }

  /** Returns the number of inputs of the operator. */
  public int inputCount() {
    return needs.length;
  }

  /** Returns true if the gradient of an input is needed. */
  public boolean needs(int input) {
    return needs[checked("input", input, needs.length)];
  }

  private int checked(String what, int index, int count) {
    if (index < 0 || index >= count) {
      String text = what + " must be below " + count + ", got " + index;
      throw new TenonException(ErrorCode.INDEX, node.name() + ": " + text);
    }
    return index;
  }
}
