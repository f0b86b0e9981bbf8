// SPDX-License-Identifier: Apache-2.0
// The results of aten::linalg_eig, its gradient, and the implementation of aten::linalg_eigvals.
#include "kernels/ops/linalg/linalg_eig.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&)> decompose_any("aten::linalg_eig");

Dtype complex_of(Dtype dtype) {
  return dtype == Dtype::F32 || dtype == Dtype::C64 ? Dtype::C64 : Dtype::C128;
}

// The differential of L is the diagonal of M = V^-1 dA V. That of V is V (M / E) with E_ij = L_j -
// L_i off the diagonal, minus the part that would change the length of each vector.
Tensor gradient_of_eig(const Tensor& grad_values, const Tensor* grad_vectors, const Tensor& values,
                       const Tensor& vectors, Dtype dtype) {
  const Tensor adjoint = call_mH(vectors);
  Tensor inner = call_diag_embed(grad_values);
  if (grad_vectors != nullptr) {
    const Tensor along = call_matmul(adjoint, *grad_vectors);
    const Tensor lengths = call_real(call_diagonal(along, 0, -2, -1));
    const Tensor scaled = call_mul(vectors, call_unsqueeze(cast(lengths, values.dtype()), -2));
    const Tensor across = call_sub(along, call_matmul(adjoint, scaled));
    const Tensor differences = call_sub(call_unsqueeze(values, -2), call_unsqueeze(values, -1));
    const Tensor ones = call_add(call_mul(values, Scalar(0)), Scalar(1));
    const Tensor moved = call_div(across, call_conj(call_add(differences, call_diag_embed(ones))));
    const Tensor own = call_diag_embed(call_diagonal(moved, 0, -2, -1));
    inner = call_add(inner, call_sub(moved, own));
  }
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool)> solution(
      "aten::linalg_solve");
  const Tensor made = solution(adjoint, call_matmul(inner, adjoint), true);
  return is_complex(dtype) ? made : call_real(made);
}

}  // namespace

Tensor complex_eigenvalues_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "self", a);
  return result_for(call, batch_sizes(a.sizes(), {a.size(-1)}), complex_of(a.dtype()), a.device());
}

Tensor complex_eigenvectors_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  const Dims strides = column_major_strides(a.sizes());
  return result_for(call, a.sizes(), complex_of(a.dtype()), a.device(), strides.begin(), 1);
}

void linalg_eig_meta(const Call& call) {
  Tensor values = complex_eigenvalues_of(call), vectors = complex_eigenvectors_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(values));
  call.give(1, std::move(vectors));
}

void linalg_eigvals_meta(const Call& call) { call.give(0, complex_eigenvalues_of(call)); }

void linalg_eigvals(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> values("aten::_linalg_eigvals");
  const Tensor self = *call.get<Tensor>(0);
  call.give(0, is_plain(self) ? values(self) : std::get<0>(decompose_any(self)));
}

void linalg_eig_backward(const Call& call) {
  const Tensor grad_vectors = *call.get<Tensor>(1);
  call.give(0, gradient_of_eig(*call.get<Tensor>(0), &grad_vectors, *call.get<Tensor>(2),
                               *call.get<Tensor>(3), call.get<Dtype>(4)));
}

void linalg_eigvals_backward(const Call& call) {
  const Tensor self = *call.get<Tensor>(1);
  const auto [values, vectors] = decompose_any(self);
  call.give(0, gradient_of_eig(*call.get<Tensor>(0), nullptr, values, vectors, self.dtype()));
}

}  // namespace tenon::kernels::ops
