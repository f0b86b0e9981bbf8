// SPDX-License-Identifier: Apache-2.0
// Implements aten::_to_copy by calling other operators.
#include "kernels/ops/copy/to_copy.h"

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void to_copy(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const tenon_tensor_info info = self->info();
  FactoryOptions options = options_of(call);
  // The out form makes a copy with the dtype of `out`.
  if (call.form.is_out()) options.dtype = Tensor::retain(call.written()).dtype();
  const auto format = call.get<std::optional<MemoryFormat>>(call.form.memory_format);
  Tensor result = empty_in_format(call.op(), info, format.value_or(MemoryFormat::Preserve),
                                  options_like(info, options));
  call_copy(result, self, call.get<bool>(call.form.memory_format - 1));
  call.give(0, std::move(result));
}

}  // namespace tenon::kernels::ops
