// SPDX-License-Identifier: Apache-2.0
// The results of aten::_linalg_eigh, its gradient, and the implementation of aten::linalg_eigh.
#include "kernels/ops/linalg/linalg_eigh.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, std::string_view, bool)>
    decompose_hermitian("aten::_linalg_eigh");

}  // namespace

Eigenvalues eigenvalues_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_square_matrices(call.op(), "A", a);
  const auto word = call.get<std::string_view>(1);
  const char triangle = word.empty() ? ' ' : static_cast<char>(word[0] & ~0x20);
  if (word.size() != 1 || (triangle != 'L' && triangle != 'U')) {
    fail_argument(call.op(), "UPLO", "\"L\" or \"U\"", std::string(word));
  }
  const bool has_vectors = call.get<bool>(2);
  const Dims sizes = has_vectors ? Dims(a.sizes()) : Dims{0};
  const Dims strides = has_vectors ? column_major_strides(sizes) : Dims{1};
  return {result_for(call, batch_sizes(a.sizes(), {a.size(-1)}), to_real(a.dtype()), a.device(),
                     nullptr, 0),
          result_for(call, sizes, a.dtype(), a.device(), strides.begin(), 1), triangle,
          has_vectors};
}

void linalg_eigh_meta(const Call& call) {
  Eigenvalues results = eigenvalues_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.values));
  call.give(1, std::move(results.vectors));
}

void linalg_eigh(const Call& call) {
  auto [values, vectors] =
      decompose_hermitian(*call.get<Tensor>(0), call.get<std::string_view>(1), true);
  call.give(0, std::move(values));
  call.give(1, std::move(vectors));
}

void linalg_eigvalsh(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  call.give(0, std::get<0>(decompose_hermitian(a, call.get<std::string_view>(1), !is_plain(a))));
}

void linalg_eigh_backward(const Call& call) {
  const Tensor grad_values = *call.get<Tensor>(0), grad_vectors = *call.get<Tensor>(1),
               values = *call.get<Tensor>(2), vectors = *call.get<Tensor>(3);
  if (!call.get<bool>(4)) {
    fail(TENON_ERROR_STATE,
         {call.op(), ": compute_v must be True where a gradient is wanted, got False"});
  }
  const Tensor turned = call_mH(vectors);
  const Tensor differences = call_sub(call_unsqueeze(values, -2), call_unsqueeze(values, -1));
  // Also covers the diagonal. The vectors of equal values are not unique, so they get no gradient.
  const Tensor apart = call_masked_fill(differences, call_eq(differences, Scalar(0)),
                                        Scalar(std::numeric_limits<double>::infinity()));
  // Vectors stay orthonormal, so only the skew part changes them.
  const Tensor along = call_matmul(turned, grad_vectors);
  const Tensor skew = call_mul(call_sub(along, call_mH(along)), Scalar(0.5));
  const Tensor inner = call_div(skew, apart);
  const Tensor of_values =
      is_complex(vectors.dtype()) ? cast(grad_values, vectors.dtype()) : grad_values;
  call.give(0,
            call_matmul(call_matmul(vectors, call_add(inner, call_diag_embed(of_values))), turned));
}

}  // namespace tenon::kernels::ops
