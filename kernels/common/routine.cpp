// SPDX-License-Identifier: Apache-2.0
// Runs operators that have routines of their own; out forms of those that call other operators.
#include "kernels/common/routine.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

void run_routine(const Call& call) {
  if (const auto* device = static_cast<const Routine*>(call.form.kernel)) {
    device->run(call);
  } else {
    call.facts().routine.run(call);
  }
}

// The routine makes a result of its own, which is copied to the caller's.
void run_out_by_copy(const Call& call) {
  tenon_value result = tenon_value_of_none();
  call.facts().routine.run(Call{call.form, call.args, &result});
  const Tensor made(result.as.tensor);
  const Tensor out = result_for(call, made.sizes(), made.dtype(), made.device());
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  copy(out, made, false);
}

void run_composite(const Call& call) {
  if (call.form.is_out() && call.form.kernel == nullptr && !call.facts().routine.writes_out) {
    run_out_by_copy(call);
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
                  std::string("of dtype ") + name_of(dtype), dtype_of_info(info));
  }
  if (!std::ranges::equal(sizes_of(info), sizes)) resize_out(call.op(), out, sizes, strides);
  return out;
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

}  // namespace tenon::kernels
