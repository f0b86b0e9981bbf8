// SPDX-License-Identifier: Apache-2.0
// aten::gather on the CPU.
#include "kernels/ops/indexing/gather.h"

#include "kernels/cpu/bind.h"
#include "kernels/cpu/indexing/places.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void copy_places(const char* op, const tenon_tensor_info& self, int64_t dim,
                 const tenon_tensor_info& index, const tenon_tensor_info& result,
                 PlaceCheck check) {
  const Places places(op, self, dim, index, result.data, result.strides, check);
  visit_size(dtype_of_info(result), [&]<class T>(T) { places.each<T>(MoveOut()); });
}

void gather(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = gather_result(call, dim);
  copy_places(call.op(), call.get<Tensor>(0)->info(), dim, call.get<Tensor>(2)->info(),
              result.info(), check_of(call.form));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

struct BoundGather {
  std::string op;
  BoundInfo self;
  int64_t dim;
  BoundInfo index;
  BoundInfo result;

  void run(void* const* data) const {
    copy_places(op.c_str(), self.at(data[0]), dim, index.at(data[1]), result.at(data[2]),
                PlaceCheck::First);
  }
};

tenon_bound plan_gather(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = gather_result(call, dim);
  auto bound = std::make_unique<BoundGather>(
      BoundGather{call.form.name, BoundInfo(call.get<Tensor>(0)->info()), dim,
                  BoundInfo(call.get<Tensor>(2)->info()), BoundInfo(result.info())});
  call.give(0, std::move(result));
  return make_bound(std::move(bound));
}

}  // namespace

Operator operator_kGather() { return routine_of<ops::kGather, &gather>(); }

tenon_status bind_gather(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                         tenon_bound* out_bound) {
  return bind_functional<&plan_gather>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
