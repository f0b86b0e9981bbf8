// SPDX-License-Identifier: Apache-2.0
// What operators do with symbolic sizes: a rule beside the routine that plain sizes go to.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/symbolic/symbolic_size.h"

namespace tenon::kernels {

// The rule of one form of an operator; NULL: it gets numbers.
SymbolicRule symbolic_rule(const Facts& facts, Forms form);

// As boxed_entry, of forms with a rule, which calls with symbols go to.
tenon_status symbolic_entry(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

// A tensor as rules see it: words for sizes.
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

// Reads an argument: an int or SymInt, and an int list. Refuses numbers below -2^62.
SymbolicSize size_argument(const Call& call, int k);
SymbolicDims sizes_argument(const Call& call, int k);
// Reads an index that its reader clamps to the size of a dim: numbers below -2^62 become -2^62.
SymbolicSize clamped_argument(const Call& call, int k);

// A new tensor of a stand-in's dtype and device; `strides` NULL is row-major.
Tensor new_symbolic(const Tensor& like, const SymbolicDims& sizes,
                    const SymbolicDims* strides = nullptr);
// Strides of a dense tensor whose dims lie in the order of a tensor's: "preserve format".
Tensor new_symbolic_like(const Tensor& like, const SymbolicTensor& shape);

}  // namespace tenon::kernels
