// SPDX-License-Identifier: Apache-2.0
// Calls with named arguments.
package dev.tenon;

import java.util.LinkedHashMap;
import java.util.Map;

/** A call under construction: first named arguments, then the call with positional ones. */
public final class Call {
  private final Op op;
  private final Map<String, Object> named = new LinkedHashMap<>();

  Call(Op op) {
    this.op = op;
  }

  /** Adds a named argument. */
  public Call with(String argument, Object value) {
    named.put(argument, value);
    return this;
  }

  /** Calls the operator; see {@link Op#call(Object...)}. */
  public Object call(Object... args) {
    return Op.unwrap(op.callWith(args, named));
  }

  /** Calls an operator that returns one tensor. */
  public Tensor callTensor(Object... args) {
    Signature s = op.signature();
    op.requireTensor(s);
    return op.oneTensor(s, op.callWith(args, named));
  }

  /** Calls the operator and returns all results, regardless of their number. */
  public Object[] callAll(Object... args) {
    return op.callWith(args, named);
  }

  /** Explains what the call would do, without making it; see {@link Op#explain(Object...)}. */
  public String explain(Object... args) {
    return op.explainWith(args, named);
  }
}
