// SPDX-License-Identifier: Apache-2.0
// Custom functions with forward and backward.
package dev.tenon;

/**
 * A function with a custom gradient, regardless of the operators that it calls. Each call is
 * recorded as one node. {@link Autograd#function} makes it callable, from Java and from any other
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
 * <p>Arguments, and tensors of a {@link BackwardCall}, are views that end with the call, as in a
 * {@link Kernel}. Exceptions are propagated unchanged.
 */
public interface AutogradFunction {
  /**
   * Computes the result, without recording.
   *
   * @return a tensor, a Tensor[], an Object[] whose tensors are outputs, or any other value, which
   *     has no gradient
   */
  Object forward(FunctionContext ctx, Object[] args) throws Exception;

  /**
   * Runs after forward, also without recording, and saves what backward needs, so that forward does
   * not have to.
   *
   * @param output the result of forward
   */
  default void setupContext(FunctionContext ctx, Object[] args, Object output) throws Exception {}

  /**
   * Computes the outputs' tangents from those of the inputs in forward mode, right after forward.
   * If an output is a view of an input, its tangent must be a view of the input's tangent.
   *
   * @return a tangent for each output, null for none
   * @throws TenonException NOT_SUPPORTED if the function has no jvp
   */
  default Tensor[] jvp(JvpCall call) throws Exception {
    throw new TenonException(
        ErrorCode.NOT_SUPPORTED,
        name()
            + ": function must have a jvp to be used in forward mode, got none for inputs with"
            + " tangents");
  }

  /**
   * Computes gradients. The arguments are the inputs of the call, and the parts of the result its
   * outputs.
   *
   * @return a gradient for each argument, null for none
   */
  Tensor[] backward(BackwardCall call) throws Exception;

  /** Returns the name in errors. Nodes have this name with "Backward" appended. */
  default String name() {
    String name = getClass().getSimpleName();
    return name.isEmpty() ? "Function" : name;
  }

  /** Returns true if gradients cannot be differentiated again. */
  default boolean isOnceDifferentiable() {
    return false;
  }
}
