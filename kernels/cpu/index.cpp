// SPDX-License-Identifier: Apache-2.0
// aten::index on the CPU.
#include "kernels/ops/index.h"

#include <cstring>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/selection.h"

namespace tenon::kernels::cpu {
namespace {

void index(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const Indexing indexing(call.op(), self, call.args[1]);
  Tensor result = index_result(call, self, indexing);
  const tenon_tensor_info info = result.info();
  const Cast copy(dtype_of_info(self), dtype_of_info(self));
  const int64_t size = size_of(dtype_of_info(self));
  each_selected<PlaceOrder::Any>(indexing, self, info, info.strides, [&](const SelectedRow& row) {
    if (row.self_stride == size && row.other_stride == size) {
      std::memcpy(row.other, row.self, static_cast<size_t>(row.count * size));
    } else {
      copy.run(row.other, row.other_stride, row.self, row.self_stride, row.count);
    }
  });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kIndexTensor() { return routine_of<ops::kIndexTensor, &index>(); }

}  // namespace tenon::kernels::cpu
