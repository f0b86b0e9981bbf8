// SPDX-License-Identifier: Apache-2.0
// aten::index_put_ on the CPU.
#include "kernels/ops/indexing/index_put.h"

#include "kernels/cpu/indexing/selection.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/ops/arithmetic/add.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
void add_row(const SelectedRow& row) {
  for (int64_t i = 0; i < row.count; ++i) {
    char* at = row.self + i * row.self_stride;
    store<T>(at, ops::Add<Compute<T>>()(load<T>(at), load<T>(row.other + i * row.other_stride)));
  }
}

void index_put_(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const tenon_tensor_info values = call.get<Tensor>(2)->info();
  const Indexing indexing(call.op(), self, call.args[1]);
  const Dims strides = check_index_put(call, self, values, indexing);
  const Dtype dtype = dtype_of_info(self);
  if (!call.get<bool>(3)) {
    const Cast copy(dtype, dtype);
    return each_selected<PlaceOrder::RowMajor>(
        indexing, self, values, strides.begin(), [&](const SelectedRow& row) {
          copy.run(row.self, row.self_stride, row.other, row.other_stride, row.count);
        });
  }
  visit(call.op(), "self", dtype, Joined<BoolType, NumberTypes>(), [&]<class T>(Element<T>) {
    each_selected<PlaceOrder::RowMajor>(indexing, self, values, strides.begin(), &add_row<T>);
  });
}

}  // namespace

Operator operator_kIndexPutInPlace() { return routine_of<ops::kIndexPutInPlace, &index_put_>(); }

}  // namespace tenon::kernels::cpu
