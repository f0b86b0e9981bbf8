// SPDX-License-Identifier: Apache-2.0
// The functions of a gradient formula, which C refers to.
package dev.tenon;

/** A formula with a setup; {@code jvp} is null without forward mode. */
record Formula(String op, SetupFunction setup, BackwardFunction backwardFunction, JvpFunction jvp)
    implements BackwardFunction {
  @Override
  public Tensor[] backward(BackwardCall call) throws Exception {
    return backwardFunction.backward(call);
  }
}
