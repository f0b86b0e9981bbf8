// SPDX-License-Identifier: Apache-2.0
// The routine of view operators: an alias with the strides that the operator's own part made.
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

void run_view(const Call& call) {
  const tenon_tensor* base = call.tensor(0);
  tenon_tensor_info info;
  check(tenon_tensor_describe(base, &info));
  if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) [[unlikely]] {
    fail_argument(call.op(), "self", "a defined tensor", "the undefined tensor");
  }
  View view(base, info);
  call.facts().view.change(view, call);
  tenon_tensor* alias = nullptr;
  if (view.dtype == dtype_of_info(info)) [[likely]] {
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
