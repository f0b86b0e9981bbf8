// SPDX-License-Identifier: Apache-2.0
// Functions with gradients of their own.
package dev.tenon;

/**
 * A function with a gradient of its own, whatever operators it calls: each call is recorded as one
 * node. {@link Autograd#function} makes one that can be called, from Java and from any other
 * language.
 *
 * <pre>{@code
 * final class Cube implements AutogradFunction {
 *   public Object forward(FunctionContext ctx, Object[] args) {
 *     Tensor x = (Tensor) args[0];
 *     ctx.saveForBackward(x);
 *     return x.mul(x).mul(x);
 *   }
 *
 *   public Tensor[] backward(BackwardCall call) {
 *     Tensor x = call.savedTensor(0);
 *     return new Tensor[] {call.grad(0).mul(x).mul(x).mul(3)};
 *   }
 * }
 *
 * ForeignObject cube = Autograd.function(new Cube());
 * Tensor y = (Tensor) cube.call(x);
 * }</pre>
 *
 * <p>Arguments and what {@link BackwardCall} gives are views that end with the call, as a {@link
 * Kernel}'s. Whatever is thrown comes home as the same object.
 */
public interface AutogradFunction {
  /**
   * Computes the result, without recording.
   *
   * @return a tensor, a Tensor[], an Object[] whose tensors are outputs, or anything else, which
   *     has no gradient
   */
  Object forward(FunctionContext ctx, Object[] args) throws Exception;

  /**
   * Runs after forward, without recording too: says what is kept for backward where forward is to
   * be free of that.
   *
   * @param output what forward returned
   */
  default void setupContext(FunctionContext ctx, Object[] args, Object output) throws Exception {}

  /**
   * Forward mode: computes the outputs' tangents from those of the inputs, right after forward.
   * Where an output is a view of an input, its tangent is a view of that one's.
   *
   * @return a tangent for each output, null for none
   * @throws TenonException NOT_SUPPORTED where a function has none
   */
  default Tensor[] jvp(JvpCall call) throws Exception {
    throw new TenonException(
        ErrorCode.NOT_SUPPORTED,
        name()
            + ": function must have a jvp to be used in forward mode, got none for inputs with"
            + " tangents");
  }

  /**
   * Computes gradients. Arguments are the call's inputs, the parts of the result its outputs.
   *
   * @return a gradient for each argument, null for none
   */
  Tensor[] backward(BackwardCall call) throws Exception;

  /** What errors call it, and nodes with "Backward" behind it. */
  default String name() {
    String name = getClass().getSimpleName();
    return name.isEmpty() ? "Function" : name;
  }

  /** Tells whether a gradient must not be derived again. */
  default boolean isOnceDifferentiable() {
    return false;
  }
}
