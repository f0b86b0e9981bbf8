// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor that are operator calls: views, copies, arithmetic.
package dev.tenon;

/** What {@link Tensor} does through operators; each method names its operator's semantics. */
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

  /** Returns a view of {@code start} to before {@code end} of a dim. */
  public Tensor slice(long dim, long start, long end) {
    return slice(dim, start, end, 1);
  }

  /** Returns a view of every {@code step}-th of {@code start} to before {@code end} of a dim. */
  public Tensor slice(long dim, long start, long end, long step) {
    return TensorOps.tensor("aten::slice.Tensor", self(), dim, start, end, step);
  }

  // ---- Copies ---------------------------------------------------------------------------------

  /** Returns a copy. */
  public Tensor copy() {
    return TensorOps.tensor("aten::clone", self());
  }

  /** Returns this with other elements; a copy also when nothing changes. */
  public Tensor to(DType dtype) {
    return TensorOps.op("aten::_to_copy").with("dtype", dtype).callTensor(self());
  }

  /** Returns this on another device; a copy also when nothing changes. */
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
   * Sets all elements to samples of the uniform distribution from {@code low} up to {@code high},
   * {@code high} left out, and returns this.
   *
   * @param generator where they come from; null for the device's default
   */
  public Tensor uniform(double low, double high, Generator generator) {
    return TensorOps.draw("aten::uniform_", self(), low, high, generator);
  }

  /**
   * Sets all elements to samples of a normal distribution and returns this.
   *
   * @param generator where they come from; null for the device's default
   */
  public Tensor normal(double mean, double deviation, Generator generator) {
    return TensorOps.draw("aten::normal_", self(), mean, deviation, generator);
  }

  // ---- Arithmetic -----------------------------------------------------------------------------

  /** Adds into this tensor and returns it. */
  public Tensor addInPlace(Tensor other) {
    return TensorOps.inPlace("aten::add_.Tensor", self(), other);
  }
}
