// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_addcmul and aten::_foreach_addcdiv with numbers in a tensor.
#include "kernels/ops/foreach/foreach_arithmetic.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

using Combine = LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, const Scalar&)>;
using CombineInPlace = LazyOp<void(const Tensor&, const Tensor&, const Tensor&, const Scalar&)>;

void combine_each(const Call& call, const Combine& combine, const CombineInPlace& in_place) {
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const std::vector<Tensor> selves = tensors_of(call.get<TensorList>(0));
  const std::vector<Tensor> firsts = tensors_of(call.get<TensorList>(1));
  const std::vector<Tensor> seconds = tensors_of(call.get<TensorList>(2));
  const Tensor numbers = *call.get<Tensor>(3);
  const auto count = static_cast<int64_t>(selves.size());
  if (numbers.ndim() != 1 || numel_of(numbers) != count) {
    fail_argument(call.op(), "scalars", "a vector of a number for each tensor", numbers.sizes());
  }
  if (firsts.size() != selves.size() || seconds.size() != selves.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": tensor1 and tensor2 must have as many tensors as self, ", count, ", got ",
          static_cast<int64_t>(firsts.size()), " and ", static_cast<int64_t>(seconds.size())});
  }
  std::vector<Tensor> results;
  for (size_t k = 0; k < selves.size(); ++k) {
    const Scalar number = item(call_select(numbers, 0, static_cast<int64_t>(k)));
    if (is_in_place(call)) {
      in_place(selves[k], firsts[k], seconds[k], number);
    } else {
      results.push_back(combine(selves[k], firsts[k], seconds[k], number));
    }
  }
  if (!is_in_place(call)) call.give(0, results);
}

}  // namespace

void foreach_addcmul_numbers(const Call& call) {
  static constinit const Combine combine("aten::addcmul");
  static constinit const CombineInPlace in_place("aten::addcmul_");
  combine_each(call, combine, in_place);
}

void foreach_addcdiv_numbers(const Call& call) {
  static constinit const Combine combine("aten::addcdiv");
  static constinit const CombineInPlace in_place("aten::addcdiv_");
  combine_each(call, combine, in_place);
}

}  // namespace tenon::kernels::ops
