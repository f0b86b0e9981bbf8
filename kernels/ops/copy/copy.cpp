// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::copy, and the operators that it calls.
#include "kernels/ops/copy/copy.h"

#include "kernels/common/overlap.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {
namespace {

constexpr const char* kOp = "aten::copy_";

// Warns once in a process.
[[gnu::cold, gnu::noinline]] void warn_of_lost_parts() {
  static const char site = 0;
  check(tenon_warning_emit_once(&site, "UserWarning",
                                "aten::copy_: complex numbers are copied to a real dtype, which "
                                "loses their imaginary parts; take x.real if that is meant"));
}

}  // namespace

void check_copy(const tenon_tensor_info& self, const tenon_tensor_info& src) {
  if (((self.flags | src.flags) & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(kOp, "self and src", "defined tensors", "the undefined tensor");
  }
  check_not_read_only(kOp, "self", self);
  if (!(broadcast(kOp, sizes_of(self), sizes_of(src)) == Dims(sizes_of(self)))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {kOp, ": src must have sizes that broadcast to ",
                                        sizes_of(self), ", got ", sizes_of(src)});
  }
  check_no_internal_overlap(kOp, self);
  check_no_partial_overlap(kOp, self, src);
  if (self.dtype != src.dtype && self.dtype != TENON_DTYPE_BOOL && is_complex(dtype_of_info(src)) &&
      !is_complex(dtype_of_info(self))) {
    warn_of_lost_parts();
  }
}

namespace ops {

void copy_meta(const Call& call) {
  const tenon_tensor_info target = call.get<Tensor>(0)->info();
  const tenon_tensor_info source = call.get<Tensor>(1)->info();
  if (has_data(target)) {
    fail_without_data(call.op(),
                      "src must have data to be copied to " + Device(target.device).str(), source);
  }
  check_copy(target, source);
}

void copy(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  // Uses exactly the strides of self, including gaps, unless elements would overlap.
  bool shares = false;
  for (int32_t d = 0; d < like.ndim; ++d) shares |= like.strides[d] == 0 && like.sizes[d] > 1;
  Tensor made =
      shares ? empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}))
             : call_empty_strided(sizes_of(like), strides_of(like), options_like(like, {}));
  call_copy(made, call.get<Tensor>(1), call.get<bool>(2));
  call.give(0, std::move(made));
}

}  // namespace ops

}  // namespace tenon::kernels
