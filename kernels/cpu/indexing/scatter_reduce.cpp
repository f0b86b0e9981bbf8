// SPDX-License-Identifier: Apache-2.0
// aten::scatter_reduce on the CPU. Small floats are reduced as float and rounded once.
#include "kernels/ops/indexing/scatter_reduce.h"

#include <limits>

#include "kernels/common/allocation.h"
#include "kernels/cpu/indexing/places.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/ops/arithmetic/add.h"
#include "kernels/ops/arithmetic/mul.h"

namespace tenon::kernels::cpu {
namespace {

// The source: a tensor of self's dtype, or a single number for all elements.
struct ScatterSource {
  void* data;
  const int64_t* strides;
};

template <ReduceBy kBy, class T>
T joined(T a, T b) {
  if constexpr (kBy == ReduceBy::Prod) {
    return ops::Mul<T>()(a, b);
  } else if constexpr (kBy == ReduceBy::Amax || kBy == ReduceBy::Amin) {
    // The comparison is false if either side is NaN: a NaN in `a` is kept, and one in `b` is taken.
    const bool is_better = kBy == ReduceBy::Amax ? b > a : b < a;
    return is_better || b != b ? b : a;
  } else {
    return ops::Add<T>()(a, b);
  }
}

// Returns the neutral element of the reduction.
template <ReduceBy kBy, class T>
T neutral() {
  if constexpr (kBy == ReduceBy::Prod) {
    return T(1);
  } else if constexpr (kBy == ReduceBy::Amax) {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  } else if constexpr (kBy == ReduceBy::Amin) {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else {
    return T(0);
  }
}

template <class T>
T mean_of(T sum, int64_t count) {
  if constexpr (is_complex_element<T>) {
    const auto number = static_cast<Real<T>>(count);
    return T(sum.re / number, sum.im / number);
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<int64_t>(sum);
    return static_cast<T>(wide / count - (wide % count != 0 && wide < 0 ? 1 : 0));
  } else {
    return sum / static_cast<T>(count);
  }
}

// Divides sums by the number of their terms.
template <class T>
void divide_sums(const Call& call, const ScatterReduction& plan, const tenon_tensor_info& index) {
  const tenon_tensor_info result = plan.result.info();
  const Tensor counts = allocate(sizes_of(result), Dtype::I64, Device(result.device));
  const tenon_tensor_info info = counts.info();
  std::fill_n(static_cast<int64_t*>(info.data), info.numel, plan.includes_self ? 1 : 0);
  int64_t one = 1;
  const int64_t strides[kMaxDims] = {};
  Places(call.op(), info, plan.dim, index, &one, strides)
      .each_of_its_own<int64_t>([](int64_t& at, const int64_t& more) { at += more; });
  int64_t perm[kMaxDims];
  row_major_order(result.ndim, perm);
  Walk walk;
  walk.begin(sizes_of(result), perm, 2);
  walk.set(0, result.data, sizeof(T), result.strides);
  walk.set(1, info.data, sizeof(int64_t), info.strides);
  walk.steps<0, 2>(walk.raw_data(), [](char* const* data) {
    const auto count = load<int64_t>(data[1]);
    if (count > 1) store<T>(data[0], mean_of(load<T>(data[0]), count));
  });
}

// Reduces into `into`, which gets the elements of self in the computing dtype after all indices
// were checked.
template <ReduceBy kBy, class C>
void join_at_places(const Call& call, const ScatterReduction& plan, const tenon_tensor_info& into,
                    const tenon_tensor_info& index, const ScatterSource& joining) {
  const Places places(call.op(), into, plan.dim, index, joining.data, joining.strides);
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (into.data != self.data) cast(into, self);
  if (!plan.includes_self) {
    places.each_of_its_own<C>([](C& at, const C&) { at = neutral<kBy, C>(); });
  }
  places.each_of_its_own<C>([](C& at, const C& term) { at = joined<kBy, C>(at, term); });
}

template <ReduceBy kBy, class T>
void scatter_reduced(const Call& call, const ScatterReduction& plan) {
  using C = Compute<T>;
  const tenon_tensor_info result = plan.result.info(), index = call.get<Tensor>(2)->info();
  const int64_t no_strides[kMaxDims] = {};
  C number{};
  ScatterSource joining{&number, no_strides};
  Tensor src, wide;
  tenon_tensor_info source;
  if (call.args[3].tag == TENON_TAG_TENSOR) {
    src = *call.get<Tensor>(3);
    if constexpr (is_small_float<T>) {
      const Tensor given = src;
      src = allocate(given.sizes(), Dtype::F32, given.device());
      cast(src.info(), given.info());
    }
    source = src.info();
    joining = {source.data, source.strides};
  } else {
    number = static_cast<C>(checked_element_of<T>(call.op(), "value", call.get<Scalar>(3)));
  }
  if constexpr (is_small_float<T>) {
    wide = allocate(sizes_of(result), Dtype::F32, Device(result.device));
    join_at_places<kBy, C>(call, plan, wide.info(), index, joining);
    cast(result, wide.info());
  } else {
    join_at_places<kBy, C>(call, plan, result, index, joining);
  }
  if constexpr (kBy == ReduceBy::Mean) divide_sums<T>(call, plan, index);
}

template <ReduceBy kBy>
void run_visited(const Call& call, const ScatterReduction& plan) {
  visit(call.op(), "self", plan.result.dtype(), ReducedTypes<kBy>(),
        [&]<class T>(Element<T>) { scatter_reduced<kBy, T>(call, plan); });
}

void scatter_reduce(const Call& call) {
  ScatterReduction plan = scatter_reduction(call);
  switch (plan.reduction) {
    case ReduceBy::Sum:
      run_visited<ReduceBy::Sum>(call, plan);
      break;
    case ReduceBy::Prod:
      run_visited<ReduceBy::Prod>(call, plan);
      break;
    case ReduceBy::Mean:
      run_visited<ReduceBy::Mean>(call, plan);
      break;
    case ReduceBy::Amax:
      run_visited<ReduceBy::Amax>(call, plan);
      break;
    case ReduceBy::Amin:
      run_visited<ReduceBy::Amin>(call, plan);
      break;
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace

Operator operator_kScatterReduceTwo() {
  return routine_of<ops::kScatterReduceTwo, &scatter_reduce>();
}
Operator operator_kScatterReduce() { return routine_of<ops::kScatterReduce, &scatter_reduce>(); }
Operator operator_kScatterValueReduce() {
  return routine_of<ops::kScatterValueReduce, &scatter_reduce>();
}

}  // namespace tenon::kernels::cpu
