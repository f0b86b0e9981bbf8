// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::index_put, and the operators that it calls.
#include "kernels/ops/indexing/index_put.h"

#include "kernels/common/overlap.h"
#include "kernels/common/walk.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels {

Dims check_index_put(const Call& call, const tenon_tensor_info& self,
                     const tenon_tensor_info& values, const Indexing& indexing) {
  const char* op = call.op();
  check_writable(call, self);
  check_defined(op, "values", values);
  check_dtype_of(op, "values", dtype_of_info(values), "self", dtype_of_info(self));
  if (!(Device(values.device) == Device(self.device))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": values must be on ", Device(self.device),
                                        " like self, got ", Device(values.device)});
  }
  check_no_internal_overlap(op, self);
  check_no_overlap(op, self, values);
  const int64_t missing = indexing.sizes().size() - values.ndim;
  bool fits = missing >= 0;
  for (int32_t d = 0; fits && d < values.ndim; ++d) {
    fits = values.sizes[d] == 1 || values.sizes[d] == indexing.sizes()[missing + d];
  }
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": values must have a shape that broadcasts to that of what is selected, ",
          indexing.sizes(), ", got ", sizes_of(values)});
  }
  Dims result;
  result.resize(indexing.sizes().size());
  broadcast_strides(indexing.sizes(), sizes_of(values), strides_of(values), result.begin());
  return result;
}

namespace ops {

void index_put_meta(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const Indexing indexing(call.op(), self, call.args[1]);
  check_index_put(call, self, call.get<Tensor>(2)->info(), indexing);
}

void index_put(const Call& call) {
  Tensor result = call_clone(call.get<Tensor>(0), MemoryFormat::Preserve);
  call_index_put_(result, call.get<TensorList>(1), call.get<Tensor>(2), call.get<bool>(3));
  call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
