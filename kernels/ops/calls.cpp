// SPDX-License-Identifier: Apache-2.0
// Calls of operators through the dispatcher.
#include "kernels/ops/calls.h"

#include <optional>

#include "tenon/symbol.h"

namespace tenon::kernels {

tenon_tensor_info kind_of(const Tensor& tensor) {
  tenon_tensor_info info;
  tenon_tensor_describe_words(tensor ? tensor.get() : tenon_tensor_undefined(), &info);
  return info;
}

Tensor call_reshape(const Tensor& self, Sizes sizes) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> op("aten::reshape");
  return op(self, sizes);
}

Tensor call_expand(const Tensor& self, Sizes sizes) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> op("aten::expand");
  return op(self, sizes, false);
}

Tensor call_unsqueeze(const Tensor& self, int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> op("aten::unsqueeze");
  return op(self, dim);
}

Tensor call_slice(const Tensor& self, int64_t dim, int64_t start, int64_t end) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>, int64_t)>
      op("aten::slice.Tensor");
  return op(self, dim, start, end, 1);
}

Tensor call_clone(const Tensor& self, MemoryFormat format) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> op(
      "aten::clone");
  return op(self, format);
}

Tensor call_index(const Tensor& self, TensorList indices) {
  static constinit const LazyOp<Tensor(const Tensor&, TensorList)> op("aten::index.Tensor");
  return op(self, indices);
}

Tensor call_index_put(const Tensor& self, TensorList indices, const Tensor& values,
                      bool accumulate) {
  static constinit const LazyOp<Tensor(const Tensor&, TensorList, const Tensor&, bool)> op(
      "aten::index_put");
  return op(self, indices, values, accumulate);
}

void call_index_put_(const Tensor& self, TensorList indices, const Tensor& values,
                     bool accumulate) {
  static constinit const LazyOp<void(const Tensor&, TensorList, const Tensor&, bool)> op(
      "aten::index_put_");
  op(self, indices, values, accumulate);
}

Tensor call_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&)> op(
      "aten::scatter.src");
  return op(self, dim, index, src);
}

Tensor call_scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&)> op(
      "aten::scatter_add");
  return op(self, dim, index, src);
}

}  // namespace tenon::kernels
