// SPDX-License-Identifier: Apache-2.0
// What aten::layer_norm, aten::group_norm and aten::rms_norm call.
#include "kernels/ops/layer_norm.h"

#include <algorithm>
#include <limits>

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"
#include "kernels/common/symbolic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

using NormFactor = std::optional<Tensor>;

// What the input is computed in, so that sums of small floats keep their digits.
Dtype norm_dtype(const Call& call, Dtype dtype, bool may_be_complex) {
  const bool is_small = dtype == Dtype::F16 || dtype == Dtype::BF16;
  const bool is_wide = dtype == Dtype::F32 || dtype == Dtype::F64;
  if (!is_small && !is_wide && !(may_be_complex && is_complex(dtype))) {
    fail_dtype(call.op(), "input", dtype, may_be_complex ? "floating or complex" : "floating");
  }
  return is_small ? Dtype::F32 : dtype;
}

Tensor in_norm_dtype(const Tensor& tensor, Dtype dtype) {
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

// Row-major, as results are.
Tensor wide_rows(const Tensor& input, Dtype wide) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  return contiguous(in_norm_dtype(input, wide), MemoryFormat::Contiguous);
}

// Whether sizes are these, of which some may be symbols.
bool are_norm_sizes(SymbolicSizes sizes, SymbolicSizes others) {
  return std::equal(sizes.begin(), sizes.end(), others.begin(), others.end());
}
SymbolicSizes norm_words(Sizes sizes) {
  return symbolic(sizes.data(), static_cast<int64_t>(sizes.size()));
}

// Refuses a factor of other sizes, or of another dtype than the input's or that it is computed in.
void check_norm_factor(const Call& call, const char* name, const NormFactor& factor, Sizes sizes,
                       const Tensor& input, Dtype wide) {
  if (!factor) return;
  const SymbolicTensor given(factor->get());
  if (!are_norm_sizes(given.sizes(), norm_words(sizes))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", name, " must be of sizes ", text_of(norm_words(sizes)), ", got ",
          text_of(given.sizes())});
  }
  if (factor->dtype() != wide) {
    check_dtype_of(call.op(), name, factor->dtype(), "input", input.dtype());
  }
}

// The last dims, which must be of these sizes.
Dims normalized_dims(const Call& call, const Tensor& input, Sizes shape) {
  if (shape.empty()) fail_argument(call.op(), "normalized_shape", "of 1 size at least", shape);
  const SymbolicTensor given(input.get());
  const auto count = static_cast<int64_t>(shape.size()), before = given.ndim() - count;
  if (before < 0 ||
      !are_norm_sizes(given.sizes().last(static_cast<size_t>(count)), norm_words(shape))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input must end with the sizes ", text_of(norm_words(shape)), ", got ",
          text_of(given.sizes())});
  }
  Dims dims;
  for (int64_t k = 0; k < count; ++k) dims.push_back(before + k);
  return dims;
}

Tensor normal_product(const Tensor& self, const Tensor& other) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> times("aten::mul.Tensor");
  return times(self, other);
}

// Divided by the root of a mean square, a little above it.
Tensor in_units_of(const Tensor& elements, const Tensor& mean_square, double eps) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> above(
      "aten::add.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&)> rsqrt("aten::rsqrt");
  return normal_product(elements, rsqrt(above(mean_square, number_tensor(Scalar(eps)), Scalar(1))));
}

Tensor norm_mean(const Tensor& elements, Sizes dims) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      mean("aten::mean.dim");
  return mean(elements, dims, true, std::nullopt);
}

// Less their mean, in units of their deviation.
Tensor standardized(const Tensor& elements, Sizes dims, double eps) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>,
                                       const std::optional<Scalar>&, bool)>
      variance("aten::var.correction");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> difference(
      "aten::sub.Tensor");
  return in_units_of(difference(elements, norm_mean(elements, dims), Scalar(1)),
                     variance(elements, dims, Scalar(0), true), eps);
}

// Times weight, plus bias.
Tensor scaled_and_moved(Tensor elements, const NormFactor& weight, const NormFactor& bias) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> sum(
      "aten::add.Tensor");
  const Dtype dtype = elements.dtype();
  if (weight) elements = normal_product(elements, in_norm_dtype(*weight, dtype));
  if (bias) elements = sum(elements, in_norm_dtype(*bias, dtype), Scalar(1));
  return elements;
}

}  // namespace

void layer_norm(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const auto shape = call.get<Sizes>(1);
  const auto weight = call.get<NormFactor>(2), bias = call.get<NormFactor>(3);
  const Dtype wide = norm_dtype(call, input.dtype(), false);
  const Dims dims = normalized_dims(call, input, shape);
  check_norm_factor(call, "weight", weight, shape, input, wide);
  check_norm_factor(call, "bias", bias, shape, input, wide);
  const Tensor normal = standardized(wide_rows(input, wide), dims, call.get<double>(4));
  call.give(0, in_norm_dtype(scaled_and_moved(normal, weight, bias), input.dtype()));
}

void group_norm(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const auto groups = call.get<int64_t>(1);
  auto weight = call.get<NormFactor>(2), bias = call.get<NormFactor>(3);
  const Dtype wide = norm_dtype(call, input.dtype(), false);
  if (input.ndim() < 2) fail_argument(call.op(), "input", "of 2 dims at least", input.sizes());
  const int64_t batch = input.sizes()[0], channels = input.sizes()[1];
  if (groups < 1 || channels % groups != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": num_groups must divide the ", channels, " channels, got ", groups});
  }
  const Dims of_channels{channels};
  check_norm_factor(call, "weight", weight, of_channels, input, wide);
  check_norm_factor(call, "bias", bias, of_channels, input, wide);
  int64_t together = channels / groups;
  Dims each{channels};
  for (const int64_t size : input.sizes().subspan(2)) {
    together *= size;
    each.push_back(1);
  }
  if (weight) weight = call_reshape(*weight, each);
  if (bias) bias = call_reshape(*bias, each);
  const Tensor rows = call_reshape(wide_rows(input, wide), Dims{batch, groups, together});
  const int64_t dim[] = {2};
  const Tensor normal = call_reshape(standardized(rows, dim, call.get<double>(4)), input.sizes());
  call.give(0, in_norm_dtype(scaled_and_moved(normal, weight, bias), input.dtype()));
}

void rms_norm(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const auto shape = call.get<Sizes>(1);
  const auto weight = call.get<NormFactor>(2);
  const Dtype wide = norm_dtype(call, input.dtype(), true);
  const Dims dims = normalized_dims(call, input, shape);
  check_norm_factor(call, "weight", weight, shape, input, wide);
  const double least = to_real(wide) == Dtype::F64 ? std::numeric_limits<double>::epsilon()
                                                   : std::numeric_limits<float>::epsilon();
  const double eps = call.get<std::optional<double>>(3).value_or(least);
  const Tensor elements = wide_rows(input, wide);
  const Tensor squares = norm_mean(normal_product(elements, elements), dims);
  const Tensor normal = in_units_of(elements, squares, eps);
  call.give(0, in_norm_dtype(scaled_and_moved(normal, weight, std::nullopt), input.dtype()));
}

}  // namespace tenon::kernels::ops
