// SPDX-License-Identifier: Apache-2.0
// The argument of override handlers.
package dev.tenon;

/**
 * A call that an {@link Overriding} or {@link Dispatching} object handles. To continue the call,
 * the handler unwraps its objects and calls the operator again.
 */
public final class Overridden {
  /** Returned by a handler that does not handle the call: the next mode or class is tried. */
  public static final Object DECLINED =
      new Object() {
        @Override
        public String toString() {
          return "DECLINED";
        }
      };

  private final Op op;
  private final DispatchKeySet keys;
  private final Object[] args;

  Overridden(Op op, DispatchKeySet keys, Object[] args) {
    this.op = op;
    this.keys = keys;
    this.args = args;
  }

  /** Returns the operator. */
  public Op op() {
    return op;
  }

  /** Returns the key set that the call was dispatched with. */
  public DispatchKeySet keys() {
    return keys;
  }

  /** Returns all arguments in schema order. The handler may modify the array. */
  public Object[] args() {
    return args;
  }

  /** Calls the operator again with these arguments, complete and in schema order. */
  public Object callWith(Object... arguments) {
    return Op.unwrap(op.callBoxed(arguments));
  }
}
