// SPDX-License-Identifier: Apache-2.0
// aten::cdist and aten::pdist on the CPU, element by element in the dtype of the rows; small floats
// are computed as float.
#include "kernels/ops/distance/cdist.h"

#include <cmath>

#include "kernels/common/checked_size.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Two rows of elements; strides are in bytes.
struct RowPair {
  const char* a;
  const char* b;
  int64_t a_stride;
  int64_t b_stride;
  int64_t count;
};

template <class T>
Compute<T> row_distance(const RowPair& rows, double p) {
  using C = Compute<T>;
  C total = 0;
  const auto power = static_cast<C>(p);
  const char* a = rows.a;
  const char* b = rows.b;
  for (int64_t i = 0; i < rows.count; ++i, a += rows.a_stride, b += rows.b_stride) {
    const C width = std::abs(load<T>(a) - load<T>(b));
    if (p == 0) {
      total += width != 0 ? C(1) : C(0);
    } else if (p == 1) {
      total += width;
    } else if (p == 2) {
      total += width * width;
    } else if (std::isinf(p)) {
      if (width > total || width != width) total = width;
    } else {
      total += std::pow(width, power);
    }
  }
  if (p == 2) return std::sqrt(total);
  return p == 0 || p == 1 || std::isinf(p) ? total : std::pow(total, 1 / power);
}

template <class T>
struct DistanceLoop {
  static constexpr int64_t kSize = sizeof(T);

  const DistancePlan& plan;
  tenon_tensor_info result;

  const char* matrix(const tenon_tensor_info& x, const Dims& place) const {
    const auto skipped = plan.batch.size() - (x.ndim - 2);
    int64_t offset = 0;
    for (int32_t d = 0; d < x.ndim - 2; ++d) {
      if (x.sizes[d] != 1) offset += place[skipped + d] * x.strides[d];
    }
    return static_cast<const char*>(x.data) + offset * kSize;
  }

  // Computes one row of distances; `line` counts the rows of all batches of x1.
  void run(int64_t line) const {
    const int64_t rows = result.sizes[result.ndim - 2], columns = result.sizes[result.ndim - 1];
    const int64_t row = line % rows;
    int64_t left = line / rows;
    Dims place = plan.batch;
    int64_t offset = row * result.strides[result.ndim - 2];
    for (int64_t d = place.size() - 1; d >= 0; --d) {
      const int64_t at = left % plan.batch[d];
      left /= plan.batch[d];
      place[d] = at;
      offset += at * result.strides[d];
    }
    const tenon_tensor_info& x1 = plan.x1;
    const tenon_tensor_info& x2 = plan.x2;
    RowPair pair{matrix(x1, place) + row * x1.strides[x1.ndim - 2] * kSize, matrix(x2, place),
                 wrapped_product(x1.strides[x1.ndim - 1], kSize),
                 wrapped_product(x2.strides[x2.ndim - 1], kSize), x1.sizes[x1.ndim - 1]};
    char* to = static_cast<char*>(result.data) + offset * kSize;
    const int64_t next_row = wrapped_product(x2.strides[x2.ndim - 2], kSize);
    const int64_t next_column = wrapped_product(result.strides[result.ndim - 1], kSize);
    for (int64_t k = 0; k < columns; ++k) {
      store<T>(to, row_distance<T>(pair, plan.p));
      pair.b += next_row;
      to += next_column;
    }
  }
};

void cdist_forward(const Call& call) {
  DistancePlan plan = cdist_plan(call);
  const tenon_tensor_info result = plan.result.info();
  if (result.numel != 0) {
    const int64_t columns = result.sizes[result.ndim - 1];
    const int64_t each = columns * std::max<int64_t>(plan.x1.sizes[plan.x1.ndim - 1], 1);
    visit(call.op(), "x1", dtype_of_info(result), FloatTypes(), [&]<class T>(Element<T>) {
      const DistanceLoop<T> loop{plan, result};
      parallel_for(result.numel / columns, std::max<int64_t>(kGrain / each, 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t line = begin; line < end; ++line) loop.run(line);
                   });
    });
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

template <class T>
void write_pairs(const PairDistances& plan, const tenon_tensor_info& result) {
  const tenon_tensor_info& self = plan.self;
  constexpr int64_t kSize = sizeof(T);
  const int64_t rows = self.sizes[0], step = wrapped_product(self.strides[0], kSize);
  const int64_t each = std::max<int64_t>(rows * self.sizes[1], 1);
  const char* data = static_cast<const char*>(self.data);
  parallel_for(rows, std::max<int64_t>(kGrain / each, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * rows - i * (i + 1) / 2;  // index of the first distance of row i
      char* to = static_cast<char*>(result.data) + first * result.strides[0] * kSize;
      for (int64_t j = i + 1; j < rows; ++j) {
        const int64_t stride = wrapped_product(self.strides[1], kSize);
        const RowPair pair{data + i * step, data + j * step, stride, stride, self.sizes[1]};
        store<T>(to, row_distance<T>(pair, plan.p));
        to += result.strides[0] * kSize;
      }
    }
  });
}

void pdist_forward(const Call& call) {
  PairDistances plan = pdist_plan(call);
  const tenon_tensor_info result = plan.result.info();
  if (result.numel != 0) {
    visit(call.op(), "self", dtype_of_info(result), FloatTypes(),
          [&]<class T>(Element<T>) { write_pairs<T>(plan, result); });
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace

Operator operator_kCdistForward() { return routine_of<ops::kCdistForward, &cdist_forward>(); }
Operator operator_kPdistForward() { return routine_of<ops::kPdistForward, &pdist_forward>(); }

}  // namespace tenon::kernels::cpu
