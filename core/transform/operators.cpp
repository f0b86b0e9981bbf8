// SPDX-License-Identifier: Apache-2.0
#include "transform/operators.h"

#include "base/small_vector.h"
#include "dispatch/lazy_operator.h"

namespace tenon::transform::operators {

using dispatch::LazyOperator;
using tensor::Tensor;
using tensor::TensorPtr;

namespace {

constinit LazyOperator found_select("aten::select.int");
constinit LazyOperator found_stack("aten::stack");
constinit LazyOperator found_cat("aten::cat");
constinit LazyOperator found_permute("aten::permute");
constinit LazyOperator found_unsqueeze("aten::unsqueeze");
constinit LazyOperator found_expand("aten::expand");
constinit LazyOperator found_slice("aten::slice.Tensor");
constinit LazyOperator found_zeros("aten::zeros");
constinit LazyOperator found_zeros_like("aten::zeros_like");
constinit LazyOperator found_copy("aten::copy_");

tenon_value tensor_value(const Tensor& tensor) {
  return tenon_value_of_tensor(const_cast<Tensor*>(&tensor));
}

using Ints = base::SmallVector<int64_t, 8>;

tenon_value ints_value(const Ints& ints) {
  return tenon_value_of_ints(ints.data(), static_cast<uint32_t>(ints.size()));
}

TensorPtr join(LazyOperator& found, std::span<const TensorPtr> tensors, int64_t dim) {
  base::SmallVector<Tensor*, 8> list;
  for (const TensorPtr& each : tensors) list.push_back(each.get());
  tenon_value args[] = {tenon_value_of_tensors(list.data(), static_cast<uint32_t>(list.size())),
                        tenon_value_of_int(dim)};
  return found.call_tensor(args);
}

}  // namespace

TensorPtr select(const Tensor& tensor, int64_t dim, int64_t index) {
  tenon_value args[] = {tensor_value(tensor), tenon_value_of_int(dim), tenon_value_of_int(index)};
  return found_select.call_tensor(args);
}

TensorPtr stack(std::span<const TensorPtr> tensors) { return join(found_stack, tensors, 0); }

TensorPtr cat(std::span<const TensorPtr> tensors, int64_t dim) {
  return join(found_cat, tensors, dim);
}

TensorPtr move_dim(const Tensor& tensor, int64_t from, int64_t to) {
  if (from == to) return TensorPtr::share(const_cast<Tensor*>(&tensor));
  Ints order;
  for (int64_t dim = 0, other = 0; dim < tensor.ndim(); ++dim) {
    if (other == from) ++other;
    order.push_back(dim == to ? from : other++);
  }
  tenon_value args[] = {tensor_value(tensor), ints_value(order)};
  return found_permute.call_tensor(args);
}

TensorPtr repeat_along(const Tensor& tensor, int64_t dim, int64_t size) {
  tenon_value unsqueeze[] = {tensor_value(tensor), tenon_value_of_int(dim)};
  const TensorPtr whole = found_unsqueeze.call_tensor(unsqueeze);
  Ints sizes;
  for (int64_t i = 0; i < whole->ndim(); ++i) sizes.push_back(i == dim ? size : whole->sizes()[i]);
  tenon_value args[] = {tensor_value(*whole), ints_value(sizes), tenon_value_of_bool(0)};
  return found_expand.call_tensor(args);
}

TensorPtr narrow(const Tensor& tensor, int64_t dim, int64_t start, int64_t size) {
  tenon_value args[] = {tensor_value(tensor), tenon_value_of_int(dim), tenon_value_of_int(start),
                        tenon_value_of_int(start + size), tenon_value_of_int(1)};
  return found_slice.call_tensor(args);
}

TensorPtr zeros(tensor::Dims sizes, tenon_dtype dtype, const tenon_device& device) {
  tenon_value args[] = {tenon_value_of_ints(sizes.data(), static_cast<uint32_t>(sizes.size())),
                        tenon_value_of_dtype(dtype), tenon_value_of_none(),
                        tenon_value_of_device(device), tenon_value_of_none()};
  return found_zeros.call_tensor(args);
}

TensorPtr zeros_like(const Tensor& tensor) {
  tenon_value args[] = {tensor_value(tensor),  tenon_value_of_none(), tenon_value_of_none(),
                        tenon_value_of_none(), tenon_value_of_none(), tenon_value_of_none()};
  return found_zeros_like.call_tensor(args);
}

void copy_into(Tensor& tensor, const Tensor& source) {
  tenon_value args[] = {tensor_value(tensor), tensor_value(source), tenon_value_of_bool(0)};
  found_copy.call_tensor(args);
}

}  // namespace tenon::transform::operators
