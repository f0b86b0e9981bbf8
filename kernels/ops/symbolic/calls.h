// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors as words, and calls of operators with such sizes: what composites are written
// with that serve numbers and symbols alike.
#pragma once

#include "kernels/common/symbolic/symbolic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Returns true if a number that was read of a tensor is not 0. Throws TENON_ERROR_DATA_DEPENDENT
// for a symbol whose value only a run knows, as that of an element of a fake tensor.
bool is_known_true(const Scalar& number);

SymbolicDims words_of(const Tensor& tensor);
// Of a dim from 0; 0-dim tensors count as vectors of one.
SymbolicSize word_along(const Tensor& tensor, int64_t dim);
SymbolicSize numel_word(const Tensor& tensor);
SymbolicSize product_of(SymbolicSizes sizes);
bool are_numbers(const SymbolicDims& sizes);
bool are_equal(SymbolicSizes sizes, SymbolicSizes others);
// See broadcast() in shape.h.
SymbolicDims broadcast_words(const char* op, SymbolicDims a, const SymbolicDims& b);
// Sizes with one -1 replaced so that they have as many elements.
SymbolicDims inferred_sizes(const char* op, SymbolicDims sizes, SymbolicSize numel);

Tensor call_reshape(const Tensor& self, const SymbolicDims& sizes);
Tensor call_expand(const Tensor& self, const SymbolicDims& sizes);
Tensor call_view(const Tensor& self, const SymbolicDims& sizes);
Tensor call_unsafe_view(const Tensor& self, const SymbolicDims& sizes);
Tensor call_repeat(const Tensor& self, const SymbolicDims& repeats);
Tensor call_roll(const Tensor& self, const SymbolicDims& shifts, Sizes dims);
// Arguments of words; borrowed.
tenon_value size_value(SymbolicSize size);
tenon_value sizes_value(const SymbolicDims& sizes);
Tensor call_gather_backward(const Tensor& grad, const SymbolicDims& sizes, int64_t dim,
                            const Tensor& index);
// Any operator of one result, with all of its arguments.
Tensor call_boxed(const char* name, tenon_value* args, uint32_t count);
Tensor call_slice(const Tensor& self, int64_t dim, SymbolicSize start, SymbolicSize end);
Tensor call_empty_of_words(const SymbolicDims& sizes, const FactoryOptions& options);

// above / below as floats divide, and a tensor times what that is.
Value quotient_of(SymbolicSize above, SymbolicSize below);
Tensor call_mul(const Tensor& self, const Value& number);

// "[2, 3]", "s0".
std::string text_of(SymbolicSize size);

}  // namespace tenon::kernels
