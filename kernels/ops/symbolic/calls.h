// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors as words, and calls of operators with such sizes. Composites use them to support
// both concrete and symbolic sizes.
#pragma once

#include "kernels/common/symbolic/symbolic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Returns true if a number that was read from a tensor is not 0. Throws TENON_ERROR_DATA_DEPENDENT
// for a symbol whose value is known only at run time, such as an element of a fake tensor.
bool is_known_true(const Scalar& number);

SymbolicDims words_of(const Tensor& tensor);
// Returns the size of a nonnegative dim; 0-dim tensors count as vectors of size 1.
SymbolicSize word_along(const Tensor& tensor, int64_t dim);
SymbolicSize numel_word(const Tensor& tensor);
SymbolicSize product_of(SymbolicSizes sizes);
bool are_numbers(const SymbolicDims& sizes);
bool are_equal(SymbolicSizes sizes, SymbolicSizes others);
// See broadcast() in shape.h.
SymbolicDims broadcast_words(const char* op, SymbolicDims a, const SymbolicDims& b);
// Returns sizes with one -1 replaced so that they have `numel` elements.
SymbolicDims inferred_sizes(const char* op, SymbolicDims sizes, SymbolicSize numel);

Tensor call_reshape(const Tensor& self, const SymbolicDims& sizes);
Tensor call_expand(const Tensor& self, const SymbolicDims& sizes);
Tensor call_view(const Tensor& self, const SymbolicDims& sizes);
Tensor call_unsafe_view(const Tensor& self, const SymbolicDims& sizes);
Tensor call_repeat(const Tensor& self, const SymbolicDims& repeats);
Tensor call_roll(const Tensor& self, const SymbolicDims& shifts, Sizes dims);
// Return words as arguments; borrowed.
tenon_value size_value(SymbolicSize size);
tenon_value sizes_value(const SymbolicDims& sizes);
Tensor call_gather_backward(const Tensor& grad, const SymbolicDims& sizes, int64_t dim,
                            const Tensor& index);
// Calls an operator with one result and all of its arguments.
Tensor call_boxed(const char* name, tenon_value* args, uint32_t count);
Tensor call_slice(const Tensor& self, int64_t dim, SymbolicSize start, SymbolicSize end);
Tensor call_empty_of_words(const SymbolicDims& sizes, const FactoryOptions& options);

// Returns above / below as a floating-point quotient; call_mul() multiplies a tensor by it.
Value quotient_of(SymbolicSize above, SymbolicSize below);
Tensor call_mul(const Tensor& self, const Value& number);

// Returns the size as text, such as "2" or "s0".
std::string text_of(SymbolicSize size);

}  // namespace tenon::kernels
