// SPDX-License-Identifier: Apache-2.0
// aten::cummax and aten::cummin on the CPU.
#include "kernels/ops/cumulative/cummax.h"

#include "kernels/cpu/loops/lines.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Once there is a NaN, it stays the extreme. The last one of several equal elements counts.
template <class T, bool kLargest>
void extremes_of_line(char* const* data, const LineShape& line) {
  char* values = data[0];
  char* indices = data[1];
  const char* in = data[2];
  Compute<T> best = load<T>(in);
  int64_t at = 0;
  for (int64_t i = 0; i < line.count; ++i) {
    const Compute<T> next = load<T>(in);
    const bool is_better = kLargest ? next >= best : next <= best;
    if (next != next || (best == best && is_better)) {
      best = next;
      at = i;
    }
    store<T>(values, best);
    store<int64_t>(indices, at);
    values += line.steps[0];
    indices += line.steps[1];
    in += line.steps[2];
  }
}

template <bool kLargest>
void running(const Call& call) {
  ops::RunningExtremes results = ops::running_extremes(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const tenon_tensor_info values = results.values.info(), indices = results.indices.info();
  visit(call.op(), "self", dtype_of_info(self), Joined<BoolType, RealTypes>(),
        [&]<class T>(Element<T>) {
          each_line(results.dim, &extremes_of_line<T, kLargest>, values, indices, self);
        });
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.values));
  call.give(1, std::move(results.indices));
}

}  // namespace

Operator operator_kCummax() { return routine_of<ops::kCummax, &running<true>>(); }
Operator operator_kCummin() { return routine_of<ops::kCummin, &running<false>>(); }

}  // namespace tenon::kernels::cpu
