// SPDX-License-Identifier: Apache-2.0
// The functions of one gradient formula, as C refers to them.
package dev.tenon;

/** A formula that looks at calls; {@code jvp} is null without forward mode. */
record Formula(String op, SetupFunction setup, BackwardFunction backwardFunction, JvpFunction jvp)
    implements BackwardFunction {
  @Override
  public Tensor[] backward(BackwardCall call) throws Exception {
    return backwardFunction.backward(call);
  }
}
