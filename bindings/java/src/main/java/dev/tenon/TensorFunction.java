// SPDX-License-Identifier: Apache-2.0
// Functions of tensors, which transforms take and make.
package dev.tenon;

/**
 * A function of tensors, for {@link Func}. What is not a tensor, or is to be a constant, a lambda
 * captures.
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
   * Calls the function. Whatever it throws is thrown, the same object.
   *
   * @throws TenonException TYPE where its result is not one tensor
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
   * Calls a function of any number of results.
   *
   * @throws TenonException TYPE where its result is neither a tensor nor a Tensor[]
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
