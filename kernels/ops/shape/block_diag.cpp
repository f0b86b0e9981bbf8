// SPDX-License-Identifier: Apache-2.0
// Implements aten::block_diag by calling other operators.
#include "kernels/ops/shape/block_diag.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

Tensor as_matrix(const Call& call, const Tensor& tensor, int64_t position) {
  if (tensor.ndim() == 2) return tensor;
  if (tensor.ndim() > 2) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": tensors must have at most 2 dims, got sizes ",
                                        tensor.sizes(), " at position ", position});
  }
  return call_reshape(tensor, Dims{1, numel_of(tensor)});
}

}  // namespace

void block_diag(const Call& call) {
  std::vector<Tensor> blocks = tensors_of(call.get<TensorList>(0));
  if (blocks.empty()) {
    Tensor none = call_empty(Dims{1, 0}, {});
    return call.give(0, std::move(none));
  }
  int64_t columns = 0;
  for (size_t k = 0; k < blocks.size(); ++k) {
    blocks[k] = as_matrix(call, blocks[k], static_cast<int64_t>(k));
    columns = (CheckedSize(call.op(), columns) + blocks[k].size(1)).value();
  }
  // Places each block between zeros that fill its rows.
  std::vector<Tensor> rows;
  int64_t before = 0;
  for (const Tensor& block : blocks) {
    const FactoryOptions options = options_like(kind_of(block), {});
    const int64_t height = block.size(0), after = columns - before - block.size(1);
    rows.push_back(call_cat({call_zeros(Dims{height, before}, options), block,
                             call_zeros(Dims{height, after}, options)},
                            1));
    before += block.size(1);
  }
  call.give(0, call_cat(rows, 0));
}

}  // namespace tenon::kernels::ops
