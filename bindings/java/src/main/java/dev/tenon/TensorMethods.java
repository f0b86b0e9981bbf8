// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor that call operators: views, copies, arithmetic.
package dev.tenon;

/** The operator methods of {@link Tensor}. Each has the semantics of its operator. */
abstract class TensorMethods extends AtenMethods {
  TensorMethods(long address) {
    super(address);
  }

  private Tensor self() {
    return (Tensor) this;
  }

  /** Returns the only element as Long, Double, Boolean or Complex. */
  public Object item() {
    return TensorOps.call("aten::_local_scalar_dense", self());
  }

  // ---- Views ----------------------------------------------------------------------------------

  /**
   * Returns a view of the elements from {@code start} up to, but excluding, {@code end} of a dim.
   */
  public Tensor slice(long dim, long start, long end) {
    return slice(dim, start, end, 1);
  }

  /**
   * Returns a view of every {@code step}-th element from {@code start} up to {@code end} of a dim.
   */
  public Tensor slice(long dim, long start, long end, long step) {
    return TensorOps.tensor("aten::slice.Tensor", self(), dim, start, end, step);
  }

  // ---- Copies ---------------------------------------------------------------------------------

  /** Returns a copy. */
  public Tensor copy() {
    return TensorOps.tensor("aten::clone", self());
  }

  /** Returns this tensor converted to a dtype; always a copy. */
  public Tensor to(DType dtype) {
    return TensorOps.op("aten::_to_copy").with("dtype", dtype).callTensor(self());
  }

  /** Returns this tensor on another device; always a copy. */
  public Tensor to(Device device) {
    return TensorOps.op("aten::_to_copy").with("device", device).callTensor(self());
  }

  /** Copies another tensor's elements into this one and returns it. */
  public Tensor copyFrom(Tensor source) {
    return TensorOps.inPlace("aten::copy_", self(), source);
  }

  /** Sets all elements and returns this. */
  public Tensor fill(Object number) {
    return TensorOps.inPlace("aten::fill_.Scalar", self(), number);
  }

  /**
   * Sets all elements to samples of the uniform distribution on [{@code low}, {@code high}), and
   * returns this.
   *
   * @param generator the generator to use; null for the device's default
   */
  public Tensor uniform(double low, double high, Generator generator) {
    return TensorOps.draw("aten::uniform_", self(), low, high, generator);
  }

  /**
   * Sets all elements to samples of a normal distribution and returns this.
   *
   * @param generator the generator to use; null for the device's default
   */
  public Tensor normal(double mean, double deviation, Generator generator) {
    return TensorOps.draw("aten::normal_", self(), mean, deviation, generator);
  }

  // ---- Arithmetic -----------------------------------------------------------------------------

  /** Adds another tensor to this one in place and returns it. */
  public Tensor addInPlace(Tensor other) {
    return TensorOps.inPlace("aten::add_.Tensor", self(), other);
  }
}
