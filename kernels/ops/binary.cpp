// SPDX-License-Identifier: Apache-2.0
// The plan of operators of two tensors.
#include "kernels/ops/binary.h"

namespace tenon::kernels {
namespace {

void check_alpha(const char* op, Dtype dtype, const Scalar& alpha) {
  if (alpha.is_bool() && dtype != Dtype::Bool) {
    fail_argument(op, "alpha", "a number for tensors that are not bool", alpha);
  }
  if (alpha.is_float() && !is_floating(dtype) && !is_complex(dtype)) {
    fail_argument(op, "alpha", "an integer for tensors that are not floating", alpha);
  }
  if (alpha.is_complex() && !is_complex(dtype)) {
    fail_argument(op, "alpha", "a real number for tensors that are not complex", alpha);
  }
}

}  // namespace

void plan_binary(Elementwise& plan, const BinaryFacts& facts, const Tensor& self,
                 const Tensor& other, Output output, const Scalar* alpha) {
  plan.input(self, "self");
  plan.input(other, "other");
  const Dtype own = dtype_of_info(plan.input_info(0));
  const bool usual = output.tensor() == nullptr && facts.check == nullptr &&
                     (alpha == nullptr || alpha->is_int()) &&
                     (facts.promotion == Promotion::Common || !is_bool_or_integral(own));
  if (usual && plan.try_alike<2>(facts.bool_result ? Dtype::Bool : own)) return;
  plan.promote(facts.promotion);
  if (facts.check != nullptr) {
    facts.check(plan.op(), dtype_of_info(plan.input_info(0)), dtype_of_info(plan.input_info(1)),
                plan.dtype());
  }
  if (alpha != nullptr) check_alpha(plan.op(), plan.dtype(), *alpha);
  plan.finish(facts.bool_result ? Dtype::Bool : plan.dtype(), output);
}

}  // namespace tenon::kernels
