// SPDX-License-Identifier: Apache-2.0
// The routine of view operators: it makes an alias with the operator's strides, changes the tensor
// itself, or copies the elements of the view.
#include "kernels/common/families/view.h"

#include "kernels/common/families/routine.h"

namespace tenon::kernels {
namespace {

// Calls the functional view and copies its elements.
void run_copy(const Call& call) {
  tenon_value result = call.call_target(call.args);
  const Tensor view(result.as.tensor);
  if (call.form.is_functional()) {
    using Signature = Tensor(const Tensor&, std::optional<MemoryFormat>);
    static constinit const LazyOp<Signature> clone("aten::clone");
    const bool shares = tenon_tensor_storage(view.get()) == tenon_tensor_storage(call.tensor(0));
    return call.give(0, shares ? clone(view, MemoryFormat::Contiguous) : view);
  }
  const Tensor out = result_for(call, view.sizes(), view.dtype(), view.device());
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  copy(out, view, false);
}

void run_view(const Call& call) {
  if (call.form.target != nullptr) return run_copy(call);
  tenon_tensor* base = call.tensor(0);
  tenon_tensor_info info;
  check(tenon_tensor_describe(base, &info));
  check_defined(call.op(), "self", info);
  View view(base, info);
  call.facts().view.change(view, call);
  if (!call.form.is_functional()) {
    return check(tenon_tensor_restride(base, view.ndim(), view.sizes.begin(), view.strides.begin(),
                                       view.offset));
  }
  tenon_tensor* alias = nullptr;
  if (view.detached) {
    check(tenon_tensor_new_detached(base, view.ndim(), view.sizes.begin(), view.strides.begin(),
                                    view.offset, &alias));
  } else if (view.dtype == dtype_of_info(info)) [[likely]] {
    check(tenon_tensor_new_alias(base, view.ndim(), view.sizes.begin(), view.strides.begin(),
                                 view.offset, &alias));
  } else {
    check(tenon_tensor_new_alias_as(base, static_cast<tenon_dtype>(view.dtype), view.ndim(),
                                    view.sizes.begin(), view.strides.begin(), view.offset, &alias));
  }
  call.give(0, Tensor(alias));
}

}  // namespace

constinit const Family kView{
    .name = "view", .run = &run_view, .key = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, .leaf = true};

}  // namespace tenon::kernels
