// SPDX-License-Identifier: Apache-2.0
// aten::prod: the product of all elements or along a dim, and the operator that its gradient needs.
#pragma once

#include "kernels/ops/reductions/sum.h"

namespace tenon::kernels::ops {

// Integers are multiplied in int64 and wrap; floats are multiplied in double.
template <class T>
struct Prod {
  using State = WideSum<T>;
  using Out = typename Sum<T>::Out;
  using Outs = OutTypes<Out>;
  static constexpr int kLanes = 8;

  TENON_FUNCTOR State start() const { return State(1); }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    return state * static_cast<State>(element);
  }
  TENON_FUNCTOR State merge(State a, State b) const { return a * b; }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<Out>(state));
  }
};

inline constexpr Facts kProd{
    .family = &kFold,
    .name = "prod",
    .params = "Tensor self, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient = "self: grad * product_of_others(self, None).conj()",
    .tangent = "(self_t * product_of_others(self, None)).sum(dtype=dtype)",
    .batching = Batching::Fold,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::Fp32,
    .fold = kSumFold,
};
inline constexpr Facts kProdDimInt{
    .family = &kFold,
    .name = "prod.dim_int",
    .params = "Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "int_out",
    .tags = "core reduction",
    .gradient =
        "self: grad.reshape(folded_sizes(self.sizes(), [dim])) * "
        "product_of_others(self, dim).conj()",
    .tangent = "(self_t * product_of_others(self, dim)).sum([dim], keepdim, dtype=dtype)",
    .batching = Batching::Fold,
    .node_number = 1,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::Fp32,
    .fold = kSumFold,
};

void product_of_others(const Call& call);

// For each element, the product of all other elements, of all or along a dim: the derivative of
// prod, which is also correct for elements of 0.
inline constexpr Facts kProductOfOthers{
    .family = &kComposite,
    .name = "product_of_others",
    .params = "Tensor self, int? dim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&product_of_others},
};

}  // namespace tenon::kernels::ops
