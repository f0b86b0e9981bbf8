// SPDX-License-Identifier: Apache-2.0
// aten::mul: the product of two tensors; the logical and for bools.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Rounds a product of two parts on the host before another one is added to it, as in PyTorch. With
// an FMA, products that overflow would result in another infinity or NaN. GCC contracts them in
// spite of -ffp-contract=off if there is nothing between them (kernels/cpu/CMakeLists.txt).
template <class R>
TENON_FUNCTOR inline R rounded(R product) {
#if !defined(__CUDACC__) && __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(product);
#else
  return product;
#endif
}

template <class T>
struct Mul {
  static constexpr bool kSingles = true;

  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (is_complex_element<T>) {
      return {rounded(x.re * y.re) - rounded(x.im * y.im),
              rounded(x.re * y.im) + rounded(x.im * y.re)};
    } else {
      return maths::multiply(x, y);
    }
  }
};

inline constexpr Facts kMulTensor{
    .family = &kPointwise,
    .name = "mul.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = kPointwiseWithNumbers,
    .gradient = "self: grad * other.conj(); other: grad * self.conj()",
    .tangent = "self_t * other + self * other_t",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes}, .keeps_digits = true},
};
inline constexpr Facts kMulScalar{
    .family = &kNumberForm,
    .name = "mul.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .pointwise = {.exact_outs = true},
    .tensor_form = &kMulTensor,
};

inline constexpr Facts kMultiplyTensor{
    .family = &kSynonym,
    .name = "multiply.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls mul",
    .tangent = "none: calls mul",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMulTensor,
};

inline constexpr Facts kMultiplyScalar{
    .family = &kSynonym,
    .name = "multiply.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls mul",
    .tangent = "none: calls mul",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMulScalar,
};

}  // namespace tenon::kernels::ops
