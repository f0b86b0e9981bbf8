// SPDX-License-Identifier: Apache-2.0
#include "opcheck/compare.h"

#include <algorithm>
#include <cmath>

#include "autograd/operators.h"
#include "base/concat.h"
#include "gradcheck/elements.h"
#include "symbol/expression.h"
#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/layout.h"

namespace tenon::opcheck {

namespace {

// What a word of a fake tensor is in the case at hand; nothing where only elements tell.
std::optional<int64_t> hint_of(int64_t word) noexcept {
  if (!base::is_symbol(word)) return word;
  const symbol::Expression& expression = *symbol::expression_of(word);
  return expression.is_backed ? std::optional(expression.hint) : std::nullopt;
}

std::vector<int64_t> hints_of(tensor::Dims words, tensor::Dims real) {
  std::vector<int64_t> hints;
  for (size_t dim = 0; dim < words.size(); ++dim) {
    hints.push_back(hint_of(words[dim]).value_or(real[dim]));
  }
  return hints;
}

// Strides of dims of size 1, and of no elements, say nothing.
bool same_strides(const Tensor& real, tensor::Dims strides) noexcept {
  if (real.numel() == 0) return true;
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    if (real.sizes()[dim] != 1 && strides[dim] != real.strides()[dim]) return false;
  }
  return true;
}

tenon_device claimed_device(tenon_device device) noexcept {
  device.index &= ~static_cast<int32_t>(TENON_DEVICE_FAKE);
  return device;
}

Closeness usual_closeness(tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return {1e-3, 1e-5};
    case TENON_DTYPE_BF16:
      return {1.6e-2, 1e-5};
    case TENON_DTYPE_F32:
    case TENON_DTYPE_C64:
      return {1.3e-6, 1e-5};
    case TENON_DTYPE_F64:
    case TENON_DTYPE_C128:
      return {1e-7, 1e-7};
    default:
      return {0, 0};
  }
}

bool is_close(std::complex<double> expected, std::complex<double> actual,
              const Closeness& closeness) noexcept {
  if (expected == actual) return true;
  const auto is_nan = [](std::complex<double> z) {
    return std::isnan(z.real()) || std::isnan(z.imag());
  };
  if (is_nan(expected) || is_nan(actual)) return is_nan(expected) && is_nan(actual);
  return std::abs(expected - actual) <=
         closeness.absolute + closeness.relative * std::abs(expected);
}

}  // namespace

std::vector<char> read_bytes(const Tensor& tensor) {
  namespace operators = autograd::operators;
  const TensorPtr host = tensor::new_tensor(tensor.dtype(), nullptr, tensor.size_span());
  operators::copy_into(*host, *operators::detached_alias(tensor));
  const auto* first = static_cast<const char*>(host->data());
  return {first, first + host->numel() * tensor::dtype_size(host->dtype())};
}

bool shares_memory(const Tensor& a, const Tensor& b) noexcept {
  return a.has_storage() && b.has_storage() && a.storage() == b.storage() && a.numel_word() != 0 &&
         b.numel_word() != 0;
}

std::string differing_description(const Tensor& real, const Tensor& fake) {
  const auto differ = [](std::string_view what, std::string_view a, std::string_view b) {
    return base::concat(what, ' ', a, " and ", b, " are not equal");
  };
  if (real.dtype() != fake.dtype()) {
    return differ("dtypes", tensor::dtype_name(real.dtype()), tensor::dtype_name(fake.dtype()));
  }
  if (real.size_span().size() != fake.size_span().size()) {
    return differ("numbers of dims", std::to_string(real.size_span().size()),
                  std::to_string(fake.size_span().size()));
  }
  const std::vector<int64_t> sizes = hints_of(fake.size_span(), real.size_span());
  if (!std::ranges::equal(sizes, real.size_span())) {
    return differ("sizes", tensor::print_dims(real.size_span()), tensor::print_dims(sizes));
  }
  const std::vector<int64_t> strides = hints_of(fake.stride_span(), real.stride_span());
  if (!same_strides(real, strides)) {
    return differ("strides", tensor::print_dims(real.stride_span()), tensor::print_dims(strides));
  }
  const int64_t offset = hint_of(fake.offset()).value_or(real.offset());
  if (offset != real.offset()) {
    return differ("storage offsets", std::to_string(real.offset()), std::to_string(offset));
  }
  const tenon_device device = claimed_device(fake.device());
  if (device.type != real.device().type || device.index != real.device().index) {
    return differ("devices", tensor::print_device(real.device()), tensor::print_device(device));
  }
  return {};
}

std::string differing_element(const Tensor& expected, const Tensor& actual,
                              const Closeness& closeness) {
  if (!std::ranges::equal(expected.size_span(), actual.size_span())) {
    return base::concat("sizes ", tensor::print_dims(expected.size_span()), " and ",
                        tensor::print_dims(actual.size_span()), " are not equal");
  }
  const Closeness usual = usual_closeness(expected.dtype());
  const Closeness wanted{closeness.relative < 0 ? usual.relative : closeness.relative,
                         closeness.absolute < 0 ? usual.absolute : closeness.absolute};
  const gradcheck::Elements all_expected = gradcheck::read_elements(expected);
  const gradcheck::Elements all_actual = gradcheck::read_elements(actual);
  for (size_t i = 0; i < all_expected.size(); ++i) {
    if (is_close(all_expected[i], all_actual[i], wanted)) continue;
    return base::concat("element ", gradcheck::print_place(expected.size_span(), i), " is ",
                        all_expected[i].real(), " and ", all_actual[i].real());
  }
  return {};
}

}  // namespace tenon::opcheck
