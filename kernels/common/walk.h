// SPDX-License-Identifier: Apache-2.0
// Walk: joint iteration over tensors of one broadcast shape, with adjacent dims merged, so that
// kernels only write the innermost loop.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// The innermost loop of a kernel: `data[k] + i * strides[k]` bytes is element i of operand k.
// `ctx` is what the caller of Walk::run passed (numbers such as alpha).
using Loop = void (*)(char* const* data, const int64_t* strides, int64_t count, const void* ctx);

class Walk {
 public:
  static constexpr int kAnyOperands = 0;

  // Leaves everything but the numbers of dims and operands uninitialized until begin() or flat().
  Walk() {}
  // Copies only the dims and operands in use; the whole object has 4 KiB.
  Walk(const Walk& other) { copy(other); }
  Walk& operator=(const Walk& other) {
    if (this != &other) copy(other);
    return *this;
  }

  // Starts a walk with one dim: all operands are contiguous and of one shape.
  void flat(int64_t numel, int operands) {
    ndim_ = 1;
    operands_ = operands;
    numel_ = numel;
    sizes_[0] = numel;
  }
  // Starts a walk with several dims, innermost first, as ordered by order_dims(). set() adds each
  // operand.
  void begin(Sizes sizes, const int64_t* perm, int operands);
  // Sets operand `k`: strides are in elements, for each dim of the walk's shape (0 if broadcast).
  void set(int k, void* data, int64_t element_size, const int64_t* strides);
  void set_flat(int k, void* data, int64_t element_size) {
    data_[k] = static_cast<char*>(data);
    strides_[0][k] = element_size;
  }
  // Merges dims that are adjacent in all operands. Call it once all operands are set.
  void coalesce();

  void set_data(int k, void* data) { data_[k] = static_cast<char*>(data); }

  int64_t numel() const { return numel_; }
  int ndim() const { return ndim_; }
  int64_t size(int dim) const { return sizes_[dim]; }
  int64_t stride(int k, int dim) const { return strides_[dim][k]; }
  char* data(int k) const { return data_[k]; }
  char* const* raw_data() const { return data_; }

  // Returns the part of the walk from index `begin` to `end` - 1 of one dim. `base` holds the
  // address of each operand's first element; those of the part are stored in `out_base`.
  Walk range(int dim, int64_t begin, int64_t end, char* const* base, char** out_base) const {
    Walk part(*this);
    part.numel_ = numel_ / sizes_[dim] * (end - begin);
    part.sizes_[dim] = end - begin;
    for (int k = 0; k < operands_; ++k) {
      out_base[k] = part.data_[k] = base[k] + begin * strides_[dim][k];
    }
    return part;
  }

  // Runs the loop over all elements.
  void run(Loop loop, const void* ctx) const {
    if (ndim_ == 1 && numel_ != 0) [[likely]] {
      loop(data_, strides_[0], numel_, ctx);
    } else {
      run_rows(loop, ctx);
    }
  }

  // Calls `row(data)` for the start of each innermost row, beginning at `base`. Unlike run(), it
  // serves loops that keep state from row to row.
  //
  // kOperands is the number of operands, or kAnyOperands if only the walk knows it. A caller that
  // knows the number passes it: `base` and `data` then have a size that the compiler sees.
  template <int kOperands, class Row>
  void rows(char* const* base, Row&& row) const {
    steps<1, kOperands>(base, row);
  }
  // Like rows(), but iterates over the dims from kFrom on; `step(data)` loops over the inner dims.
  template <int kFrom, int kOperands, class Step>
  void steps(char* const* base, Step&& step) const;

 private:
  void run_rows(Loop loop, const void* ctx) const;

  void copy(const Walk& other) {
    ndim_ = other.ndim_;
    operands_ = other.operands_;
    numel_ = other.numel_;
    std::copy_n(other.sizes_, ndim_, sizes_);
    std::copy_n(other.perm_, ndim_, perm_);
    std::copy_n(other.data_, operands_, data_);
    for (int d = 0; d < ndim_; ++d) std::copy_n(other.strides_[d], operands_, strides_[d]);
  }

  int ndim_ = 0;
  int operands_ = 0;
  int64_t numel_;
  int64_t sizes_[kMaxDims];
  int64_t perm_[kMaxDims];
  char* data_[kMaxOperands];
  int64_t strides_[kMaxDims][kMaxOperands];  // in bytes
};

template <int kFrom, int kOperands, class Step>
void Walk::steps(char* const* base, Step&& step) const {
  if (numel_ == 0) return;
  const int operands = kOperands == kAnyOperands ? operands_ : kOperands;
  char* data[kOperands == kAnyOperands ? kMaxOperands : kOperands];
  for (int k = 0; k < operands; ++k) data[k] = base[k];
  if (ndim_ <= kFrom) {
    step(static_cast<char* const*>(data));
    return;
  }
  int64_t counter[kMaxDims];
  std::fill_n(counter, ndim_, int64_t{0});
  for (;;) {
    step(static_cast<char* const*>(data));
    int d = kFrom;
    for (; d < ndim_; ++d) {
      if (++counter[d] < sizes_[d]) {
        for (int k = 0; k < operands; ++k) data[k] += strides_[d][k];
        break;
      }
      for (int k = 0; k < operands; ++k) data[k] -= strides_[d][k] * (sizes_[d] - 1);
      counter[d] = 0;
    }
    if (d == ndim_) return;
  }
}

// Computes the strides of an operand in the broadcast shape: 0 for expanded dims.
void broadcast_strides(Sizes shape, Sizes sizes, Sizes strides, int64_t* out_strides);

}  // namespace tenon::kernels
