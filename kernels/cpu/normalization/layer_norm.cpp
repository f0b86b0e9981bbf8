// SPDX-License-Identifier: Apache-2.0
// aten::native_layer_norm on the CPU, row by row. Each row is read three times while it is in the
// L1 cache.
#include "kernels/ops/normalization/layer_norm.h"

#include <memory>

#include "kernels/common/maths/maths.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/row_sums.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// Longer sums are accumulated in double.
constexpr int64_t kChunk = 4096;

template <class T>
struct Moments {
  T mean;
  T spread;  // 1 / sqrt(variance + eps)
};

template <class T, class Term>
[[gnu::always_inline]] inline double long_sum(int64_t count, Term&& term) {
  double sum = 0;
  for (int64_t i = 0; i < count; i += kChunk) {
    const int64_t some = count - i < kChunk ? count - i : kChunk;
    sum += static_cast<double>(sum_of<T>(some, [&](int64_t k) { return term(i + k); }));
  }
  return sum;
}

// `weight` and `bias` may be NULL.
template <class T>
[[gnu::always_inline]] inline Moments<T> normalize_row(const T* in, const T* weight, const T* bias,
                                                       T* out, int64_t count, double eps) {
  const auto number = static_cast<double>(count);
  const auto mean = static_cast<T>(long_sum<T>(count, [&](int64_t i) { return in[i]; }) / number);
  const double squares =
      long_sum<T>(count, [&](int64_t i) { return (in[i] - mean) * (in[i] - mean); });
  const auto spread = static_cast<T>(1 / maths::sqrt(squares / number + eps));
  if (weight != nullptr && bias != nullptr) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * spread * weight[i] + bias[i];
  } else if (weight != nullptr) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * spread * weight[i];
  } else if (bias != nullptr) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * spread + bias[i];
  } else {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * spread;
  }
  return {mean, spread};
}

template <class T>
using NormalizeRow = Moments<T> (*)(const T* in, const T* weight, const T* bias, T* out,
                                    int64_t count, double eps);
template <class T>
Moments<T> row_base(const T* in, const T* weight, const T* bias, T* out, int64_t count,
                    double eps) {
  return normalize_row(in, weight, bias, out, count, eps);
}
#if defined(TENON_AVX2)
template <class T>
TENON_AVX2 Moments<T> row_avx2(const T* in, const T* weight, const T* bias, T* out, int64_t count,
                               double eps) {
  return normalize_row(in, weight, bias, out, count, eps);
}
template <class T>
TENON_AVX512 Moments<T> row_avx512(const T* in, const T* weight, const T* bias, T* out,
                                   int64_t count, double eps) {
  return normalize_row(in, weight, bias, out, count, eps);
}
#endif

template <class T>
NormalizeRow<T> row_loop() {
#if defined(TENON_AVX2)
  if (vector_level == 2) return &row_avx512<T>;
  if (vector_level == 1) return &row_avx2<T>;
#endif
  return &row_base<T>;
}

// Returns a factor as contiguous elements of type T: its own memory, or a copy that `owner` keeps.
template <class T>
const T* elements_of(const std::optional<Tensor>& factor, Tensor& owner) {
  if (!factor) return nullptr;
  owner = *factor;
  if (owner.dtype() != element_dtype<T> || !owner.is_contiguous()) {
    owner = Tensor::empty(factor->sizes(), element_dtype<T>);
    cast(owner.info(), factor->info());
  }
  return static_cast<const T*>(owner.raw_data());
}

struct Normalized {
  Tensor result, mean, spread;
};

int64_t norm_grain(int64_t length) {
  return std::max<int64_t>(kGrain / std::max<int64_t>(length, 1), 1);
}

// Rows that are computed in their own dtype.
template <class T>
struct NormRows {
  const T* in;
  const T* weight;
  const T* bias;
  T* out;
  T* means;
  T* spreads;
  int64_t rows;
  int64_t length;
  double eps;

  void normalize() const {
    const NormalizeRow<T> loop = row_loop<T>();
    parallel_for(rows, norm_grain(length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t at = row * length;
        const Moments<T> moments = loop(in + at, weight, bias, out + at, length, eps);
        means[row] = moments.mean;
        spreads[row] = moments.spread;
      }
    });
  }
};

// Like NormRows, but for small floats, which are converted in a buffer.
template <class T>
void normalize_small(const ops::LayerNormPlan& plan, const char* input, char* output,
                     const NormRows<T>& to) {
  const Dtype dtype = plan.input.dtype();
  const Cast widen(plan.wide, dtype), narrow(dtype, plan.wide);
  const int64_t size = size_of(dtype), length = plan.length;
  const NormalizeRow<T> loop = row_loop<T>();
  parallel_for(plan.rows, norm_grain(length), [&](int64_t begin, int64_t end) {
    const auto buffer = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(length));
    char* const wide = reinterpret_cast<char*>(buffer.get());
    for (int64_t row = begin; row < end; ++row) {
      char* const in = const_cast<char*>(input) + row * length * size;
      widen.run(wide, sizeof(T), in, size, length);
      const Moments<T> moments =
          loop(buffer.get(), to.weight, to.bias, buffer.get(), length, plan.eps);
      narrow.run(output + row * length * size, size, wide, sizeof(T), length);
      to.means[row] = moments.mean;
      to.spreads[row] = moments.spread;
    }
  });
}

template <class T>
void normalize_rows(const ops::LayerNormPlan& plan, const Normalized& to) {
  Tensor weight_owner, bias_owner, rows = plan.input;
  const T* const weight = elements_of<T>(plan.weight, weight_owner);
  const T* const bias = elements_of<T>(plan.bias, bias_owner);
  if (!rows.is_contiguous()) {
    rows = Tensor::empty(plan.input.sizes(), plan.input.dtype());
    cast(rows.info(), plan.input.info());
  }
  const char* const in = static_cast<const char*>(rows.raw_data());
  char* const out = static_cast<char*>(to.result.raw_data());
  const NormRows<T> all{reinterpret_cast<const T*>(in),
                        weight,
                        bias,
                        reinterpret_cast<T*>(out),
                        static_cast<T*>(to.mean.raw_data()),
                        static_cast<T*>(to.spread.raw_data()),
                        plan.rows,
                        plan.length,
                        plan.eps};
  if (plan.input.dtype() == plan.wide) {
    all.normalize();
  } else {
    normalize_small(plan, in, out, all);
  }
}

// Returns true if all tensors are contiguous and of the computing dtype.
bool is_plain_norm(const ops::LayerNormPlan& plan) {
  const auto is_same = [&](const Tensor& tensor) {
    return tensor.dtype() == plan.wide && tensor.is_contiguous();
  };
  return is_same(plan.input) && (!plan.weight || is_same(*plan.weight)) &&
         (!plan.bias || is_same(*plan.bias)) && plan.kept == plan.wide;
}

Normalized norm_results(const ops::LayerNormPlan& plan) {
  return {Tensor::empty(plan.input.sizes(), plan.input.dtype()),
          Tensor::empty(plan.outer, plan.wide), Tensor::empty(plan.outer, plan.wide)};
}

template <class T>
struct BoundNorm {
  bool has_weight;
  bool has_bias;
  int64_t rows;
  int64_t length;
  double eps;

  explicit BoundNorm(const ops::LayerNormPlan& plan)
      : has_weight(plan.weight.has_value()),
        has_bias(plan.bias.has_value()),
        rows(plan.rows),
        length(plan.length),
        eps(plan.eps) {}

  // `data` are the input, the factors that exist, and the results.
  void run(void* const* data) const {
    const T* const in = static_cast<const T*>(*data++);
    const T* const weight = has_weight ? static_cast<const T*>(*data++) : nullptr;
    const T* const bias = has_bias ? static_cast<const T*>(*data++) : nullptr;
    NormRows<T>{in,
                weight,
                bias,
                static_cast<T*>(data[0]),
                static_cast<T*>(data[1]),
                static_cast<T*>(data[2]),
                rows,
                length,
                eps}
        .normalize();
  }
};

void native_layer_norm(const Call& call) {
  const ops::LayerNormPlan plan = ops::layer_norm_plan(call);
  Normalized made = norm_results(plan);
  if (plan.wide == Dtype::F64) {
    normalize_rows<double>(plan, made);
  } else {
    normalize_rows<float>(plan, made);
  }
  const auto give = [&](int k, Tensor wide) {
    if (plan.kept == plan.wide) return call.give(k, std::move(wide));
    Tensor kept = Tensor::empty(plan.outer, plan.kept);
    cast(kept.info(), wide.info());
    call.give(k, std::move(kept));
  };
  call.give(0, std::move(made.result));
  give(1, std::move(made.mean));
  give(2, std::move(made.spread));
}

tenon_bound plan_layer_norm(const Call& call) {
  const ops::LayerNormPlan plan = ops::layer_norm_plan(call);
  if (!is_plain_norm(plan)) return {};
  Normalized made = norm_results(plan);
  const tenon_bound bound = plan.wide == Dtype::F64
                                ? make_bound(std::make_unique<BoundNorm<double>>(plan))
                                : make_bound(std::make_unique<BoundNorm<float>>(plan));
  call.give(0, std::move(made.result));
  call.give(1, std::move(made.mean));
  call.give(2, std::move(made.spread));
  return bound;
}

}  // namespace

Operator operator_kNativeLayerNorm() {
  return routine_of<ops::kNativeLayerNorm, &native_layer_norm>(kQuickProduct);
}

tenon_status bind_layer_norm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                             tenon_bound* out_bound) {
  return bind_functional<&plan_layer_norm>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
