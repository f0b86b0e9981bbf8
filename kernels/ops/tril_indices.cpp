// SPDX-License-Identifier: Apache-2.0
// What aten::tril_indices and aten::triu_indices give.
#include "kernels/ops/tril_indices.h"

#include <vector>

#include "kernels/ops/calls.h"
#include "kernels/ops/factory.h"

namespace tenon::kernels::ops {
namespace {

// Of each row the columns from `first(row)` up to `end(row)`, as far as there are such.
template <class First, class End>
void give_triangle(const Call& call, const First& first, const End& end) {
  const auto rows = call.get<int64_t>(0), columns = call.get<int64_t>(1);
  if (rows < 0) fail_argument(call.op(), "row", ">= 0", rows);
  if (columns < 0) fail_argument(call.op(), "col", ">= 0", columns);
  std::vector<int64_t> indices, second;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t to = std::clamp<int64_t>(end(row), 0, columns);
    for (int64_t column = std::max<int64_t>(first(row), 0); column < to; ++column) {
      indices.push_back(row);
      second.push_back(column);
    }
  }
  const Dims sizes{2, static_cast<int64_t>(second.size())};
  indices.insert(indices.end(), second.begin(), second.end());
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(Tensor::retain(call.written()).info(), {});
  if (!options.dtype) options.dtype = Dtype::I64;
  Tensor made = call_empty(sizes, options);
  if (has_data(kind_of(made))) call_copy(made, Tensor::adopt(std::move(indices), sizes));
  call.give(0, std::move(made));
}

}  // namespace

void tril_indices(const Call& call) {
  const auto offset = call.get<int64_t>(2);
  give_triangle(
      call, [](int64_t) { return 0; }, [=](int64_t row) { return row + offset + 1; });
}

void triu_indices(const Call& call) {
  const auto offset = call.get<int64_t>(2), columns = call.get<int64_t>(1);
  give_triangle(
      call, [=](int64_t row) { return row + offset; }, [=](int64_t) { return columns; });
}

}  // namespace tenon::kernels::ops
