// SPDX-License-Identifier: Apache-2.0
// Implements aten::combinations and aten::cartesian_prod by calling other operators.
#include "kernels/ops/shape/combinations.h"

#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Advances to the next choice of positions. Returns false after the last one.
bool next_choice(std::vector<int64_t>& chosen, int64_t count, bool with_replacement) {
  const auto size = static_cast<int64_t>(chosen.size());
  for (int64_t k = size - 1; k >= 0; --k) {
    const auto at = static_cast<size_t>(k);
    const int64_t last = with_replacement ? count - 1 : count - (size - k);
    if (chosen[at] == last) continue;
    ++chosen[at];
    for (size_t i = at + 1; i < chosen.size(); ++i)
      chosen[i] = with_replacement ? chosen[at] : chosen[i - 1] + 1;
    return true;
  }
  return false;
}

// Returns the number of choices: of `count` elements, or of count + size - 1 with replacement.
int64_t count_choices(const Call& call, int64_t count, int64_t size, bool with_replacement) {
  if (count == 0 || (!with_replacement && size > count)) return 0;
  const int64_t all = with_replacement ? (CheckedSize(call.op(), count) + size - 1).value() : count;
  const int64_t least = std::min(size, all - size);
  CheckedSize choices(call.op(), 1);
  // Each quotient is exact: a product of k + 1 consecutive integers is divisible by k + 1.
  for (int64_t k = 0; k < least; ++k) {
    choices = CheckedSize(call.op(), (choices * (all - k)).value() / (k + 1));
  }
  return choices.value();
}

}  // namespace

void combinations(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&)> pick(
      "aten::index_select");
  const Tensor self = *call.get<Tensor>(0);
  const auto size = call.get<int64_t>(1);
  const auto with_replacement = call.get<bool>(2);
  if (self.ndim() != 1) fail_argument(call.op(), "self", "a vector (1 dim)", self.sizes());
  if (size < 0) fail_argument(call.op(), "r", "at least 0", size);
  if (size == 0) return call.give(0, call_empty(Dims{0}, options_like(kind_of(self), {})));
  const int64_t count = self.size(0);
  const int64_t rows = count_choices(call, count, size, with_replacement);
  if (rows == 0) return call.give(0, call_empty(Dims{0, size}, options_like(kind_of(self), {})));
  const int64_t places = (CheckedSize(call.op(), rows) * size).value();
  // Elements cannot be written to a fake tensor or one on Meta.
  const bool has_memory = self.info().data != nullptr;
  Tensor where = call_empty(Dims{places}, {Dtype::I64, {}, self.device(), {}});
  if (has_memory) {
    std::vector<int64_t> positions, chosen(static_cast<size_t>(size));
    positions.reserve(static_cast<size_t>(places));
    for (int64_t k = 0; k < size; ++k) chosen[static_cast<size_t>(k)] = with_replacement ? 0 : k;
    do {
      positions.insert(positions.end(), chosen.begin(), chosen.end());
    } while (next_choice(chosen, count, with_replacement));
    call_copy(where, Tensor::adopt(std::move(positions), Dims{places}));
  }
  call.give(0, call_reshape(pick(self, 0, where), Dims{rows, size}));
}

void cartesian_prod(const Call& call) {
  static constinit const LazyOp<std::vector<Tensor>(TensorList, std::string_view)> meshgrid(
      "aten::meshgrid.indexing");
  const std::vector<Tensor> vectors = tensors_of(call.get<TensorList>(0));
  if (vectors.empty())
    fail_argument(call.op(), "tensors", "a list of at least one tensor", "an empty list");
  for (const Tensor& one : vectors) {
    if (one.ndim() != 1) fail_argument(call.op(), "tensors", "vectors (1 dim)", one.sizes());
  }
  if (vectors.size() == 1) return call.give(0, Tensor(vectors[0]));
  std::vector<Tensor> columns;
  for (const Tensor& one : meshgrid(vectors, "ij"))
    columns.push_back(call_reshape(one, Dims{numel_of(one)}));
  call.give(0, call_stack(columns, 1));
}

}  // namespace tenon::kernels::ops
