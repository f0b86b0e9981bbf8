// SPDX-License-Identifier: Apache-2.0
// The routine of pointwise operators: builds a plan from arguments and facts, and runs it on the
// device.
#include "kernels/common/families/pointwise.h"

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

Dtype result_of(Gives gives, Dtype dtype) {
  switch (gives) {
    case Gives::Bool:
      return Dtype::Bool;
    case Gives::Int32:
      return Dtype::I32;
    case Gives::Real:
      return to_real(dtype);
    case Gives::Same:
      return dtype;
  }
  return dtype;
}

// Checks that masks are bool or uint8, and that no input is bool if the operator does not support
// it.
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

// Returns true if a tensor is row-major and has no flags other than read-only.
bool is_plain(const tenon_tensor_info& info) {
  return (info.flags & ~uint32_t{TENON_TENSOR_READ_ONLY}) == TENON_TENSOR_CONTIGUOUS;
}

// Returns true if b is plain and has a's dtype, shape and device.
bool is_alike(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  if (b.dtype != a.dtype || b.ndim != a.ndim || !is_plain(b) || b.device.type != a.device.type ||
      b.device.index != a.device.index) {
    return false;
  }
  for (int32_t d = 0; d < a.ndim; ++d) {
    if (b.sizes[d] != a.sizes[d]) return false;
  }
  return true;
}

// Returns true if b has the same memory as a, or does not overlap it. Both are plain and alike.
bool is_same_or_apart(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  const int64_t bytes = a.numel * size_of(dtype_of_info(a));
  const auto begin_a = reinterpret_cast<intptr_t>(a.data);
  const auto begin_b = reinterpret_cast<intptr_t>(b.data);
  return begin_a == begin_b || begin_a + bytes <= begin_b || begin_b + bytes <= begin_a;
}

// Returns true if an input may be written in place.
bool is_writable(const tenon_tensor_info& lead, const PointwiseRule& rule) {
  return (lead.flags & TENON_TENSOR_READ_ONLY) == 0 && rule.gives[0] == Gives::Same;
}

// Fast path for the most common calls: one or two inputs, row-major, of one supported dtype, one
// shape and one device, none of them a wrapped number, and one result, which is new or the first
// input. Returns false for all other calls.
bool run_alike(const Call& call, const PointwiseRule& rule, int variant) {
  const PointwiseFacts& facts = call.facts().pointwise;
  if (!call.form.is_small || rule.gives[0] == Gives::Real) return false;
  const tenon_tensor* self = call.tensor(0);
  tenon_tensor_info lead;
  check(tenon_tensor_describe(self, &lead));
  if (!is_plain(lead) || !has(rule.types, lead.dtype)) return false;
  const bool in_place = !call.form.is_functional();
  if (in_place && !is_writable(lead, rule)) return false;
  void* data[3] = {nullptr, lead.data, nullptr};
  if (call.form.inputs == 2) {
    tenon_tensor_info other;
    check(tenon_tensor_describe(call.tensor(1), &other));
    if (!is_alike(lead, other) || (in_place && !is_same_or_apart(lead, other))) return false;
    data[2] = other.data;
  }
  const auto* kernel = static_cast<const PointwiseKernel*>(call.form.kernel);
  if (kernel != nullptr && !has(kernel->flat, lead.dtype)) return false;
  if (facts.check != nullptr) facts.check(Args(call.op(), call.args), lead.dtype);
  Tensor result;
  if (in_place) {
    data[0] = lead.data;
  } else {
    result = allocate_like(self, rule.gives[0] == Gives::Bool ? Dtype::Bool : dtype_of_info(lead),
                           &data[0]);
  }
  if (kernel != nullptr) {
    kernel->run_flat(*kernel, call, variant, lead.dtype, reinterpret_cast<char**>(data),
                     lead.numel);
  }
  if (!in_place) call.give(0, std::move(result));
  return true;
}

// Adds the inputs to the plan and determines the dtype that it computes in.
void take_inputs(Elementwise& plan, const Call& call, const PointwiseRule& rule) {
  for (int k = 0; k < call.form.inputs; ++k) plan.input(call.tensor(k), call.form.names[k]);
  const int masks = call.facts().pointwise.masks;
  check_inputs(plan, call);
  for (int k = 0; k < masks; ++k) plan.read_as(k, Dtype::Bool);
  plan.promote(rule.promote == Promote::Common ? Promotion::Common : Promotion::CommonFloat, masks);
  check_dtype(call, rule, plan.dtype());
}

// Checks a written argument. If `exact_outs` is set, an `out` must have exactly the result's dtype.
// An operator with a real result for complex numbers also accepts an `out` that the result can be
// cast to, but cannot write in place.
void check_written(const Elementwise& plan, const Call& call, const PointwiseRule& rule) {
  const bool shrinks = rule.gives[0] == Gives::Real && is_complex(plan.dtype());
  if (!call.form.is_out()) {
    if (shrinks) fail_argument(call.op(), "self", "real to be written in place", plan.dtype());
  } else if (call.facts().pointwise.exact_outs) {
    const Dtype own = TensorRef(call.written())->dtype();
    const Dtype dtype =
        shrinks && is_complex(own) ? plan.dtype() : result_of(rule.gives[0], plan.dtype());
    if (own != dtype && !(shrinks && is_floating(own))) {
      fail_argument(call.op(), call.form.names[call.form.written],
                    std::string("have dtype ") + name_of(dtype), own);
    }
  }
}

void settle(Elementwise& plan, const Call& call, const PointwiseRule& rule) {
  take_inputs(plan, call, rule);
  if (!call.form.is_functional()) check_written(plan, call, rule);
  if (rule.gives[0] == Gives::Real && is_complex(plan.dtype()) && call.form.is_functional()) {
    return plan.finish_preserving(to_real(plan.dtype()));
  }
  const Output output = call.form.is_functional() ? Output::allocate()
                        : call.form.is_out()      ? Output::into(call.written())
                                                  : Output::in_place(call.written());
  plan.finish(result_of(rule.gives[0], plan.dtype()), output);
}

void compute(Elementwise& plan, const Call& call, int variant) {
  if (const auto* kernel = static_cast<const PointwiseKernel*>(call.form.kernel)) {
    kernel->run(*kernel, plan, call, variant);
  }
}

void run_planned(const Call& call, const PointwiseRule& rule, int variant) {
  Elementwise plan(call.op());
  settle(plan, call, rule);
  compute(plan, call, variant);
  if (call.form.is_functional()) call.give(0, plan.take_result());
}

// Returns the dtype and the `out` of result k.
OneOfSeveral one_of(const Call& call, int k, Dtype dtype) {
  if (call.form.is_functional()) return {dtype, nullptr, nullptr};
  OneOfSeveral result{dtype, call.form.names[call.form.written + k], call.written(k)};
  const auto own = static_cast<Dtype>(tenon_tensor_dtype(result.given));
  if (call.facts().pointwise.exact_outs && own != dtype) {
    fail_argument(call.op(), result.name, std::string("have dtype ") + name_of(dtype), own);
  }
  return result;
}

void run_several(const Call& call, const PointwiseRule& rule, int variant) {
  Elementwise plan(call.op());
  take_inputs(plan, call, rule);
  OneOfSeveral results[kMaxResults];
  const int count = call.form.results;
  for (int k = 0; k < count; ++k) {
    results[k] = one_of(call, k, result_of(rule.gives[k], plan.dtype()));
  }
  plan.finish_several({results, static_cast<size_t>(count)});
  compute(plan, call, variant);
  if (!call.form.is_functional()) return;
  for (int k = 0; k < count; ++k) call.give(k, std::move(results[k].made));
}

void run_pointwise(const Call& call) {
  const PointwiseFacts& facts = call.facts().pointwise;
  const int variant = facts.variant != nullptr ? facts.variant(Args(call.op(), call.args)) : 0;
  const PointwiseRule& rule = rule_of(facts, variant);
  if (run_alike(call, rule, variant)) return;
  if (call.form.results == 1) {
    run_planned(call, rule, variant);
  } else {
    run_several(call, rule, variant);
  }
}

}  // namespace

constinit const Family kPointwise{
    .name = "meta", .run = &run_pointwise, .key = TENON_KEY_META, .leaf = true};

}  // namespace tenon::kernels
