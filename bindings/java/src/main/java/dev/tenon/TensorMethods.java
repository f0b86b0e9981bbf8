// SPDX-License-Identifier: Apache-2.0
// The methods of Tensor that are operator calls: views, copies, arithmetic.
package dev.tenon;

/** What {@link Tensor} does through operators; each method names its operator's semantics. */
abstract class TensorMethods extends NativeHandle {
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

  /** Returns a view with other sizes; -1 stands for what is left. */
  public Tensor view(long... sizes) {
    return TensorOps.tensor("aten::view", self(), sizes);
  }

  /** Returns a view with other sizes, or a copy where there is none. */
  public Tensor reshape(long... sizes) {
    return TensorOps.tensor("aten::reshape", self(), sizes);
  }

  /** Returns a view with two dims exchanged. */
  public Tensor transpose(long dim0, long dim1) {
    return TensorOps.tensor("aten::transpose.int", self(), dim0, dim1);
  }

  /** Returns a view with the dims in another order. */
  public Tensor permute(long... dims) {
    return TensorOps.tensor("aten::permute", self(), dims);
  }

  /** Returns a view that repeats dims of size 1. */
  public Tensor expand(long... sizes) {
    return TensorOps.tensor("aten::expand", self(), sizes);
  }

  /** Returns a view with a dim of size 1 more. */
  public Tensor unsqueeze(long dim) {
    return TensorOps.tensor("aten::unsqueeze", self(), dim);
  }

  /** Returns a view without a dim of size 1. */
  public Tensor squeeze(long dim) {
    return TensorOps.tensor("aten::squeeze.dim", self(), dim);
  }

  /** Returns a view of {@code start} to before {@code end} of a dim. */
  public Tensor slice(long dim, long start, long end) {
    return slice(dim, start, end, 1);
  }

  /** Returns a view of every {@code step}-th of {@code start} to before {@code end} of a dim. */
  public Tensor slice(long dim, long start, long end, long step) {
    return TensorOps.tensor("aten::slice.Tensor", self(), dim, start, end, step);
  }

  /** Returns a view of one place in a dim, without that dim. */
  public Tensor select(long dim, long index) {
    return TensorOps.tensor("aten::select.int", self(), dim, index);
  }

  /** Returns a view apart from autograd. */
  public Tensor detach() {
    return TensorOps.tensor("aten::detach", self());
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

  /** Adds elementwise, with broadcasting and type promotion. */
  public Tensor add(Tensor other) {
    return TensorOps.tensor("aten::add.Tensor", self(), other);
  }

  /** Adds a number. */
  public Tensor add(Number other) {
    return TensorOps.tensor("aten::add.Scalar", self(), other);
  }

  /** Adds into this tensor and returns it. */
  public Tensor addInPlace(Tensor other) {
    return TensorOps.inPlace("aten::add_.Tensor", self(), other);
  }

  /** Subtracts elementwise. */
  public Tensor sub(Tensor other) {
    return TensorOps.tensor("aten::sub.Tensor", self(), other);
  }

  /** Subtracts a number. */
  public Tensor sub(Number other) {
    return TensorOps.withNumber("aten::sub.Tensor", self(), other);
  }

  /** Multiplies elementwise. */
  public Tensor mul(Tensor other) {
    return TensorOps.tensor("aten::mul.Tensor", self(), other);
  }

  /** Multiplies by a number. */
  public Tensor mul(Number other) {
    return TensorOps.tensor("aten::mul.Scalar", self(), other);
  }

  /** Divides elementwise. */
  public Tensor div(Tensor other) {
    return TensorOps.tensor("aten::div.Tensor", self(), other);
  }

  /** Divides by a number. */
  public Tensor div(Number other) {
    return TensorOps.withNumber("aten::div.Tensor", self(), other);
  }

  /** Multiplies matrices, or stacks of them. */
  public Tensor matmul(Tensor other) {
    return TensorOps.tensor("aten::matmul", self(), other);
  }

  /** Negates. */
  public Tensor neg() {
    return TensorOps.tensor("aten::neg", self());
  }

  /** Takes absolute values. */
  public Tensor abs() {
    return TensorOps.tensor("aten::abs", self());
  }

  /** Takes e to the power of each element. */
  public Tensor exp() {
    return TensorOps.tensor("aten::exp", self());
  }

  /** Takes natural logarithms. */
  public Tensor log() {
    return TensorOps.tensor("aten::log", self());
  }

  /** Takes square roots. */
  public Tensor sqrt() {
    return TensorOps.tensor("aten::sqrt", self());
  }

  /** Replaces negative elements by 0. */
  public Tensor relu() {
    return TensorOps.tensor("aten::relu", self());
  }

  /** Sums all elements. */
  public Tensor sum() {
    return TensorOps.tensor("aten::sum", self());
  }

  /** Sums over dims. */
  public Tensor sum(long[] dims, boolean keepDim) {
    return TensorOps.tensor("aten::sum.dim_IntList", self(), dims, keepDim);
  }

  /** Takes the mean over dims. */
  public Tensor mean(long[] dims, boolean keepDim) {
    return TensorOps.tensor("aten::mean.dim", self(), dims, keepDim);
  }

  /** Tells elementwise what is equal. */
  public Tensor eq(Tensor other) {
    return TensorOps.tensor("aten::eq.Tensor", self(), other);
  }
}
