// SPDX-License-Identifier: Apache-2.0
// Implements aten::tril_indices and aten::triu_indices.
#include "kernels/ops/factories/tril_indices.h"

#include <vector>

#include "kernels/common/checked_size.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// The elements of a matrix on and below a diagonal, or on and above it.
struct Triangle {
  int64_t rows;
  int64_t columns;
  int64_t offset;  // of the diagonal, from -rows to columns
  bool is_lower;

  int64_t first(int64_t row) const {
    return is_lower ? 0 : std::clamp<int64_t>(row + offset, 0, columns);
  }
  int64_t end(int64_t row) const {
    return is_lower ? std::clamp<int64_t>(row + offset + 1, 0, columns) : columns;
  }
};

// Returns the number of elements on and below the diagonal.
CheckedSize count_below(const char* op, int64_t rows, int64_t columns, int64_t offset) {
  if (rows == 0 || columns == 0) return {op, 0};
  // Rows before `begin` have no element, and those from `full` on all columns.
  const int64_t begin = std::clamp<int64_t>(-offset, 0, rows);
  const int64_t end = (CheckedSize(op, columns) - offset).value();
  const int64_t full = std::clamp<int64_t>(end, begin, rows), growing = full - begin;
  const CheckedSize whole = CheckedSize(op, rows - full) * columns;
  // Each row between them has one element more than the row before. The product is even, since
  // either their number or twice their mean is.
  const int64_t ends = (CheckedSize(op, begin) + offset + 1 + full + offset).value();
  return whole + (growing % 2 == 0 ? CheckedSize(op, growing / 2) * ends
                                   : CheckedSize(op, growing) * (ends / 2));
}

// Returns the number of elements of a triangle.
int64_t count_of(const char* op, const Triangle& triangle) {
  const auto [rows, columns, offset, is_lower] = triangle;
  if (is_lower) return count_below(op, rows, columns, offset).value();
  // After a rotation by 180 degrees, the elements above the diagonal are below it.
  return count_below(op, rows, columns, columns - rows - offset).value();
}

void give_triangle(const Call& call, bool is_lower) {
  const auto rows = call.get<int64_t>(0), columns = call.get<int64_t>(1);
  if (rows < 0) fail_argument(call.op(), "row", ">= 0", rows);
  if (columns < 0) fail_argument(call.op(), "col", ">= 0", columns);
  const int64_t offset = std::clamp(call.get<int64_t>(2), -rows, columns);
  const Triangle triangle{rows, columns, offset, is_lower};
  const int64_t count = count_of(call.op(), triangle);
  const Dims sizes{2, count};
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(Tensor::retain(call.written()).info(), {});
  if (!options.dtype) options.dtype = Dtype::I64;
  Tensor made = call_empty(sizes, options);
  if (has_data(kind_of(made))) {
    std::vector<int64_t> indices(static_cast<size_t>((CheckedSize(call.op(), count) * 2).value()));
    size_t next = 0;
    const int64_t begin = is_lower ? std::clamp<int64_t>(-offset, 0, rows) : 0;
    for (int64_t row = begin; row < rows && next < static_cast<size_t>(count); ++row) {
      const int64_t end = triangle.end(row);
      for (int64_t column = triangle.first(row); column < end; ++column, ++next) {
        indices[next] = row;
        indices[next + static_cast<size_t>(count)] = column;
      }
    }
    call_copy(made, Tensor::adopt(std::move(indices), sizes));
  }
  call.give(0, std::move(made));
}

}  // namespace

void tril_indices(const Call& call) { give_triangle(call, /*is_lower=*/true); }

void triu_indices(const Call& call) { give_triangle(call, /*is_lower=*/false); }

}  // namespace tenon::kernels::ops
