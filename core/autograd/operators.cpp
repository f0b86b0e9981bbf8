// SPDX-License-Identifier: Apache-2.0
#include "autograd/operators.h"

#include "autograd/formula/words.h"
#include "autograd/level.h"
#include "base/check.h"
#include "base/small_vector.h"
#include "dispatch/alias_notice.h"
#include "dispatch/lazy_operator.h"
#include "tensor/layout.h"
#include "value/value.h"

namespace tenon::autograd::operators {

namespace {

using dispatch::LazyOperator;

constinit LazyOperator found_add("aten::add.Tensor");
constinit LazyOperator found_add_in_place("aten::add_.Tensor");
constinit LazyOperator found_clone("aten::clone");
constinit LazyOperator found_ones_like("aten::ones_like");
constinit LazyOperator found_zeros_like("aten::zeros_like");
constinit LazyOperator found_zeros("aten::zeros");
constinit LazyOperator found_sum("aten::sum.dim_IntList");
constinit LazyOperator found_sum_all("aten::sum");
constinit LazyOperator found_ne("aten::ne.Tensor");
constinit LazyOperator found_item("aten::_local_scalar_dense");
constinit LazyOperator found_view("aten::reshape");
constinit LazyOperator found_to_copy("aten::_to_copy");
constinit LazyOperator found_as_strided("aten::as_strided");
constinit LazyOperator found_empty_strided("aten::empty_strided");
constinit LazyOperator found_copy("aten::copy_");
constinit LazyOperator found_zero("aten::zero_");
constinit LazyOperator found_fill("aten::fill_.Scalar");
constinit LazyOperator found_scatter("tenon::strided_scatter");
constinit LazyOperator found_detach("aten::detach");
constinit LazyOperator found_expand("aten::expand");
constinit LazyOperator found_alias("aten::alias");
constinit LazyOperator found_view_as_real("aten::view_as_real");
constinit LazyOperator found_view_as_complex("aten::view_as_complex");

tenon_value tensor_value(const Tensor& tensor) {
  return tenon_value_of_tensor(const_cast<Tensor*>(&tensor));
}

tenon_value dims_value(tensor::Dims dims) { return words_value(dims); }

TensorPtr clone_as(const Tensor& tensor, tenon_value memory_format) {
  tenon_value args[] = {tensor_value(tensor), memory_format};
  return found_clone.call_tensor(args);
}

// Returns uninitialized memory for a tensor of a transform layer. The result of a factory belongs
// to no layer, so tensors that a vmap maps could not be written to it. The result is therefore
// derived from the tensor itself: its first element, expanded to as much memory as the strides
// reach.
TensorPtr empty_like_level(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides) {
  if (tensor.numel() == 0) return zeros_like(tensor);
  int64_t reach = 1;
  for (size_t dim = 0; dim < sizes.size(); ++dim) reach += (sizes[dim] - 1) * strides[dim];
  const TensorPtr first = as_strided(tensor, {}, {}, tensor.offset());
  const TensorPtr memory = clone_as(*expand(*first, {&reach, 1}),
                                    tenon_value_of_memory_format(TENON_MEMORY_FORMAT_CONTIGUOUS));
  return as_strided(*memory, sizes, strides, memory->offset());
}

TensorPtr empty_like(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides) {
  if (tensor.content(tensor::HollowKind::kLevel) != nullptr) {
    return empty_like_level(tensor, sizes, strides);
  }
  tenon_value args[] = {dims_value(sizes),
                        dims_value(strides),
                        tenon_value_of_dtype(tensor.dtype()),
                        tenon_value_of_none(),
                        tenon_value_of_device(tensor.device()),
                        tenon_value_of_none()};
  return found_empty_strided.call_tensor(args);
}

}  // namespace

TensorPtr add(const Tensor& a, const Tensor& b) {
  tenon_value args[] = {tensor_value(a), tensor_value(b), tenon_value_of_int(1)};
  return found_add.call_tensor(args);
}

void add_in_place(Tensor& a, const Tensor& b) {
  tenon_value args[] = {tensor_value(a), tensor_value(b), tenon_value_of_int(1)};
  found_add_in_place.call_tensor(args);
}

TensorPtr clone(const Tensor& tensor) { return clone_as(tensor, tenon_value_of_none()); }

TensorPtr ones_like(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor),  tenon_value_of_none(), tenon_value_of_none(),
                        tenon_value_of_none(), tenon_value_of_none(), tenon_value_of_none()};
  return found_ones_like.call_tensor(args);
}

TensorPtr zeros_like(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor),  tenon_value_of_none(), tenon_value_of_none(),
                        tenon_value_of_none(), tenon_value_of_none(), tenon_value_of_none()};
  return found_zeros_like.call_tensor(args);
}

TensorPtr zeros_for(const OutputInfo& info) {
  const tenon_dtype dtype = info.dtype < 0 ? TENON_DTYPE_F32 : info.dtype;  // any will do
  tenon_value args[] = {dims_value(info.size_span()), tenon_value_of_dtype(dtype),
                        tenon_value_of_none(), tenon_value_of_device(info.device),
                        tenon_value_of_none()};
  return found_zeros.call_tensor(args);
}

TensorPtr sum_to(const Tensor& tensor, tensor::Dims sizes) {
  const auto have = tensor.size_span();
  const auto refuse = [&] {
    fail(TENON_ERROR_INVALID_ARGUMENT, "gradient must have the shape ", tensor::print_dims(sizes),
         ", or a shape that it broadcasts to, got ", tensor::print_dims(have));
  };
  if (have.size() < sizes.size()) refuse();
  const size_t extra = have.size() - sizes.size();
  base::SmallVector<int64_t, 8> folded;
  for (size_t dim = 0; dim < have.size(); ++dim) {
    if (dim >= extra && is_same_size(have[dim], sizes[dim - extra])) continue;
    if (dim >= extra && !is_same_size(sizes[dim - extra], 1)) refuse();
    folded.push_back(static_cast<int64_t>(dim));
  }
  tenon_value args[] = {tensor_value(tensor),
                        tenon_value_of_ints(folded.data(), static_cast<uint32_t>(folded.size())),
                        tenon_value_of_bool(1), tenon_value_of_none()};
  TensorPtr sum =
      folded.empty() ? TensorPtr::share(const_cast<Tensor*>(&tensor)) : found_sum.call_tensor(args);
  if (extra == 0) return sum;
  tenon_value view[] = {tensor_value(*sum), dims_value(sizes)};
  return found_view.call_tensor(view);
}

bool has_nan(const Tensor& tensor) {
  tenon_value pair[] = {tensor_value(tensor), tensor_value(tensor)};
  const TensorPtr differs = found_ne.call_tensor(pair);  // only NaN differs from itself
  tenon_value all[] = {tensor_value(*differs), tenon_value_of_none()};
  const TensorPtr count = found_sum_all.call_tensor(all);
  tenon_value args[] = {tensor_value(*count)};
  const tenon_value number = found_item.call(args);
  // Elements of fake tensors are symbols with unknown values.
  return number.tag == TENON_TAG_INT && number.as.i != 0;
}

TensorPtr cast(const Tensor& tensor, tenon_dtype dtype) {
  tenon_value args[] = {tensor_value(tensor),  tenon_value_of_dtype(dtype), tenon_value_of_none(),
                        tenon_value_of_none(), tenon_value_of_none(),       tenon_value_of_bool(0),
                        tenon_value_of_none()};
  return found_to_copy.call_tensor(args);
}

TensorPtr expand(const Tensor& tensor, tensor::Dims sizes) {
  tenon_value args[] = {tensor_value(tensor), dims_value(sizes), tenon_value_of_bool(0)};
  return found_expand.call_tensor(args);
}

TensorPtr alias(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor)};
  return found_alias.call_tensor(args);
}

TensorPtr view_as_real(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor)};
  return found_view_as_real.call_tensor(args);
}

TensorPtr view_as_complex(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor)};
  return found_view_as_complex.call_tensor(args);
}

TensorPtr as_strided(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides,
                     int64_t offset) {
  tenon_value args[] = {tensor_value(tensor), dims_value(sizes), dims_value(strides),
                        tenon_value_of_int(offset)};
  return found_as_strided.call_tensor(args);
}

TensorPtr copy_as(const Tensor& tensor, tensor::Dims sizes, tensor::Dims strides) {
  TensorPtr copy = empty_like(tensor, sizes, strides);
  copy_into(*copy, tensor);
  return copy;
}

TensorPtr zeros_as(const Tensor& tensor) {
  TensorPtr zeros = empty_like(tensor, tensor.size_span(), tensor.stride_span());
  zero(*zeros);
  return zeros;
}

void copy_into(Tensor& tensor, const Tensor& source) {
  tenon_value args[] = {tensor_value(tensor), tensor_value(source), tenon_value_of_bool(0)};
  found_copy.call_tensor(args);
}

void zero(Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor)};
  found_zero.call_tensor(args);
}

void fill(Tensor& tensor, const tenon_value& number) {
  tenon_value args[] = {tensor_value(tensor), number};
  found_fill.call_tensor(args);
}

TensorPtr strided_scatter(const Tensor& grad, const tenon_value* places) {
  tenon_value args[] = {tensor_value(grad), places[0], places[1], places[2],
                        places[3],          places[4], places[5]};
  return found_scatter.call_tensor(args);
}

TensorPtr detached_alias(const Tensor& tensor) {
  if (tensor.has_storage() && !tensor.is_symbolic()) {
    auto alias = TensorPtr::adopt(
        Tensor::make_detached(tensor, tensor.size_span(), tensor.stride_span(), tensor.offset()));
    dispatch::notice_alias(tensor, *alias);
    return alias;
  }
  // A tensor that is untracked at its own level may still be tracked at levels below.
  if (TensorPtr alias = constant_alias(tensor)) return alias;
  tenon_value args[] = {tensor_value(tensor)};
  return found_detach.call_tensor(args);
}

}  // namespace tenon::autograd::operators
