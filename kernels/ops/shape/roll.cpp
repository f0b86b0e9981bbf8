// SPDX-License-Identifier: Apache-2.0
// Implements aten::roll by calling other operators.
#include "kernels/ops/shape/roll.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

// Returns shift k modulo a concrete size, since a shift may be any int64.
SymbolicSize shift_of(const Call& call, int64_t k, SymbolicSize size) {
  const tenon_value& shifts = call.args[1];
  if (size.is_number() && (shifts.flags & TENON_VALUE_HAS_SYMBOLIC) == 0) {
    const int64_t shift = static_cast<const int64_t*>(shifts.as.list.data)[k];
    return size.word() == 0 ? 0 : shift % size.word();
  }
  return sizes_argument(call, 1)[k];
}

Tensor rolled(const Call& call, const Tensor& self, int64_t k, int64_t given) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> cat("aten::cat");
  const int64_t dim = wrap_dim(call.op(), given, self.ndim());
  const SymbolicSize size = word_along(self, dim), shift = shift_of(call, k, size);
  const SymbolicSize moved = size == 0 ? SymbolicSize(0) : shift - shift / size * size;
  if (moved == 0) return call_clone(self, MemoryFormat::Contiguous);
  const std::vector<Tensor> parts{call_slice(self, dim, size - moved, size),
                                  call_slice(self, dim, SymbolicSize(0), size - moved)};
  return cat(parts, dim);
}

}  // namespace

void roll(const Call& call) {
  const int64_t shifts = call.args[1].count;
  const Dims dims(call.get<Sizes>(2));
  Tensor result = *call.get<Tensor>(0);
  if (shifts == 0) fail_argument(call.op(), "shifts", "have at least one number", "none");
  if (dims.empty() && shifts == 1) {
    const SymbolicDims sizes = words_of(result), flat{numel_word(result)};
    result = rolled(call, call_reshape(result, flat), 0, 0);
    return call.give(0, call_reshape(result, sizes));
  }
  if (dims.size() != shifts) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims must be as many as shifts, ", shifts, ", got ", Sizes(dims)});
  }
  if (result.ndim() == 0) {
    fail(TENON_ERROR_INDEX,
         {call.op(), ": dims must be none for a 0-dim tensor, got ", Sizes(dims)});
  }
  for (int64_t i = 0; i < dims.size(); ++i) {
    result = rolled(call, result, i, dims[i]);
  }
  call.give(0, result);
}

}  // namespace tenon::kernels::ops
