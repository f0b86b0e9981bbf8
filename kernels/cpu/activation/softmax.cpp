// SPDX-License-Identifier: Apache-2.0
// aten::_softmax and aten::_log_softmax on the CPU, and their gradients. Contiguous rows are
// computed one after another, and columns side by side.
#include "kernels/ops/activation/softmax.h"

#include <limits>
#include <memory>

#include "kernels/common/maths/maths.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/loops/row_sums.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"
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

// `a` is the input, or the gradient of the output; `b` is the output in a backward call.
template <RowStep kStep, class T>
[[gnu::always_inline]] inline void step_row(const T* a, const T* b, T* out, int64_t count) {
  if constexpr (kStep == RowStep::Softmax) {
    const T largest = largest_of(a, count);
    const T sum = sum_of<T>(count, [&](int64_t i) { return out[i] = maths::exp(a[i] - largest); });
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = out[i] / sum;
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

// Number of rows whose logarithms are computed together, and the number of their elements that
// still fit into the nearest cache.
constexpr int64_t kRowsOfLogs = 16;
constexpr int64_t kNearElements = 8192;

template <class T>
[[gnu::always_inline]] inline void log_softmax_rows(const T* a, T* out, int64_t count,
                                                    int64_t rows) {
  T largest[kRowsOfLogs], logarithms[kRowsOfLogs];
  for (int64_t r = 0; r < rows; ++r) {
    const T* const row = a + r * count;
    largest[r] = largest_of(row, count);
    logarithms[r] = sum_of<T>(count, [&](int64_t i) { return maths::exp(row[i] - largest[r]); });
  }
  std::fill_n(logarithms + rows, kRowsOfLogs - rows, T(1));
  TENON_INDEPENDENT
  for (int64_t r = 0; r < kRowsOfLogs; ++r) logarithms[r] = maths::log(logarithms[r]);
  for (int64_t r = 0; r < rows; ++r) {
    const T most = largest[r], logarithm = logarithms[r];
    TENON_INDEPENDENT
    for (int64_t i = r * count; i < (r + 1) * count; ++i) out[i] = a[i] - most - logarithm;
  }
}

template <RowStep kStep, class T>
[[gnu::always_inline]] inline void step_rows(const T* a, const T* b, T* out, int64_t count,
                                             int64_t rows) {
  if constexpr (kStep == RowStep::LogSoftmax) {
    const int64_t together = count * kRowsOfLogs <= kNearElements ? kRowsOfLogs : 1;
    for (int64_t r = 0; r < rows; r += together) {
      log_softmax_rows(a + r * count, out + r * count, count, std::min(together, rows - r));
    }
  } else {
    for (int64_t at = 0; at < rows * count; at += count) {
      step_row<kStep>(a + at, b + at, out + at, count);
    }
  }
}

// ---- Columns side by side -----------------------------------------------------------------------

// Maximum number of columns that are computed together, and of rows that are summed before partial
// sums are added. Rounding errors grow with the sum of both numbers of additions instead of their
// product.
constexpr int64_t kMostColumns = 256;
constexpr int64_t kRowsTogether = 256;

// Computes the sums over the rows of `count` columns. `term(at, c)` is that of column c in the row
// that starts at `at`.
template <class T, class Term>
[[gnu::always_inline]] inline void sum_columns(T* sums, int64_t length, int64_t stride,
                                               int64_t count, Term&& term) {
  std::fill_n(sums, count, T(0));
  for (int64_t first = 0; first < length; first += kRowsTogether) {
    const int64_t end = std::min(first + kRowsTogether, length);
    T part[kMostColumns] = {};
    for (int64_t l = first; l < end; ++l) {
      TENON_INDEPENDENT
      for (int64_t c = 0; c < count; ++c) part[c] += term(l * stride, c);
    }
    TENON_INDEPENDENT
    for (int64_t c = 0; c < count; ++c) sums[c] += part[c];
  }
}

// Like step_row(), but for `count` columns of `length` elements, which are `stride` apart.
template <RowStep kStep, class T>
[[gnu::always_inline]] inline void step_columns(const T* a, const T* b, T* out, int64_t length,
                                                int64_t stride, int64_t count) {
  T largest[kMostColumns], sums[kMostColumns];
  const auto each = [&](auto&& element) {
    for (int64_t at = 0; at < length * stride; at += stride) {
      TENON_INDEPENDENT
      for (int64_t c = 0; c < count; ++c) element(at, c);
    }
  };
  if constexpr (kStep == RowStep::Softmax || kStep == RowStep::LogSoftmax) {
    std::fill_n(largest, count, -std::numeric_limits<T>::infinity());
    each([&](int64_t at, int64_t c) {
      largest[c] = a[at + c] > largest[c] ? a[at + c] : largest[c];
    });
  }
  if constexpr (kStep == RowStep::Softmax) {
    sum_columns(sums, length, stride, count, [&](int64_t at, int64_t c) {
      return out[at + c] = maths::exp(a[at + c] - largest[c]);
    });
    each([&](int64_t at, int64_t c) { out[at + c] = out[at + c] / sums[c]; });
  } else if constexpr (kStep == RowStep::LogSoftmax) {
    sum_columns(sums, length, stride, count,
                [&](int64_t at, int64_t c) { return maths::exp(a[at + c] - largest[c]); });
    TENON_INDEPENDENT
    for (int64_t c = 0; c < count; ++c) sums[c] = maths::log(sums[c]);
    each([&](int64_t at, int64_t c) { out[at + c] = a[at + c] - largest[c] - sums[c]; });
  } else if constexpr (kStep == RowStep::SoftmaxBackward) {
    sum_columns(sums, length, stride, count,
                [&](int64_t at, int64_t c) { return a[at + c] * b[at + c]; });
    each([&](int64_t at, int64_t c) { out[at + c] = b[at + c] * (a[at + c] - sums[c]); });
  } else {
    sum_columns(sums, length, stride, count, [&](int64_t at, int64_t c) { return a[at + c]; });
    each([&](int64_t at, int64_t c) { out[at + c] = a[at + c] - maths::exp(b[at + c]) * sums[c]; });
  }
}

// ---- For several instruction sets ---------------------------------------------------------------

// Handles `count` consecutive rows, or `count` adjacent columns.
template <RowStep kStep, class T>
[[gnu::always_inline]] inline void step(const T* a, const T* b, T* out, int64_t length,
                                        int64_t stride, int64_t count) {
  if (stride == 1) {
    step_rows<kStep>(a, b, out, length, count);
  } else {
    step_columns<kStep>(a, b, out, length, stride, count);
  }
}

template <RowStep kStep, class T>
[[gnu::flatten]] void step_base(const T* a, const T* b, T* out, int64_t length, int64_t stride,
                                int64_t count) {
  step<kStep>(a, b, out, length, stride, count);
}
#if defined(TENON_AVX2)
template <RowStep kStep, class T>
TENON_AVX2 [[gnu::flatten]] void step_avx2(const T* a, const T* b, T* out, int64_t length,
                                           int64_t stride, int64_t count) {
  step<kStep>(a, b, out, length, stride, count);
}
template <RowStep kStep, class T>
TENON_AVX512 [[gnu::flatten]] void step_avx512(const T* a, const T* b, T* out, int64_t length,
                                               int64_t stride, int64_t count) {
  step<kStep>(a, b, out, length, stride, count);
}
#endif

template <class T>
using Step = void (*)(const T* a, const T* b, T* out, int64_t length, int64_t stride,
                      int64_t count);

template <RowStep kStep, class T>
Step<T> step_of() {
#if defined(TENON_AVX2)
  if (vector_level == 2) return &step_avx512<kStep, T>;
  if (vector_level == 1) return &step_avx2<kStep, T>;
#endif
  return &step_base<kStep, T>;
}

// ---- All rows -----------------------------------------------------------------------------------

// Returns the rows of a tensor along a dim, contiguous and with `wide` elements: the tensor itself
// if it is laid out this way, otherwise a copy that `owner` keeps.
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

// Writes rows with the layout of rows_of() to a result.
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

// Columns that fit into the L2 cache are computed in place.
constexpr int64_t kNearBytes = 262144;

// Returns the number of columns along `dim` to compute together, or 0 to compute rows.
template <class T>
int64_t columns_together(const tenon_tensor_info& info, int64_t dim) {
  if (dtype_of_info(info) != element_dtype<T> || !is_contiguous(info)) return 0;
  if (info.ndim == 0 || dim == info.ndim - 1 || info.strides[dim] == 1) return 0;
  const int64_t length = info.sizes[dim];
  const int64_t stride = info.strides[dim];
  constexpr int64_t kVector = 64 / sizeof(T);
  // Leave enough of them for several threads.
  const int64_t most = std::min(kGrain / length, stride / 4);
  const int64_t count = std::min({stride, kMostColumns, std::max(most, kVector)});
  return count * length * int64_t{sizeof(T)} <= kNearBytes ? count : 0;
}

template <RowStep kStep, class T>
void run_columns(const tenon_tensor_info& result, int64_t dim, const tenon_tensor_info& a,
                 const tenon_tensor_info& b, int64_t together) {
  const int64_t length = result.sizes[dim], stride = result.strides[dim];
  const int64_t blocks = (stride - 1) / together + 1;
  const int64_t tasks = result.numel / (length * stride) * blocks;
  const Step<T> step = step_of<kStep, T>();
  const int64_t grain = std::max<int64_t>(kGrain / (length * together), 1);
  parallel_for(tasks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % blocks * together;
      const int64_t offset = task / blocks * length * stride + first;
      const auto at = [&](const tenon_tensor_info& info) {
        return static_cast<T*>(info.data) + offset;
      };
      step(at(a), at(b), at(result), length, stride, std::min(together, stride - first));
    }
  });
}

template <RowStep kStep, class T>
void run_rows(const tenon_tensor_info& result, int64_t dim, const tenon_tensor_info& a,
              const tenon_tensor_info* b) {
  constexpr Dtype wide = element_dtype<T>;
  const int64_t together = columns_together<T>(result, dim);
  if (together != 0 && columns_together<T>(a, dim) != 0 &&
      (b == nullptr || columns_together<T>(*b, dim) != 0)) {
    return run_columns<kStep, T>(result, dim, a, b != nullptr ? *b : a, together);
  }
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
  const Step<T> step = step_of<kStep, T>();
  parallel_for(rows, std::max<int64_t>(kGrain / length, 1), [&](int64_t begin, int64_t end) {
    const auto at = [&](const tenon_tensor_info& info) {
      return static_cast<T*>(info.data) + begin * length;
    };
    step(at(in_a), at(in_b), at(out), length, 1, end - begin);
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
  BoundInfo a;
  BoundInfo b;  // the output in a backward call; otherwise the same as `a`
  BoundInfo result;

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
void capture_softmax(const Call& call) {
  SoftmaxPlan plan = plan_of<kStep>(call);
  const BoundInfo a(call.get<Tensor>(0)->info());
  const BoundInfo b(call.get<Tensor>(is_backward(kStep) ? 1 : 0)->info());
  capture_bound(call, std::make_unique<BoundSoftmax<kStep>>(
                          BoundSoftmax<kStep>{plan.dim, a, b, BoundInfo(plan.result.info())}));
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
  if (&facts == &ops::kSoftmax) return &bind_routine<&capture_softmax<RowStep::Softmax>>;
  if (&facts == &ops::kLogSoftmax) return &bind_routine<&capture_softmax<RowStep::LogSoftmax>>;
  if (&facts == &ops::kSoftmaxBackwardData) {
    return &bind_routine<&capture_softmax<RowStep::SoftmaxBackward>>;
  }
  if (&facts == &ops::kLogSoftmaxBackwardData) {
    return &bind_routine<&capture_softmax<RowStep::LogSoftmaxBackward>>;
  }
  return nullptr;
}

}  // namespace tenon::kernels::cpu
