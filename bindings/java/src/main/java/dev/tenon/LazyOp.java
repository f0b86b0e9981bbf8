// SPDX-License-Identifier: Apache-2.0
// Operators that are found when they are first called.
package dev.tenon;

/**
 * An operator that is found by its name at its first call, for a {@code static final} field.
 *
 * <pre>{@code
 * private static final LazyOp ADD = new LazyOp("aten::add.Tensor");
 * Tensor sum = ADD.get().callTensor(a, b);
 * }</pre>
 */
public final class LazyOp {
  private final String name;
  // Without a lock: every thread that finds it finds the same.
  private Op found;

  /** Names the operator; nothing is looked up yet. */
  public LazyOp(String name) {
    this.name = name;
  }

  /**
   * Returns the operator.
   *
   * @throws TenonException NOT_FOUND as {@link Operators#find}; the next call looks again
   */
  public Op get() {
    Op op = found;
    return op != null ? op : find();
  }

  private Op find() {
    return found = Operators.find(name);
  }

  /** Writes the name. */
  @Override
  public String toString() {
    return name;
  }
}
