// SPDX-License-Identifier: Apache-2.0
// Implements aten::_unique2, aten::unique_dim and aten::unique_consecutive by calling other
// operators.
#include "kernels/ops/sorting/unique.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&)> pick("aten::index_select");

struct Runs {
  Tensor firsts;   // index of the first element of each run
  Tensor numbers;  // number of the run of each element
  Tensor counts;
};

// Returns the runs of equal elements. `differs` is true for each element after the first that
// differs from the one before it.
Runs runs_of(const Tensor& differs, int64_t count) {
  static constinit const LazyOp<Tensor(const Tensor&)> nonzero("aten::nonzero");
  Tensor begins =
      call_empty(Dims{std::min<int64_t>(count, 1)}, {Dtype::Bool, {}, differs.device(), {}});
  call_fill(begins, Scalar(true));
  begins = call_cat({begins, differs}, 0);
  const Tensor firsts = call_reshape(nonzero(begins), Dims{-1});
  const Tensor numbers = call_add(call_cumsum(begins, 0), Scalar(-1));
  Tensor end = call_empty(Dims{1}, {Dtype::I64, {}, differs.device(), {}});
  call_fill(end, Scalar(count));
  const Tensor ends = call_slice(call_cat({firsts, end}, 0), 0, 1, numel_of(firsts) + 1);
  return {firsts, numbers, call_sub(ends, firsts)};
}

Tensor no_numbers(const Tensor& like) {
  return call_empty(Dims{0}, {Dtype::I64, {}, like.device(), {}});
}

// Reorders numbers of sorted elements to the original order.
Tensor in_old_order(const Tensor& numbers, const Tensor& order) {
  return call_scatter(numbers, 0, order, numbers);
}

void give_runs(const Call& call, const Runs& runs, Tensor values, Tensor inverse, bool has_inverse,
               bool has_counts) {
  Tensor none = no_numbers(values);
  call.give(0, std::move(values));
  call.give(1, has_inverse ? std::move(inverse) : Tensor(none));
  call.give(2, has_counts ? runs.counts : std::move(none));
}

Tensor neighbours_differ(const Tensor& flat) {
  const int64_t count = numel_of(flat);
  return call_ne(call_slice(flat, 0, 1, count),
                 call_slice(flat, 0, 0, std::max<int64_t>(count - 1, 0)));
}

// Returns the slices along a dim as rows of a matrix.
Tensor rows_of(const Call& call, const Tensor& self, int64_t dim) {
  if (self.ndim() == 0) return call_reshape(self, Dims{1, 1});
  const int64_t count = self.size(dim);
  if (count > 0 && numel_of(self) == 0) {
    fail_argument(call.op(), "self", "have slices that are not empty", self.sizes());
  }
  return call_reshape(call_movedim(self, dim, 0),
                      Dims{count, count == 0 ? 0 : numel_of(self) / count});
}

// Returns the selected slices along a dim, contiguous.
Tensor picked(const Tensor& self, int64_t dim, const Tensor& places) {
  return call_movedim(pick(call_movedim(self, dim, 0), 0, places), 0, dim);
}

Tensor rows_differ(const Tensor& rows) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, bool)> any("aten::any.dim");
  const int64_t count = rows.size(0);
  return any(call_ne(call_slice(rows, 0, 1, count),
                     call_slice(rows, 0, 0, std::max<int64_t>(count - 1, 0))),
             1, false);
}

}  // namespace

void unique2(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Tensor flat = call_reshape(self, Dims{numel_of(self)});
  const auto [values, order] = call_sort(flat, 0);
  const Runs runs = runs_of(neighbours_differ(values), numel_of(flat));
  const auto has_inverse = call.get<bool>(2);
  Tensor inverse;
  if (has_inverse) inverse = call_reshape(in_old_order(runs.numbers, order), self.sizes());
  give_runs(call, runs, pick(values, 0, runs.firsts), std::move(inverse), has_inverse,
            call.get<bool>(3));
}

void unique_consecutive(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto has_inverse = call.get<bool>(1), has_counts = call.get<bool>(2);
  const auto given = call.get<std::optional<int64_t>>(3);
  // For a vector PyTorch ignores dim 0.
  if (given && !(*given == 0 && self.ndim() == 1)) {
    const int64_t dim = wrap_dim(call.op(), *given, self.ndim());
    const Tensor rows = rows_of(call, self, dim);
    const Runs runs = runs_of(rows_differ(rows), rows.size(0));
    Tensor values = self.ndim() == 0 ? call_clone(self, MemoryFormat::Contiguous)
                                     : picked(self, dim, runs.firsts);
    // For slices PyTorch always returns both outputs.
    return give_runs(call, runs, std::move(values), runs.numbers, true, true);
  }
  const Tensor flat = call_reshape(self, Dims{numel_of(self)});
  const Runs runs = runs_of(neighbours_differ(flat), numel_of(flat));
  give_runs(call, runs, pick(flat, 0, runs.firsts), call_reshape(runs.numbers, self.sizes()),
            has_inverse, has_counts);
}

// Sorts rows lexicographically by stable sorts of each column, from the last to the first.
void unique_dim(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
  const Tensor rows = rows_of(call, self, dim);
  Tensor order = call_arange(rows.size(0), self);
  // Without elements there is no order, and the sizes do not depend on it.
  const int64_t columns = has_data(kind_of(self)) ? rows.size(1) : 0;
  for (int64_t column = columns - 1; column >= 0; --column) {
    const Tensor places = std::get<1>(call_sort(pick(call_select(rows, 1, column), 0, order), 0));
    order = pick(order, 0, places);
  }
  const Tensor sorted = pick(rows, 0, order);
  const Runs runs = runs_of(rows_differ(sorted), rows.size(0));
  Tensor values = self.ndim() == 0 ? call_clone(self, MemoryFormat::Contiguous)
                                   : picked(self, dim, pick(order, 0, runs.firsts));
  give_runs(call, runs, std::move(values), in_old_order(runs.numbers, order), true, true);
}

}  // namespace tenon::kernels::ops
