// SPDX-License-Identifier: Apache-2.0
// aten::index on the CPU.
#include "kernels/ops/indexing/index.h"

#include <cstring>
#include <optional>
#include <vector>

#include "kernels/cpu/bind.h"
#include "kernels/cpu/indexing/selection.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void copy_selected(const Indexing& indexing, const tenon_tensor_info& self,
                   const tenon_tensor_info& result) {
  const Cast copy(dtype_of_info(self), dtype_of_info(self));
  const int64_t size = size_of(dtype_of_info(self));
  each_selected<PlaceOrder::Any>(
      indexing, self, result, result.strides, [&](const SelectedRow& row) {
        if (row.self_stride == size && row.other_stride == size) {
          std::memcpy(row.other, row.self, static_cast<size_t>(row.count * size));
        } else {
          copy.run(row.other, row.other_stride, row.self, row.self_stride, row.count);
        }
      });
}

void index(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const Indexing indexing(call.op(), self, call.args[1]);
  Tensor result = index_result(call, self, indexing);
  copy_selected(indexing, self, result.info());
  if (call.form.is_functional()) call.give(0, std::move(result));
}

struct BoundIndex {
  std::string op;
  BoundInfo self;
  std::vector<std::optional<BoundInfo>> indices;  // empty: the whole dim
  BoundInfo result;

  void run(void* const* data) const {
    const tenon_tensor_info from = self.at(*data++);
    std::vector<Tensor> held;
    std::vector<tenon_tensor*> list;
    for (const std::optional<BoundInfo>& index : indices) {
      if (!index) {
        list.push_back(nullptr);
        continue;
      }
      const tenon_tensor_info info = index->at(*data++);
      tenon_tensor* wrapped = nullptr;
      check(tenon_tensor_wrap(info.data, info.dtype, &info.device, info.ndim, info.sizes,
                              info.strides, nullptr, nullptr, &wrapped));
      held.push_back(Tensor(wrapped));
      list.push_back(wrapped);
    }
    const auto count = static_cast<uint32_t>(list.size());
    const Indexing indexing(op.c_str(), from, tenon_value_of_tensors(list.data(), count));
    copy_selected(indexing, from, result.at(*data));
  }
};

// Returns an empty plan if an index is a mask, because the sizes then depend on its elements.
tenon_bound plan_index(const Call& call) {
  const tenon_value& list = call.args[1];
  std::vector<std::optional<BoundInfo>> indices;
  for (uint32_t i = 0; i < list.count; ++i) {
    tenon_tensor* const index = static_cast<tenon_tensor* const*>(list.as.list.data)[i];
    if (index == nullptr) {
      indices.emplace_back();
      continue;
    }
    const tenon_tensor_info info = TensorRef(index)->info();
    const Dtype dtype = dtype_of_info(info);
    if (dtype != Dtype::I64 && dtype != Dtype::I32) return {};
    indices.emplace_back(info);
  }
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  Tensor result = index_result(call, self, Indexing(call.op(), self, list));
  auto bound = std::make_unique<BoundIndex>(
      BoundIndex{call.form.name, BoundInfo(self), std::move(indices), BoundInfo(result.info())});
  call.give(0, std::move(result));
  return make_bound(std::move(bound));
}

}  // namespace

Operator operator_kIndexTensor() { return routine_of<ops::kIndexTensor, &index>(); }

tenon_status bind_index(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                        tenon_bound* out_bound) {
  return bind_functional<&plan_index>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
