// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::index.
#include "kernels/ops/indexing/index.h"

#include "kernels/common/overlap.h"
#include "kernels/common/symbolic/symbolic.h"
#include "kernels/common/symbolic/unbacked.h"

namespace tenon::kernels {

Tensor index_result(const Call& call, const tenon_tensor_info& self, const Indexing& indexing) {
  const Dims strides = indexing.strides();
  Tensor result =
      result_for(call, indexing.sizes(), dtype_of_info(self), Device(self.device), strides.begin());
  if (!call.form.is_functional()) check_no_overlap(call.op(), result.info(), self);
  return result;
}

namespace ops {

namespace {

// Handles one mask over the first dims of a fake tensor: the number of selected elements is a
// symbol.
bool give_masked(const Call& call, const tenon_tensor_info& self) {
  const tenon_value& indices = call.args[1];
  if (!call.form.is_functional() || indices.count != 1) return false;
  const tenon_tensor* mask = static_cast<tenon_tensor* const*>(indices.as.list.data)[0];
  if (mask == nullptr) return false;
  tenon_tensor_info given;
  check(tenon_tensor_describe(mask, &given));
  const auto dims = static_cast<size_t>(given.ndim);
  const bool fits = dtype_of_info(given) == Dtype::Bool && given.ndim <= self.ndim &&
                    std::equal(given.sizes, given.sizes + dims, self.sizes);
  if (!fits || !makes_symbols(given)) return false;
  SymbolicDims sizes;
  sizes.insert(0, new_size(given.numel));
  for (int64_t d = given.ndim; d < self.ndim; ++d) sizes.insert(sizes.size(), self.sizes[d]);
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes));
  return true;
}

}  // namespace

void index_meta(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (give_masked(call, self)) return;
  Tensor result = index_result(call, self, Indexing(call.op(), self, call.args[1]));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
