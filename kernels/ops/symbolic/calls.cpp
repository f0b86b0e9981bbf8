// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/symbolic/calls.h"

#include <algorithm>

#include "kernels/common/shape_rules.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

Sizes numbers(const SymbolicDims& sizes) {
  return {sizes.words(), static_cast<size_t>(sizes.size())};
}

}  // namespace

bool are_numbers(const SymbolicDims& sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](SymbolicSize size) { return size.is_number(); });
}

bool is_known_true(const Scalar& number) {
  const uint16_t tag = number.value().tag;
  if (tag < TENON_TAG_SYMINT || tag > TENON_TAG_SYMBOOL) return number.to_bool();
  tenon_value known = tenon_value_of_none();
  check(tenon_symbol_guard(&number.value(), nullptr, 0, &known));
  return Scalar(known).to_bool();
}

Tensor call_boxed(const char* name, tenon_value* args, uint32_t count) {
  const tenon_op* op = nullptr;
  check(tenon_op_find(name, &op));
  tenon_value result = tenon_value_of_none();
  tenon_stack stack{args, &result, count, 1, nullptr, {0, 0}};
  check(tenon_op_call(op, &stack));
  return Tensor(result.as.tensor);
}

tenon_value size_value(SymbolicSize size) {
  if (size.is_number()) return tenon_value_of_int(size.word());
  tenon_value value{};
  value.tag = TENON_TAG_SYMINT;
  value.as.symbol = tenon_dim_symbol(size.word());
  return value;
}

tenon_value sizes_value(const SymbolicDims& sizes) {
  tenon_value value = tenon_value_of_ints(sizes.words(), static_cast<uint32_t>(sizes.size()));
  if (!are_numbers(sizes)) value.flags = TENON_VALUE_HAS_SYMBOLIC;
  return value;
}

SymbolicDims words_of(const Tensor& tensor) {
  return SymbolicDims(SymbolicTensor(tensor.get()).sizes());
}

SymbolicSize word_along(const Tensor& tensor, int64_t dim) {
  const SymbolicTensor words(tensor.get());
  return words.ndim() == 0 ? SymbolicSize(1) : words.sizes()[static_cast<size_t>(dim)];
}

SymbolicSize numel_word(const Tensor& tensor) { return SymbolicTensor(tensor.get()).numel(); }

SymbolicSize product_of(SymbolicSizes sizes) {
  SymbolicSize product = 1;
  for (const SymbolicSize size : sizes) product *= size;
  return product;
}

bool are_equal(SymbolicSizes sizes, SymbolicSizes others) {
  return std::equal(sizes.begin(), sizes.end(), others.begin(), others.end());
}

SymbolicDims broadcast_words(const char* op, SymbolicDims a, const SymbolicDims& b) {
  const SymbolicDims given = a;
  if (const int64_t at = rules::broadcast_into(a, SymbolicSizes(b)); at >= 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": sizes must broadcast, got ", text_of(given), " and ",
                                        text_of(b), ", which differ at dim ", at});
  }
  return a;
}

Tensor call_reshape(const Tensor& self, const SymbolicDims& sizes) {
  if (are_numbers(sizes)) return call_reshape(self, numbers(sizes));
  return call_with_sizes("aten::reshape", self.get(), sizes);
}

Tensor call_expand(const Tensor& self, const SymbolicDims& sizes) {
  if (are_numbers(sizes)) return call_expand(self, numbers(sizes));
  return call_with_sizes("aten::expand", self.get(), sizes, false);
}

Tensor call_view(const Tensor& self, const SymbolicDims& sizes) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> op("aten::view");
  if (are_numbers(sizes)) return op(self, numbers(sizes));
  return call_with_sizes("aten::view", self.get(), sizes);
}

Tensor call_unsafe_view(const Tensor& self, const SymbolicDims& sizes) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> op("aten::_unsafe_view");
  if (are_numbers(sizes)) return op(self, numbers(sizes));
  return call_with_sizes("aten::_unsafe_view", self.get(), sizes);
}

Tensor call_repeat(const Tensor& self, const SymbolicDims& repeats) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> op("aten::repeat");
  if (are_numbers(repeats)) return op(self, numbers(repeats));
  return call_with_sizes("aten::repeat", self.get(), repeats);
}

Tensor call_roll(const Tensor& self, const SymbolicDims& shifts, Sizes dims) {
  tenon_value args[] = {tenon_value_of_tensor(self.get()), sizes_value(shifts),
                        tenon_value_of_ints(dims.data(), static_cast<uint32_t>(dims.size()))};
  return call_boxed("aten::roll", args, 3);
}

Tensor call_gather_backward(const Tensor& grad, const SymbolicDims& sizes, int64_t dim,
                            const Tensor& index) {
  tenon_value args[] = {tenon_value_of_tensor(grad.get()), sizes_value(sizes),
                        tenon_value_of_int(dim), tenon_value_of_tensor(index.get())};
  return call_boxed("tenon::gather_backward", args, 4);
}

Tensor call_slice(const Tensor& self, int64_t dim, SymbolicSize start, SymbolicSize end) {
  if (start.is_number() && end.is_number()) {
    return call_slice(self, dim, start.word(), end.word());
  }
  tenon_value args[] = {tenon_value_of_tensor(self.get()), tenon_value_of_int(dim),
                        size_value(start), size_value(end), tenon_value_of_int(1)};
  return call_boxed("aten::slice.Tensor", args, 5);
}

Tensor call_empty_of_words(const SymbolicDims& sizes, const FactoryOptions& options) {
  if (are_numbers(sizes)) return call_empty(numbers(sizes), options);
  const auto given = [](const auto& option, auto&& value) {
    return option ? value(*option) : tenon_value_of_none();
  };
  tenon_value args[] = {
      sizes_value(sizes),
      given(options.dtype,
            [](Dtype dtype) { return tenon_value_of_dtype(static_cast<tenon_dtype>(dtype)); }),
      tenon_value_of_none(),
      given(options.device, [](const Device& device) { return tenon_value_of_device(device); }),
      tenon_value_of_none(),
      tenon_value_of_none()};
  return call_boxed("aten::empty.memory_format", args, 6);
}

Value quotient_of(SymbolicSize above, SymbolicSize below) {
  if (above.is_number() && below.is_number()) {
    return Value(static_cast<double>(above.word()) / static_cast<double>(below.word()));
  }
  const tenon_value args[] = {size_value(above), size_value(below)};
  tenon_value quotient = tenon_value_of_none();
  check(tenon_symbol_apply(TENON_SYMBOL_TRUEDIV, args, 2, &quotient));
  return Value(quotient);
}

Tensor call_mul(const Tensor& self, const Value& number) {
  tenon_value args[] = {tenon_value_of_tensor(self.get()), number.get()};
  args[1].flags = 0;
  return call_boxed("aten::mul.Scalar", args, 2);
}

std::string text_of(SymbolicSize size) {
  const std::string list = text_of(SymbolicSizes(&size, 1));
  return list.substr(1, list.size() - 2);
}

}  // namespace tenon::kernels
