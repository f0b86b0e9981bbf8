// SPDX-License-Identifier: Apache-2.0
// Implements aten::index_copy by calling other operators.
#include "kernels/ops/indexing/index_copy.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/indexing/along_dim.h"

namespace tenon::kernels::ops {

void index_copy(const Call& call) {
  const Tensor result = written_or_copy(call, /*keeps_strides=*/false);
  const AlongDim along(call, result);
  along.check_index();
  call_index_put_(along.self(), along.indices(), along.source("source", *call.get<Tensor>(3)),
                  false);
  if (call.form.written != 0) call.give(0, result);
}

}  // namespace tenon::kernels::ops
