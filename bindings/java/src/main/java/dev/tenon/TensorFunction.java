// SPDX-License-Identifier: Apache-2.0
// Functions of tensors, for transforms.
package dev.tenon;

/**
 * A function of tensors, for {@link Func}. A lambda captures values that are no tensors or that
 * should be constant.
 *
 * <pre>{@code
 * TensorFunction square = x -> x[0].mul(x[0]);
 * Tensor y = square.call(a);
 * }</pre>
 */
@FunctionalInterface
public interface TensorFunction {
  /**
   * Computes the result. In a transform the arguments are views that end with the call.
   *
   * @return a tensor, or a Tensor[]
   */
  Object apply(Tensor... args) throws Exception;

  /**
   * Calls the function. Its exceptions are propagated unchanged.
   *
   * @throws TenonException TYPE if its result is not one tensor
   */
  default Tensor call(Tensor... args) {
    Tensor[] results = callAll(args);
    if (results.length != 1) {
      throw TenonException.type(
          "TensorFunction.call", "result", "one Tensor", results.length + " of them");
    }
    return results[0];
  }

  /**
   * Calls a function with any number of results.
   *
   * @throws TenonException TYPE if its result is neither a tensor nor a Tensor[]
   */
  default Tensor[] callAll(Tensor... args) {
    Object result;
    try {
      result = apply(args);
    } catch (Exception e) {
      throw Errors.sneak(e);
    }
    return Func.tensors("TensorFunction.call", result);
  }
}
