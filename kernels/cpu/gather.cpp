// SPDX-License-Identifier: Apache-2.0
// aten::gather on the CPU.
#include "kernels/ops/gather.h"

#include "kernels/cpu/places.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void gather(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = gather_result(call, dim);
  const tenon_tensor_info info = result.info();
  const Places places(call.op(), call.get<Tensor>(0)->info(), dim, call.get<Tensor>(2)->info(),
                      info.data, info.strides);
  visit_size(dtype_of_info(info),
             [&]<class T>(T) { places.each<T>([](const T& self, T& result) { result = self; }); });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kGather() { return routine_of<ops::kGather, &gather>(); }

}  // namespace tenon::kernels::cpu
