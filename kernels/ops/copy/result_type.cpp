// SPDX-License-Identifier: Apache-2.0
// Dtypes of results.
#include "kernels/ops/copy/result_type.h"

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels::ops {

namespace {

void give_dtype(const Call& call, Dtype dtype) {
  call.results[0] = tenon_value_of_dtype(static_cast<tenon_dtype>(dtype));
}

}  // namespace

void result_type(const Call& call) {
  ResultType type;
  for (int k = 0; k < 2; ++k) {
    if (call.args[k].tag == TENON_TAG_TENSOR) {
      type.add(call.get<Tensor>(k)->info());
    } else {
      const auto number = call.get<Scalar>(k);
      const bool is_float = number.is_float();
      const Dtype dtype = is_float              ? default_dtype()
                          : number.is_complex() ? to_complex(default_dtype())
                                                : number.dtype();
      type.add(dtype, false, true);
    }
  }
  give_dtype(call, type.get());
}

void can_cast_dtype(const Call& call) {
  const bool can = can_cast(call.get<Dtype>(0), call.get<Dtype>(1));
  call.results[0] = tenon_value_of_bool(can);
}

void promote_types(const Call& call) {
  ResultType type;
  for (int k = 0; k < 2; ++k) type.add(call.get<Dtype>(k), true, false);
  give_dtype(call, type.get());
}

}  // namespace tenon::kernels::ops
