// SPDX-License-Identifier: Apache-2.0
// The results of aten::_linalg_svd, its gradient, and the implementation of aten::linalg_svd.
#include "kernels/ops/linalg/linalg_svd.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

using Decompose = std::tuple<Tensor, Tensor, Tensor>(const Tensor&, bool, bool,
                                                     std::optional<std::string_view>);
constinit const LazyOp<Decompose> decompose("aten::_linalg_svd");

void check_driver(const Call& call, int k) {
  if (const auto driver = call.get<std::optional<std::string_view>>(k)) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {call.op(), ": driver must be None on this device, got \"", *driver, "\""});
  }
}

}  // namespace

SingularValues singular_values_of(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  check_matrices(call.op(), "A", a);
  check_driver(call, 3);
  const bool is_full = call.get<bool>(1), has_vectors = call.get<bool>(2);
  const int64_t rows = a.size(-2), columns = a.size(-1), small = std::min(rows, columns);
  const Dims u_sizes =
      has_vectors ? batch_sizes(a.sizes(), {rows, is_full ? rows : small}) : Dims{0};
  const Dims vh_sizes =
      has_vectors ? batch_sizes(a.sizes(), {is_full ? columns : small, columns}) : Dims{0};
  const auto strides = [&](const Dims& sizes) {
    return has_vectors ? column_major_strides(sizes) : Dims{1};
  };
  const Dims u_strides = strides(u_sizes), vh_strides = strides(vh_sizes);
  return {
      result_for(call, u_sizes, a.dtype(), a.device(), u_strides.begin(), 0),
      result_for(call, batch_sizes(a.sizes(), {small}), to_real(a.dtype()), a.device(), nullptr, 1),
      result_for(call, vh_sizes, a.dtype(), a.device(), vh_strides.begin(), 2), is_full,
      has_vectors};
}

void linalg_svd_meta(const Call& call) {
  SingularValues results = singular_values_of(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.u));
  call.give(1, std::move(results.s));
  call.give(2, std::move(results.vh));
}

void linalg_svd(const Call& call) {
  auto [u, s, vh] = decompose(*call.get<Tensor>(0), call.get<bool>(1), true,
                              call.get<std::optional<std::string_view>>(2));
  call.give(0, std::move(u));
  call.give(1, std::move(s));
  call.give(2, std::move(vh));
}

void linalg_svdvals(const Call& call) {
  const Tensor a = *call.get<Tensor>(0);
  // A gradient needs the vectors.
  call.give(0, std::get<1>(decompose(a, false, !is_plain(a),
                                     call.get<std::optional<std::string_view>>(1))));
}

void svd(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_matrices(call.op(), "self", self);
  const bool has_vectors = call.get<bool>(2);
  auto [u, s, vh] =
      decompose(self, !call.get<bool>(1), has_vectors || !is_plain(self), std::nullopt);
  if (has_vectors) {
    call.give(0, std::move(u));
    call.give(1, std::move(s));
    return call.give(2, call_mH(vh));
  }
  const FactoryOptions options = options_like(kind_of(self), {});
  call.give(0, call_zeros(batch_sizes(self.sizes(), {self.size(-2), self.size(-2)}), options));
  call.give(1, std::move(s));
  call.give(2, call_zeros(batch_sizes(self.sizes(), {self.size(-1), self.size(-1)}), options));
}

// https://j-towns.github.io/papers/svd-derivative.pdf (Townsend), with Wirtinger derivatives. The
// vectors of equal singular values are not unique: rotations among them are ignored.
void linalg_svd_backward(const Call& call) {
  Tensor grad_u = *call.get<Tensor>(0), grad_vh = *call.get<Tensor>(2), u = *call.get<Tensor>(3),
         vh = *call.get<Tensor>(5);
  const Tensor grad_s = *call.get<Tensor>(1), s = *call.get<Tensor>(4);
  if (!call.get<bool>(7)) {
    fail(TENON_ERROR_STATE,
         {call.op(), ": compute_uv must be True where a gradient is wanted, got False"});
  }
  const int64_t count = s.size(-1), rows = u.size(-2), columns = vh.size(-1);
  if (call.get<bool>(6)) {  // vectors beyond the first `count` are arbitrary
    u = call_slice(u, -1, 0, count);
    grad_u = call_slice(grad_u, -1, 0, count);
    vh = call_slice(vh, -2, 0, count);
    grad_vh = call_slice(grad_vh, -2, 0, count);
  }
  const bool has_complex = is_complex(u.dtype());
  const Tensor v = call_mH(vh);
  const Tensor row = call_unsqueeze(s, -2), column = call_unsqueeze(s, -1);
  const Tensor squares = call_sub(call_mul(row, row), call_mul(column, column));
  const Tensor apart = call_masked_fill(squares, call_eq(squares, Scalar(0)),
                                        Scalar(std::numeric_limits<double>::infinity()));
  const Tensor of_u = call_matmul(call_mH(u), grad_u), of_v = call_matmul(vh, call_mH(grad_vh));
  const Tensor skew_u = call_sub(of_u, call_mH(of_u)), skew_v = call_sub(of_v, call_mH(of_v));
  Tensor inner =
      call_add(call_mul(call_div(skew_u, apart), row), call_mul(column, call_div(skew_v, apart)));
  const Tensor of_s = has_complex ? cast(grad_s, u.dtype()) : grad_s;
  Tensor diagonal = of_s;
  if (has_complex)
    diagonal =
        call_add(diagonal, call_div(call_diagonal(skew_u, 0, -2, -1), call_mul(s, Scalar(2))));
  inner = call_add(inner, call_diag_embed(diagonal));
  Tensor result = call_matmul(call_matmul(u, inner), vh);
  if (rows > count) {
    const Tensor outside = call_div(call_sub(grad_u, call_matmul(u, of_u)), row);
    result = call_add(result, call_matmul(outside, vh));
  }
  if (columns > count) {
    const Tensor outside = call_sub(grad_vh, call_matmul(call_matmul(grad_vh, v), vh));
    result = call_add(result, call_matmul(call_div(u, row), outside));
  }
  call.give(0, std::move(result));
}

}  // namespace tenon::kernels::ops
