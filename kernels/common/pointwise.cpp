// SPDX-License-Identifier: Apache-2.0
// The routine of pointwise operators: from arguments and facts to a plan, then to the device.
#include "kernels/common/pointwise.h"

namespace tenon::kernels {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void refuse_bool(const Call& call, int k,
                                                        const char* instead) {
  fail(TENON_ERROR_NOT_SUPPORTED, {call.op(), ": not supported for dtype bool: ",
                                   call.form.names[k], " must be a number; ", instead});
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_mask(const Call& call, int k, Dtype actual) {
  fail_argument(call.op(), call.form.names[k], "a bool tensor", actual);
}

Dtype result_of(const PointwiseRule& rule, Dtype dtype) {
  if (rule.gives == Gives::Bool) return Dtype::Bool;
  return rule.gives == Gives::Real ? to_real(dtype) : dtype;
}

// What each input must be, then the dtype that is computed in.
void check_inputs(const Elementwise& plan, const Call& call) {
  const PointwiseFacts& facts = call.facts().pointwise;
  for (int k = 0; k < plan.inputs(); ++k) {
    const Dtype dtype = dtype_of_info(plan.input_info(k));
    if (k < facts.masks) {
      if (dtype != Dtype::Bool && dtype != Dtype::U8) refuse_mask(call, k, dtype);
    } else if (facts.no_bool != nullptr && dtype == Dtype::Bool) [[unlikely]] {
      refuse_bool(call, k, facts.no_bool);
    }
  }
}

void check_dtype(const Call& call, const PointwiseRule& rule, Dtype dtype) {
  const PointwiseFacts& facts = call.facts().pointwise;
  if (!has(rule.types, static_cast<tenon_dtype>(dtype))) [[unlikely]] {
    fail_dtype(call.op(), call.form.names[facts.masks], dtype, names_of(rule.types));
  }
  if (facts.check != nullptr) {
    facts.check(Args(call.op(), call.args), static_cast<tenon_dtype>(dtype));
  }
}

// The usual call, with everything alike: no dtype to find, no shapes to broadcast.
bool settle_alike(Elementwise& plan, const Call& call, const PointwiseRule& rule) {
  const PointwiseFacts& facts = call.facts().pointwise;
  if (!call.form.is_functional() || plan.inputs() > 2 || facts.masks != 0) return false;
  const Dtype own = dtype_of_info(plan.input_info(0));
  if (rule.promote == Promote::CommonFloat && is_bool_or_integral(own)) return false;
  if (facts.no_bool != nullptr && own == Dtype::Bool) return false;
  if (rule.gives == Gives::Real && is_complex(own)) return false;
  if (!has(rule.types, static_cast<tenon_dtype>(own))) return false;
  const bool alike = plan.inputs() == 1 ? plan.inputs_are_alike<1>() : plan.inputs_are_alike<2>();
  if (!alike) return false;
  if (facts.check != nullptr) {
    facts.check(Args(call.op(), call.args), static_cast<tenon_dtype>(own));
  }
  plan.settle_alike(result_of(rule, own));
  return true;
}

void settle(Elementwise& plan, const Call& call, const PointwiseRule& rule) {
  if (settle_alike(plan, call, rule)) return;
  const int masks = call.facts().pointwise.masks;
  check_inputs(plan, call);
  for (int k = 0; k < masks; ++k) plan.read_as(k, Dtype::Bool);
  plan.promote(rule.promote == Promote::Common ? Promotion::Common : Promotion::CommonFloat, masks);
  check_dtype(call, rule, plan.dtype());
  if (rule.gives == Gives::Real && is_complex(plan.dtype()) && call.form.is_functional()) {
    return plan.finish_preserving(to_real(plan.dtype()));
  }
  const Output output = call.form.is_functional() ? Output::allocate()
                        : call.form.is_out()      ? Output::into(call.written())
                                                  : Output::in_place(call.written());
  plan.finish(result_of(rule, plan.dtype()), output);
}

void run_pointwise(const Call& call) {
  const PointwiseFacts& facts = call.facts().pointwise;
  Elementwise plan(call.op());
  for (int k = 0; k < call.form.inputs; ++k) plan.input(call.tensor(k), call.form.names[k]);
  const int variant = facts.variant != nullptr ? facts.variant(Args(call.op(), call.args)) : 0;
  settle(plan, call, facts.rules != nullptr ? facts.rules[variant] : facts.rule);
  if (const auto* kernel = static_cast<const PointwiseKernel*>(call.form.kernel)) {
    kernel->run(*kernel, plan, call, variant);
  }
  if (call.form.is_functional()) call.give(0, plan.take_result());
}

}  // namespace

constinit const Family kPointwise{
    .name = "meta", .run = &run_pointwise, .key = TENON_KEY_META, .leaf = true};

}  // namespace tenon::kernels
