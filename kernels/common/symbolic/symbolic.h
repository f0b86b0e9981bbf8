// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes in operators: a rule that serves calls with symbols instead of the routine.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/symbolic/symbolic_size.h"

namespace tenon::kernels {

// Returns the rule of one form of an operator; NULL if it needs concrete sizes.
SymbolicRule symbolic_rule(const Facts& facts, Forms form);

// Like boxed_entry(), for forms with a rule: calls with symbols go to the rule.
tenon_status symbolic_entry(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

// A tensor whose sizes and strides are read as words of symbol.h.
struct SymbolicTensor {
  tenon_tensor_info info;

  explicit SymbolicTensor(const tenon_tensor* tensor) {
    tenon_tensor_describe_words(tensor, &info);
  }
  int64_t ndim() const { return info.ndim; }
  SymbolicSizes sizes() const { return symbolic(info.sizes, info.ndim); }
  SymbolicSizes strides() const { return symbolic(info.strides, info.ndim); }
  SymbolicSize numel() const { return SymbolicSize::of_word(info.numel); }
  SymbolicSize offset() const { return SymbolicSize::of_word(info.storage_offset); }
  bool is_contiguous() const { return (info.flags & TENON_TENSOR_CONTIGUOUS) != 0; }
};

// Read an argument: an int or SymInt, or an int list. Numbers below -2^62 are refused.
SymbolicSize size_argument(const Call& call, int k);
SymbolicDims sizes_argument(const Call& call, int k);
// Reads an index that the caller clamps to the size of a dim: numbers below -2^62 become -2^62.
SymbolicSize clamped_argument(const Call& call, int k);

// Makes a tensor with the dtype and device of `like`; NULL `strides` mean row-major.
Tensor new_symbolic(const Tensor& like, const SymbolicDims& sizes,
                    const SymbolicDims* strides = nullptr);
// Makes a dense tensor whose dims have the same order in memory as those of `shape` ("preserve
// format").
Tensor new_symbolic_like(const Tensor& like, const SymbolicTensor& shape);

}  // namespace tenon::kernels
