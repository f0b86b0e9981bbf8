// SPDX-License-Identifier: Apache-2.0
// The argument of jvp in functions and formulas.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_LANGUAGE_JAVA;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * A call in forward mode, after it ran. It has the tangents of its inputs; the jvp computes those
 * of its outputs. Inputs and outputs are as in a {@link BackwardCall}. Tangents are views that end
 * with it.
 */
public final class JvpCall {
  private final CallFrame frame;
  private final String name;
  private final Object[] tangents;
  private long context;

  private JvpCall(CallFrame frame, String name, long subject) {
    this.frame = frame;
    this.name = name;
    context = Memory.getLong(subject);
    int count = (int) TenonNative.tenon_function_context_input_count(context);
    tangents = Values.readAll(frame, Memory.getLong(subject + 8), count, Values.BORROW);
  }

  /**
   * Runs a jvp. The subject contains the native context, the tangents, and room for the outputs'
   * tangents.
   */
  static void run(CallFrame frame, Object self, long subject, int guards) throws Exception {
    boolean isFunction = self instanceof AutogradFunction;
    String name = isFunction ? ((AutogradFunction) self).name() : ((Formula) self).op();
    JvpFunction jvp = isFunction ? ((AutogradFunction) self)::jvp : ((Formula) self).jvp();
    JvpCall call = new JvpCall(frame, name, subject);
    int count = call.outputCount();
    try {
      Tensor[] given = jvp.jvp(call);
      frame.checkGuards(guards, name);
      if (given == null || given.length != count) {
        throw TenonException.value(
            name,
            "tangents",
            count + ", one for each output",
            given == null ? "null" : given.length + "");
      }
      long out = Memory.getLong(subject + 16);
      for (int i = 0; i < count; i++) {
        if (given[i] != null) {
          Signature.ANY.writeOwned(frame, out + (long) i * Structs.VALUE_SIZE, given[i]);
        }
      }
    } finally {
      call.context = 0;
    }
  }

  private long context() {
    if (context == 0) {
      throw new IllegalStateException("JvpCall: must be in jvp, got one that ended");
    }
    return context;
  }

  /** Returns the number of inputs of the call. */
  public int inputCount() {
    return tangents.length;
  }

  /** Returns the number of outputs of the call. */
  public int outputCount() {
    return (int) TenonNative.tenon_function_context_output_count(context());
  }

  /**
   * Returns the tangent of an input. If it has none, returns zeros, or null after {@link
   * FunctionContext#setMaterializeGrads} was set to false, and for an input that cannot have a
   * tangent.
   *
   * @throws TenonException INDEX for an input that does not exist
   */
  public Tensor tangent(int input) {
    if (input < 0 || input >= tangents.length) {
      String text = name + ": input must be below " + tangents.length + ", got " + input;
      throw new TenonException(ErrorCode.INDEX, text);
    }
    return (Tensor) tangents[input];
  }

  /**
   * Returns a value that forward or setup saved. Tensors are new references.
   *
   * @throws TenonException INDEX for a value that was not saved, STATE for a tensor that was
   *     written since
   */
  public Object saved(int index) {
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      Errors.check(TenonNative.tenon_function_context_copy_saved(context(), index, out));
      try {
        return Values.read(frame, out, Values.TAKE);
      } finally {
        TenonNative.tenon_value_clear(out);
      }
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns a tensor that forward or setup saved; null for an absent optional.
   *
   * @throws TenonException as {@link #saved}; TYPE for a value that is no tensor
   */
  public Tensor savedTensor(int index) {
    Object value = saved(index);
    if (value != null && !(value instanceof Tensor)) {
      throw TenonException.type(name, "saved value " + index, "Tensor", Values.typeName(value));
    }
    return (Tensor) value;
  }

  /** Returns the object that was kept with {@link FunctionContext#setState}, or null. */
  public Object state() {
    long kept = TenonNative.tenon_function_context_state(context(), TENON_LANGUAGE_JAVA);
    return kept == 0 ? null : References.at(kept);
  }
}
