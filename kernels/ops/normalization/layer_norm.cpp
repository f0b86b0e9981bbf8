// SPDX-License-Identifier: Apache-2.0
// Implements aten::layer_norm, aten::group_norm and aten::rms_norm by calling other operators.
#include "kernels/ops/normalization/layer_norm.h"

#include <algorithm>
#include <limits>

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"
#include "kernels/common/symbolic/symbolic.h"
#include "kernels/common/window.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

using NormFactor = std::optional<Tensor>;

// Returns the computing dtype, in which sums of small floats keep their precision.
Dtype norm_dtype(const Call& call, Dtype dtype, bool may_be_complex) {
  const bool is_small = is_half_precision(dtype);
  const bool is_wide = dtype == Dtype::F32 || dtype == Dtype::F64;
  if (!is_small && !is_wide && !(may_be_complex && is_complex(dtype))) {
    fail_dtype(call.op(), "input", dtype, may_be_complex ? "floating or complex" : "floating");
  }
  return is_small ? Dtype::F32 : dtype;
}

Tensor in_norm_dtype(const Tensor& tensor, Dtype dtype) {
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

// Returns the input as row-major, like results.
Tensor wide_rows(const Tensor& input, Dtype wide) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  return contiguous(in_norm_dtype(input, wide), MemoryFormat::Contiguous);
}

// Returns the result in the channels-last format of the input if it has one.
Tensor in_format_of(const Call& call, const Tensor& result, const Tensor& input) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  if (SymbolicTensor(input.get()).is_contiguous()) return result;
  if (!channels_last_like(call.op(), input.info(), input.sizes())) return result;
  return contiguous(result,
                    input.ndim() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d);
}

// Refuses a factor of other sizes, or whose dtype is neither the input's nor the computing dtype.
void check_norm_factor(const Call& call, const char* name, const NormFactor& factor,
                       const SymbolicDims& sizes, const Tensor& input, Dtype wide) {
  if (!factor) return;
  const SymbolicTensor given(factor->get());
  if (!are_equal(given.sizes(), sizes)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", name, " must have sizes ", text_of(SymbolicSizes(sizes)), ", got ",
          text_of(given.sizes())});
  }
  if (factor->dtype() != wide) {
    check_dtype_of(call.op(), name, factor->dtype(), "input", input.dtype());
  }
}

// Returns the last dims, which must have these sizes.
Dims normalized_dims(const Call& call, const Tensor& input, const SymbolicDims& shape) {
  if (shape.empty()) fail_argument(call.op(), "normalized_shape", "have at least 1 size", "none");
  const SymbolicTensor given(input.get());
  const int64_t count = shape.size(), before = given.ndim() - count;
  if (before < 0 || !are_equal(given.sizes().last(static_cast<size_t>(count)), shape)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input must end with the sizes ", text_of(SymbolicSizes(shape)), ", got ",
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

// Divides by the root of a mean square plus eps.
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

// Returns true if elements are on the CPU, or claim to be, and only autograd and autocast handle
// calls with them.
bool goes_by_rows(const Tensor& tensor) {
  constexpr auto bit = [](uint32_t functionality) {
    return tenon_keyset{1} << (TENON_BACKEND_BITS + functionality);
  };
  constexpr tenon_keyset kSeen =
      ((tenon_keyset{1} << TENON_BACKEND_BITS) - 1) | bit(TENON_FUNCTIONALITY_DENSE) |
      bit(TENON_FUNCTIONALITY_BACKEND_SELECT) | bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW) |
      bit(TENON_FUNCTIONALITY_AUTOGRAD) | bit(TENON_FUNCTIONALITY_AUTOCAST) |
      bit(TENON_FUNCTIONALITY_FAKE) | bit(TENON_FUNCTIONALITY_SYMBOLIC);
  return (tensor.keys() & ~kSeen) == 0 && tensor.device() == Device();
}

using NormResults = std::tuple<Tensor, Tensor, Tensor>;
constinit const LazyOp<NormResults(const Tensor&, Sizes, const NormFactor&, const NormFactor&,
                                   double)>
    native_norm("aten::native_layer_norm");

tenon_value factor_value(const NormFactor& factor) {
  return factor ? tenon_value_of_tensor(factor->get()) : tenon_value_of_none();
}

// Returns the first result of native_layer_norm.
Tensor normalized_rows(const Tensor& input, const SymbolicDims& shape, const NormFactor& weight,
                       const NormFactor& bias, double eps) {
  if (are_numbers(shape)) {
    const Sizes numbers(shape.words(), static_cast<size_t>(shape.size()));
    return std::get<0>(native_norm(input, numbers, weight, bias, eps));
  }
  const tenon_op* op = nullptr;
  check(tenon_op_find(native_norm.name(), &op));
  tenon_value args[] = {tenon_value_of_tensor(input.get()), sizes_value(shape),
                        factor_value(weight), factor_value(bias), tenon_value_of_float(eps)};
  tenon_value results[3]{};
  tenon_stack stack{args, results, 5, 3, nullptr, {0, 0}};
  check(tenon_op_call(op, &stack));
  for (int k = 1; k < 3; ++k) tenon_tensor_release(results[k].as.tensor);
  return Tensor(results[0].as.tensor);
}

Tensor norm_variance(const Tensor& elements, Sizes dims) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>,
                                       const std::optional<Scalar>&, bool)>
      variance("aten::var.correction");
  return variance(elements, dims, Scalar(0), true);
}

Tensor norm_difference(const Tensor& a, const Tensor& b) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> difference(
      "aten::sub.Tensor");
  return difference(a, b, Scalar(1));
}

// Subtracts the mean and divides by the standard deviation.
Tensor standardized(const Tensor& elements, Sizes dims, double eps) {
  return in_units_of(norm_difference(elements, norm_mean(elements, dims)),
                     norm_variance(elements, dims), eps);
}

// Multiplies by weight and adds bias.
Tensor scaled_and_moved(Tensor elements, const NormFactor& weight, const NormFactor& bias) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> sum(
      "aten::add.Tensor");
  const Dtype dtype = elements.dtype();
  if (weight) elements = normal_product(elements, in_norm_dtype(*weight, dtype));
  if (bias) elements = sum(elements, in_norm_dtype(*bias, dtype), Scalar(1));
  return elements;
}

// The checked arguments of layer_norm and native_layer_norm.
struct LayerNormCall {
  Tensor input;
  SymbolicDims shape;
  NormFactor weight, bias;
  double eps;
  Dtype wide;  // computing dtype
  Dims dims;   // dims that are normalized

  explicit LayerNormCall(const Call& call)
      : input(*call.get<Tensor>(0)),
        shape(sizes_argument(call, 1)),
        weight(call.get<NormFactor>(2)),
        bias(call.get<NormFactor>(3)),
        eps(call.get<double>(4)),
        wide(norm_dtype(call, input.dtype(), false)),
        dims(normalized_dims(call, input, shape)) {
    check_norm_factor(call, "weight", weight, shape, input, wide);
    check_norm_factor(call, "bias", bias, shape, input, wide);
  }
  // Returns the dtype of the returned mean and scale.
  Dtype kept() const { return weight ? weight->dtype() : input.dtype(); }
};

}  // namespace

void layer_norm(const Call& call) {
  const LayerNormCall norm(call);
  if (goes_by_rows(norm.input)) {
    return call.give(0, normalized_rows(norm.input, norm.shape, norm.weight, norm.bias, norm.eps));
  }
  const Tensor normal = standardized(wide_rows(norm.input, norm.wide), norm.dims, norm.eps);
  call.give(0, in_norm_dtype(scaled_and_moved(normal, norm.weight, norm.bias), norm.input.dtype()));
}

LayerNormPlan layer_norm_plan(const Call& call) {
  const LayerNormCall norm(call);
  LayerNormPlan plan{norm.input,
                     norm.weight,
                     norm.bias,
                     norm.eps,
                     norm.wide,
                     norm.kept(),
                     Dims(norm.input.sizes()),
                     0,
                     1};
  for (const int64_t dim : norm.dims) {
    plan.length *= plan.outer[dim];
    plan.outer[dim] = 1;
  }
  plan.rows = numel_of(plan.outer);
  return plan;
}

void native_layer_norm(const Call& call) {
  const LayerNormCall norm(call);
  const Tensor elements = wide_rows(norm.input, norm.wide);
  const Tensor normal = standardized(elements, norm.dims, norm.eps);
  static constinit const LazyOp<Tensor(const Tensor&)> rsqrt("aten::rsqrt");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> above(
      "aten::add.Tensor");
  const Tensor spread =
      rsqrt(above(norm_variance(elements, norm.dims), number_tensor(Scalar(norm.eps)), Scalar(1)));
  call.give(0, in_norm_dtype(scaled_and_moved(normal, norm.weight, norm.bias), norm.input.dtype()));
  call.give(1, in_norm_dtype(norm_mean(elements, norm.dims), norm.kept()));
  call.give(2, in_norm_dtype(spread, norm.kept()));
}

void native_layer_norm_in_words(const Call& call) {
  const LayerNormCall norm(call);
  SymbolicDims sizes = words_of(norm.input);
  call.give(0, new_symbolic(norm.input, sizes));
  for (const int64_t dim : norm.dims) sizes[dim] = 1;
  const Tensor& like = norm.weight ? *norm.weight : norm.input;
  for (int k = 1; k < 3; ++k) call.give(k, new_symbolic(like, sizes));
}

// Mean and scale have derivatives too, so they are computed again.
void layer_norm_backward(const Call& call) {
  const Tensor input = *call.get<Tensor>(1);
  const auto weight = call.get<NormFactor>(3);
  const Dtype wide = norm_dtype(call, input.dtype(), false);
  const Dims dims = normalized_dims(call, input, sizes_argument(call, 2));
  const Tensor elements = wide_rows(input, wide);
  const Tensor variance = norm_variance(elements, dims);
  const double eps = call.get<double>(4);
  const Tensor normal =
      in_units_of(norm_difference(elements, norm_mean(elements, dims)), variance, eps);
  Tensor grad = in_norm_dtype(*call.get<Tensor>(0), wide);
  if (weight) grad = normal_product(grad, in_norm_dtype(*weight, wide));
  const Tensor along = normal_product(normal, norm_mean(normal_product(grad, normal), dims));
  call.give(0, in_units_of(norm_difference(norm_difference(grad, norm_mean(grad, dims)), along),
                           variance, eps));
}

void standard_rows(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const Dims dims = normalized_dims(call, input, sizes_argument(call, 1));
  const Tensor elements = wide_rows(input, norm_dtype(call, input.dtype(), false));
  call.give(0, standardized(elements, dims, call.get<double>(2)));
}

void group_norm(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const auto groups = call.get<int64_t>(1);
  auto weight = call.get<NormFactor>(2), bias = call.get<NormFactor>(3);
  const Dtype wide = norm_dtype(call, input.dtype(), false);
  if (input.ndim() < 2) fail_argument(call.op(), "input", "have at least 2 dims", input.sizes());
  const SymbolicDims sizes = words_of(input);
  const SymbolicSize channels = sizes[1];
  if (groups < 1 || !(channels / groups * groups == channels)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": num_groups must divide the ",
                                        text_of(channels), " channels, got ", groups});
  }
  check_norm_factor(call, "weight", weight, {channels}, input, wide);
  check_norm_factor(call, "bias", bias, {channels}, input, wide);
  SymbolicSize together = channels / groups;
  SymbolicDims each{channels};
  for (int64_t d = 2; d < sizes.size(); ++d) {
    together *= sizes[d];
    each.push_back(1);
  }
  if (weight) weight = call_reshape(*weight, each);
  if (bias) bias = call_reshape(*bias, each);
  const Tensor rows =
      call_reshape(wide_rows(input, wide), SymbolicDims{sizes[0], groups, together});
  const int64_t dim[] = {2};
  const double eps = call.get<double>(4);
  const bool is_empty = together.is_number() && together.word() == 0;
  const Tensor normal_rows = goes_by_rows(rows) && !is_empty
                                 ? normalized_rows(rows, {together}, {}, {}, eps)
                                 : standardized(rows, dim, eps);
  const Tensor normal = call_reshape(normal_rows, sizes);
  const Tensor result = in_norm_dtype(scaled_and_moved(normal, weight, bias), input.dtype());
  call.give(0, in_format_of(call, result, input));
}

void rms_norm(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const SymbolicDims shape = sizes_argument(call, 1);
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
