// SPDX-License-Identifier: Apache-2.0
// Random distributions on CUDA.
#include "kernels/ops/random/distributions.h"

#include "kernels/cuda/random/draw.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

// Draws a distribution with one or two parameters.
template <Distribution kWhich, int kParameters>
void draw_checked(const Call& call) {
  ops::check_distribution(call);
  draw(call, 1 + kParameters, kWhich, call.get<double>(1),
       kParameters == 2 ? call.get<double>(2) : 0);
}

}  // namespace

Operator operator_kExponentialInPlace() {
  return routine_of<ops::kExponentialInPlace, &draw_checked<Distribution::Exponential, 1>>();
}
Operator operator_kCauchyInPlace() {
  return routine_of<ops::kCauchyInPlace, &draw_checked<Distribution::Cauchy, 2>>();
}
Operator operator_kGeometricInPlace() {
  return routine_of<ops::kGeometricInPlace, &draw_checked<Distribution::Geometric, 1>>();
}
Operator operator_kLogNormalInPlace() {
  return routine_of<ops::kLogNormalInPlace, &draw_checked<Distribution::LogNormal, 2>>();
}

}  // namespace tenon::kernels::cuda
