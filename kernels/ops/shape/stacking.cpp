// SPDX-License-Identifier: Apache-2.0
// Views with more dims, and operators that join them.
#include "kernels/ops/shape/stacking.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

// Returns self with leading dims of size 1 and, for the third dim, a trailing one.
Tensor with_dims(const Tensor& self, int64_t count) {
  if (self.ndim() >= count) return self;
  if (self.ndim() == 0) return call_reshape(self, Sizes(Dims::filled(count, 1)));
  if (self.ndim() == 1 && count == 2) return call_unsqueeze(self, 0);
  return self.ndim() == 1 ? call_reshape(self, SymbolicDims{1, word_along(self, 0), 1})
                          : call_unsqueeze(self, 2);
}

std::vector<Tensor> each_with_dims(const Call& call, int64_t count) {
  const auto tensors = call.get<TensorList>(0);
  std::vector<Tensor> all;
  for (int64_t i = 0; i < tensors.size(); ++i) all.push_back(with_dims(tensors[i], count));
  return all;
}

void give_joined(const Call& call, const std::vector<Tensor>& parts, int64_t dim) {
  static constinit const LazyOp<Tensor(const TensorList&, int64_t)> joined("aten::cat");
  if (parts.empty()) {
    fail_argument(call.op(), "tensors", "a list of at least one tensor", "an empty list");
  }
  call.give(0, joined(TensorList(parts), dim));
}

}  // namespace

void atleast_1d(const Call& call) { call.give(0, with_dims(call.get<Tensor>(0), 1)); }
void atleast_2d(const Call& call) { call.give(0, with_dims(call.get<Tensor>(0), 2)); }
void atleast_3d(const Call& call) { call.give(0, with_dims(call.get<Tensor>(0), 3)); }
void atleast_1d_each(const Call& call) { call.give(0, each_with_dims(call, 1)); }
void atleast_2d_each(const Call& call) { call.give(0, each_with_dims(call, 2)); }
void atleast_3d_each(const Call& call) { call.give(0, each_with_dims(call, 3)); }

void hstack(const Call& call) {
  const std::vector<Tensor> parts = each_with_dims(call, 1);
  give_joined(call, parts, !parts.empty() && parts[0].ndim() == 1 ? 0 : 1);
}
void vstack(const Call& call) { give_joined(call, each_with_dims(call, 2), 0); }
void dstack(const Call& call) { give_joined(call, each_with_dims(call, 3), 2); }

void column_stack(const Call& call) {
  const auto tensors = call.get<TensorList>(0);
  std::vector<Tensor> columns;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const TensorRef tensor = tensors[i];
    const bool is_flat = tensor->ndim() <= 1;
    columns.push_back(is_flat ? call_reshape(*tensor, SymbolicDims{numel_word(*tensor), 1})
                              : Tensor(*tensor));
  }
  give_joined(call, columns, 1);
}

}  // namespace tenon::kernels::ops
