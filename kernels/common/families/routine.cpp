// SPDX-License-Identifier: Apache-2.0
// Running operators that have their own routine, and out forms of those that call other operators.
#include "kernels/common/families/routine.h"

#include <vector>

#include "kernels/common/allocation.h"
#include "kernels/common/cast_out.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

void run_routine(const Call& call) {
  if (const auto* device = static_cast<const Routine*>(call.form.kernel)) {
    device->run(call);
  } else {
    call.facts().routine.run(call);
  }
}

// Runs the functional routine of an operator on tensor lists and copies its results to the outs of
// a list.
void run_lists_out(const Call& call) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  tenon_value result = tenon_value_of_none();
  call.facts().routine.run(Call{call.form, call.args, &result});
  const Value made(result);
  const TensorList results(static_cast<tenon_tensor* const*>(result.as.list.data), result.count);
  const auto outs = call.get<TensorList>(call.form.written);
  if (results.size() != outs.size()) {
    fail_argument(call.op(), call.form.names[call.form.written],
                  "a list of " + std::to_string(results.size()) + " tensors", outs.size());
  }
  for (int64_t k = 0; k < outs.size(); ++k) {
    const TensorRef one = results[k];
    const TensorRef out = outs[k];
    check_not_read_only(call.op(), call.form.names[call.form.written], out->info());
    if (!(out->sizes() == one->sizes())) resize_out(call.op(), *out, one->sizes());
    copy(out, one, false);
  }
}

// Runs the functional routine and copies its results to the caller's outs.
void run_out_by_copy(const Call& call) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  std::vector<tenon_value> results(static_cast<size_t>(call.form.results), tenon_value_of_none());
  call.facts().routine.run(Call{call.form, call.args, results.data()});
  std::vector<Tensor> made;
  for (const tenon_value& result : results) made.emplace_back(result.as.tensor);
  for (int k = 0; k < call.form.results; ++k) {
    const Tensor& one = made[static_cast<size_t>(k)];
    const Tensor out = result_for(call, one.sizes(), one.dtype(), one.device(), nullptr, k);
    for (int other = 0; other < k; ++other) {
      check_outputs_apart(call.op(), out.info(), Tensor::retain(call.written(other)).info());
    }
    copy(out, one, false);
  }
}

void run_composite(const Call& call) {
  if (call.form.is_out() && call.form.kernel == nullptr && !call.facts().routine.writes_out) {
    if (call.form.results == 0) {
      run_lists_out(call);
    } else {
      run_out_by_copy(call);
    }
  } else {
    run_routine(call);
  }
}

}  // namespace

void check_writable(const Call& call, const tenon_tensor_info& out, int k) {
  const char* name = call.form.names[call.form.written + k];
  check_defined(call.op(), name, out);
  check_not_read_only(call.op(), name, out);
}

void check_out(const Call& call, const tenon_tensor_info& out, const Device& device, int k) {
  check_writable(call, out, k);
  const char* name = call.form.names[call.form.written + k];
  if (!(Device(out.device) == device)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": ", name, " must be on ", device,
                                        " like the inputs, got ", Device(out.device)});
  }
  check_no_internal_overlap(call.op(), out);
}

Tensor result_for(const Call& call, Sizes sizes, Dtype dtype, const Device& device,
                  const int64_t* strides, int k) {
  if (call.form.is_functional()) return allocate(sizes, dtype, device, strides);
  const Tensor out = Tensor::retain(call.written(k));
  const tenon_tensor_info info = out.info();
  check_out(call, info, device, k);
  if (dtype_of_info(info) != dtype) {
    fail_argument(call.op(), call.form.names[call.form.written + k],
                  std::string("have dtype ") + name_of(dtype), dtype_of_info(info));
  }
  if (!std::ranges::equal(sizes_of(info), sizes)) resize_out(call.op(), out, sizes, strides);
  return out;
}

void give_or_cast(const Call& call, Tensor made) {
  if (call.form.is_functional()) return call.give(0, std::move(made));
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  const Tensor out = Tensor::retain(call.written());
  check_out(call, out.info(), made.device());
  if (!can_cast(made.dtype(), out.dtype())) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", call.form.names[call.form.written], " must have a dtype that ",
          made.dtype(), " can be cast to, got ", out.dtype()});
  }
  if (!std::ranges::equal(out.sizes(), made.sizes())) resize_out(call.op(), out, made.sizes());
  copy(out, made, false);
}

constinit const Family kRoutine{
    .name = "meta", .run = &run_routine, .key = TENON_KEY_META, .leaf = true};
constinit const Family kExplicit{.name = "explicit",
                                 .run = &run_composite,
                                 .key = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                                 .leaf = false};
constinit const Family kComposite{.name = "composite",
                                  .run = &run_composite,
                                  .key = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                  .leaf = false};

void refuse_gradient_of_self(const Call& call) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {call.op(), ": self must not require grad, got a tensor that does"});
}

}  // namespace tenon::kernels
