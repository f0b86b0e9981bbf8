// SPDX-License-Identifier: Apache-2.0
// Operators that are looked up on first use.
package dev.tenon;

/**
 * An operator that is looked up by its name on first use, for a {@code static final} field.
 *
 * <pre>{@code
 * private static final LazyOp ADD = new LazyOp("aten::add.Tensor");
 * Tensor sum = ADD.get().callTensor(a, b);
 * }</pre>
 */
public final class LazyOp {
  private final String name;
  // Needs no lock: all threads find the same operator.
  private Op found;

  /** Stores the operator's name. Nothing is looked up yet. */
  public LazyOp(String name) {
    this.name = name;
  }

  /**
   * Returns the operator.
   *
   * @throws TenonException NOT_FOUND as {@link Operators#find}; the next call repeats the lookup
   */
  public Op get() {
    Op op = found;
    return op != null ? op : find();
  }

  private Op find() {
    return found = Operators.find(name);
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
