// SPDX-License-Identifier: Apache-2.0
// Argument checks of products of reflectors, and their gradients.
#include "kernels/ops/linalg/linalg_householder_product.h"

#include <algorithm>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

void check_reflectors(const Call& call, const Tensor& input, const char* name, const Tensor& tau,
                      const char* tau_name) {
  check_matrices(call.op(), name, input);
  check_dtype_of(call.op(), tau_name, tau.dtype(), name, input.dtype());
  if (tau.ndim() != input.ndim() - 1 ||
      !std::ranges::equal(tau.sizes().first(static_cast<size_t>(input.ndim() - 2)),
                          batch_sizes(input.sizes()))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", tau_name, " must be vectors of the batch of ", name, ", got sizes ",
          tau.sizes(), " and ", input.sizes()});
  }
}

Tensor column_major_result(const Call& call, const Tensor& like) {
  const Dims strides = column_major_strides(like.sizes());
  return result_for(call, like.sizes(), like.dtype(), like.device(), strides.begin());
}

}  // namespace

Tensor householder_result(const Call& call) {
  const Tensor input = *call.get<Tensor>(0), tau = *call.get<Tensor>(1);
  check_reflectors(call, input, "input", tau, "tau");
  if (input.size(-2) < input.size(-1) || input.size(-1) < tau.size(-1)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input must have at least as many rows as columns, and at least as many ",
          "columns as tau has elements, got sizes ", input.sizes(), " and ", tau.sizes()});
  }
  return column_major_result(call, input);
}

Tensor ormqr_result(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), tau = *call.get<Tensor>(1),
               other = *call.get<Tensor>(2);
  check_reflectors(call, self, "self", tau, "input2");
  check_dtype_of(call.op(), "input3", other.dtype(), "self", self.dtype());
  if (other.ndim() != self.ndim() ||
      !std::ranges::equal(batch_sizes(other.sizes()), batch_sizes(self.sizes()))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input3 must be matrices of the batch of self, got sizes ", other.sizes(),
          " and ", self.sizes()});
  }
  const int64_t size = other.size(call.get<bool>(3) ? -2 : -1);
  if (size != self.size(-2)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input3 must fit to the ", self.size(-2), " rows of self, got sizes ",
          other.sizes(), " and ", self.sizes()});
  }
  const int64_t wanted = std::min(size, self.size(-1));
  if (tau.size(-1) != wanted) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": input2 must have ", wanted,
                                        " elements for a matrix, got sizes ", tau.sizes()});
  }
  return column_major_result(call, other);
}

void linalg_householder_product_meta(const Call& call) {
  Tensor result = householder_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void ormqr_meta(const Call& call) {
  Tensor result = ormqr_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void orgqr(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> product(
      "aten::linalg_householder_product");
  call.give(0, product(*call.get<Tensor>(0), *call.get<Tensor>(1)));
}

void ormqr_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, bool, bool)>
      product("aten::ormqr");
  call.give(0, product(*call.get<Tensor>(1), *call.get<Tensor>(2), *call.get<Tensor>(0),
                       call.get<bool>(3), !call.get<bool>(4)));
}

// Processes the reflectors from the outermost one inwards: R = H S has S = H^-1 R, and dR = -(dt v
// v^H + t dv v^H + t v dv^H) S. H^-1 is I - t / (t |v|^2 - 1) v v^H.
void reflections_backward(const Call& call) {
  const Tensor input = *call.get<Tensor>(2), tau = *call.get<Tensor>(3);
  const bool left = call.get<bool>(4), of_tau = call.get<int64_t>(6) == 1;
  // C Q is (Q^H C^H)^H, and Q^H is H_k^H ... H_1^H, with the conjugates of tau.
  const bool turns = call.get<bool>(5) == left;
  Tensor grad = left ? *call.get<Tensor>(0) : call_mH(*call.get<Tensor>(0));
  Tensor rest = left ? *call.get<Tensor>(1) : call_mH(*call.get<Tensor>(1));
  if (input.ndim() < 2 || tau.ndim() < 1 ||
      tau.size(-1) > std::min(input.size(-2), input.size(-1))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": tau must have at most as many reflections as input has rows and columns, ",
          input.sizes(), ", got ", tau.sizes()});
  }
  const int64_t count = tau.size(-1), columns = input.size(-1);
  const Tensor reflectors = call_slice(input, -1, 0, count);
  const Tensor ones =
      call_triu(call_tril(call_add(call_mul(reflectors, Scalar(0)), Scalar(1)), 0), 0);
  const Tensor vectors = call_add(call_tril(reflectors, -1), ones);
  const Tensor factors = turns ? call_conj(tau) : tau;
  std::vector<Tensor> parts(static_cast<size_t>(count));
  for (int64_t step = 0; step < count; ++step) {
    const int64_t k = turns ? count - 1 - step : step;
    const Tensor v = call_slice(vectors, -1, k, k + 1), adjoint = call_mH(v);
    const Tensor t = call_unsqueeze(call_slice(factors, -1, k, k + 1), -1);
    const Tensor square = call_matmul(adjoint, v);
    const Tensor inverse = call_div(t, call_add(call_mul(t, square), Scalar(-1)));
    rest = call_sub(rest, call_matmul(call_mul(v, inverse), call_matmul(adjoint, rest)));
    // M = grad rest^H.
    const Tensor right = call_matmul(grad, call_mH(call_matmul(adjoint, rest)));
    if (of_tau) {
      const Tensor part = call_neg(call_squeeze(call_matmul(adjoint, right), -1));
      parts[static_cast<size_t>(k)] = turns ? call_conj(part) : part;
    } else {
      const Tensor down = call_matmul(rest, call_mH(call_matmul(adjoint, grad)));
      parts[static_cast<size_t>(k)] =
          call_neg(call_add(call_mul(right, call_conj(t)), call_mul(down, t)));
    }
    const Tensor along = call_matmul(adjoint, grad);
    grad = call_sub(grad, call_matmul(call_mul(v, call_conj(t)), along));
  }
  if (count == 0) return call.give(0, call_mul(of_tau ? tau : input, Scalar(0)));
  const Tensor made = call_cat(parts, -1);
  if (of_tau) return call.give(0, made);
  const Tensor below = call_tril(made, -1);
  if (columns == count) return call.give(0, below);
  const Tensor none = call_mul(call_slice(input, -1, count, columns), Scalar(0));
  call.give(0, call_cat({below, none}, -1));
}

}  // namespace tenon::kernels::ops
