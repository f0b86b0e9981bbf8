// SPDX-License-Identifier: Apache-2.0
// aten::_softmax and aten::_log_softmax on the CPU, and their gradients: row after row, in a buffer
// that stays in the nearest cache.
#include "kernels/ops/softmax.h"

#include <limits>
#include <memory>

#include "kernels/common/maths.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/row_sums.h"
#include "kernels/cpu/shared_loop.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

enum class RowStep { Softmax, LogSoftmax, SoftmaxBackward, LogSoftmaxBackward };

// ---- One row ------------------------------------------------------------------------------------

template <class T>
[[gnu::always_inline]] inline T largest_of(const T* row, int64_t count) {
  T lanes[kRowLanes];
  std::fill_n(lanes, kRowLanes, -std::numeric_limits<T>::infinity());
  int64_t i = 0;
  for (; i + kRowLanes <= count; i += kRowLanes) {
    TENON_INDEPENDENT
    for (int64_t k = 0; k < kRowLanes; ++k)
      lanes[k] = row[i + k] > lanes[k] ? row[i + k] : lanes[k];
  }
  for (int64_t k = 0; i < count; ++i, ++k) lanes[k] = row[i] > lanes[k] ? row[i] : lanes[k];
  for (int64_t width = kRowLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) {
      lanes[k] = lanes[k + width] > lanes[k] ? lanes[k + width] : lanes[k];
    }
  }
  return lanes[0];
}

// `a` is the input, or the gradient; `b` the output that a gradient is of.
template <RowStep kStep, class T>
[[gnu::always_inline]] inline void step_row(const T* a, const T* b, T* out, int64_t count) {
  if constexpr (kStep == RowStep::Softmax) {
    const T largest = largest_of(a, count);
    const T sum = sum_of<T>(count, [&](int64_t i) { return out[i] = maths::exp(a[i] - largest); });
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = out[i] / sum;
  } else if constexpr (kStep == RowStep::LogSoftmax) {
    const T largest = largest_of(a, count);
    const T sum = sum_of<T>(count, [&](int64_t i) { return maths::exp(a[i] - largest); });
    const T logarithm = maths::log(sum);
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = a[i] - largest - logarithm;
  } else if constexpr (kStep == RowStep::SoftmaxBackward) {
    const T sum = sum_of<T>(count, [&](int64_t i) { return a[i] * b[i]; });
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = b[i] * (a[i] - sum);
  } else {
    const T sum = sum_of<T>(count, [&](int64_t i) { return a[i]; });
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = a[i] - maths::exp(b[i]) * sum;
  }
}

template <RowStep kStep, class T>
void row_base(const T* a, const T* b, T* out, int64_t count) {
  step_row<kStep>(a, b, out, count);
}
#if defined(TENON_AVX2)
template <RowStep kStep, class T>
TENON_AVX2 void row_avx2(const T* a, const T* b, T* out, int64_t count) {
  step_row<kStep>(a, b, out, count);
}
template <RowStep kStep, class T>
TENON_AVX512 void row_avx512(const T* a, const T* b, T* out, int64_t count) {
  step_row<kStep>(a, b, out, count);
}
#endif

template <class T>
using Row = void (*)(const T* a, const T* b, T* out, int64_t count);

template <RowStep kStep, class T>
Row<T> row_of() {
#if defined(TENON_AVX2)
  if (vector_level == 2) return &row_avx512<kStep, T>;
  if (vector_level == 1) return &row_avx2<kStep, T>;
#endif
  return &row_base<kStep, T>;
}

// ---- All rows -----------------------------------------------------------------------------------

// The rows of a tensor along a dim, one behind the other in `wide` elements: the tensor's own
// memory where that is such, else a copy that lives as long as `owner`.
tenon_tensor_info rows_of(const tenon_tensor_info& info, Dtype wide, int64_t dim, Tensor& owner) {
  if (dtype_of_info(info) == wide && dim == info.ndim - 1 && is_contiguous(info)) return info;
  Dims sizes(sizes_of(info)), strides(strides_of(info));
  const int64_t size = sizes[dim], stride = strides[dim];
  sizes.erase(dim);
  strides.erase(dim);
  sizes.push_back(size);
  strides.push_back(stride);
  tenon_tensor_info turned = info;
  turned.sizes = sizes.begin();
  turned.strides = strides.begin();
  turned.flags &= ~static_cast<decltype(turned.flags)>(TENON_TENSOR_CONTIGUOUS);
  owner = Tensor::empty(sizes, wide);
  cast(owner.info(), turned);
  return owner.info();
}

// Writes rows that `rows_of` would give to a result.
void put_rows(const tenon_tensor_info& result, int64_t dim, const tenon_tensor_info& rows) {
  Dims sizes(sizes_of(rows)), strides(strides_of(rows));
  const int64_t last = rows.ndim - 1;
  const int64_t size = sizes[last], stride = strides[last];
  sizes.resize(last);
  strides.resize(last);
  sizes.insert(dim, size);
  strides.insert(dim, stride);
  tenon_tensor_info turned = rows;
  turned.sizes = sizes.begin();
  turned.strides = strides.begin();
  turned.flags &= ~static_cast<decltype(turned.flags)>(TENON_TENSOR_CONTIGUOUS);
  cast(result, turned);
}

template <RowStep kStep, class T>
void run_rows(const tenon_tensor_info& result, int64_t dim, const tenon_tensor_info& a,
              const tenon_tensor_info* b) {
  constexpr Dtype wide = element_dtype<T>;
  const int64_t length = size_along(result, dim);
  const int64_t rows = result.numel / length;
  Tensor owner_a, owner_b, owner_result;
  const bool is_scalar = result.ndim == 0;
  const auto rows_in = [&](const tenon_tensor_info& info, Tensor& owner) {
    if (!is_scalar) return rows_of(info, wide, dim, owner);
    owner = Tensor::empty({}, wide);
    cast(owner.info(), info);
    return owner.info();
  };
  const tenon_tensor_info in_a = rows_in(a, owner_a);
  const tenon_tensor_info in_b = b != nullptr ? rows_in(*b, owner_b) : in_a;
  const bool direct = dtype_of_info(result) == wide && is_contiguous(result) &&
                      (is_scalar || dim == result.ndim - 1);
  if (!direct) owner_result = Tensor::empty(sizes_of(in_a), wide);
  const tenon_tensor_info out = direct ? result : owner_result.info();
  const Row<T> row = row_of<kStep, T>();
  parallel_for(rows, std::max<int64_t>(kGrain / length, 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto at = [&](const tenon_tensor_info& info) {
        return static_cast<T*>(info.data) + r * length;
      };
      row(at(in_a), at(in_b), at(out), length);
    }
  });
  if (direct) return;
  if (is_scalar) return cast(result, out);
  put_rows(result, dim, out);
}

template <RowStep kStep>
void run_all(const tenon_tensor_info& result, int64_t dim, const tenon_tensor_info& a,
             const tenon_tensor_info* b) {
  if (a.numel == 0) return;
  // Small floats are computed as float.
  if (dtype_of_info(a) == Dtype::F64) {
    run_rows<kStep, double>(result, dim, a, b);
  } else {
    run_rows<kStep, float>(result, dim, a, b);
  }
}

constexpr bool is_backward(RowStep step) {
  return step == RowStep::SoftmaxBackward || step == RowStep::LogSoftmaxBackward;
}

template <RowStep kStep>
SoftmaxPlan plan_of(const Call& call) {
  return is_backward(kStep) ? softmax_backward_plan(call) : softmax_plan(call);
}

template <RowStep kStep>
void softmax(const Call& call) {
  SoftmaxPlan plan = plan_of<kStep>(call);
  const tenon_tensor_info a = call.get<Tensor>(0)->info();
  if constexpr (is_backward(kStep)) {
    const tenon_tensor_info output = call.get<Tensor>(1)->info();
    run_all<kStep>(plan.result.info(), plan.dim, a, &output);
  } else {
    run_all<kStep>(plan.result.info(), plan.dim, a, nullptr);
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

template <RowStep kStep>
struct BoundSoftmax {
  int64_t dim;
  KeptInfo a;
  KeptInfo b;  // of a gradient the output, else a
  KeptInfo result;

  void run(void* const* data) const {
    if constexpr (is_backward(kStep)) {
      const tenon_tensor_info output = b.at(data[1]);
      run_all<kStep>(result.at(data[2]), dim, a.at(data[0]), &output);
    } else {
      run_all<kStep>(result.at(data[1]), dim, a.at(data[0]), nullptr);
    }
  }
};

template <RowStep kStep>
void note_softmax(const Call& call) {
  SoftmaxPlan plan = plan_of<kStep>(call);
  const KeptInfo a(call.get<Tensor>(0)->info());
  const KeptInfo b(call.get<Tensor>(is_backward(kStep) ? 1 : 0)->info());
  note(call, std::make_unique<BoundSoftmax<kStep>>(
                 BoundSoftmax<kStep>{plan.dim, a, b, KeptInfo(plan.result.info())}));
  call.give(0, std::move(plan.result));
}

}  // namespace

Operator operator_kSoftmax() { return routine_of<ops::kSoftmax, &softmax<RowStep::Softmax>>(); }
Operator operator_kLogSoftmax() {
  return routine_of<ops::kLogSoftmax, &softmax<RowStep::LogSoftmax>>();
}
Operator operator_kSoftmaxBackwardData() {
  return routine_of<ops::kSoftmaxBackwardData, &softmax<RowStep::SoftmaxBackward>>();
}
Operator operator_kLogSoftmaxBackwardData() {
  return routine_of<ops::kLogSoftmaxBackwardData, &softmax<RowStep::LogSoftmaxBackward>>();
}

tenon_bind_fn bind_of_softmax(const Facts& facts) {
  if (&facts == &ops::kSoftmax) return &bind_routine<&note_softmax<RowStep::Softmax>>;
  if (&facts == &ops::kLogSoftmax) return &bind_routine<&note_softmax<RowStep::LogSoftmax>>;
  if (&facts == &ops::kSoftmaxBackwardData) {
    return &bind_routine<&note_softmax<RowStep::SoftmaxBackward>>;
  }
  if (&facts == &ops::kLogSoftmaxBackwardData) {
    return &bind_routine<&note_softmax<RowStep::LogSoftmaxBackward>>;
  }
  return nullptr;
}

}  // namespace tenon::kernels::cpu
