// SPDX-License-Identifier: Apache-2.0
// Computes the order of dims that aten::movedim passes to permute.
#include "kernels/ops/views/movedim.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

Tensor moved(const char* op, const Tensor& self, Sizes source, Sizes destination) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> permute("aten::permute");
  const int64_t ndim = self.ndim();
  if (source.size() != destination.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": destination must have as many dims as source, got ",
                                        source, " and ", destination});
  }
  if (ndim == 0) {
    for (const int64_t dim : source) wrap_dim(op, dim, ndim);
    for (const int64_t dim : destination) wrap_dim(op, dim, ndim);
    return permute(self, Dims{});
  }
  Dims order = Dims::filled(ndim, -1);  // the dim at each position
  uint64_t taken = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = wrap_dim(op, source[i], ndim);
    const int64_t to = wrap_dim(op, destination[i], ndim);
    if ((taken >> from & 1) != 0) fail_argument(op, "source", "free of duplicates", source);
    if (order[to] != -1) fail_argument(op, "destination", "free of duplicates", destination);
    taken |= uint64_t{1} << from;
    order[to] = from;
  }
  int64_t next = 0;
  for (int64_t position = 0; position < ndim; ++position) {
    if (order[position] != -1) continue;
    while ((taken >> next & 1) != 0) ++next;
    order[position] = next++;
  }
  return permute(self, order);
}

}  // namespace

void movedim(const Call& call) {
  call.give(0, moved(call.op(), call.get<Tensor>(0), call.get<Sizes>(1), call.get<Sizes>(2)));
}

void movedim_int(const Call& call) {
  const Dims source{call.get<int64_t>(1)};
  const Dims destination{call.get<int64_t>(2)};
  call.give(0, moved(call.op(), call.get<Tensor>(0), source, destination));
}

}  // namespace tenon::kernels::ops
