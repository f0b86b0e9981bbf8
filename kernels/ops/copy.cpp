// SPDX-License-Identifier: Apache-2.0
// aten::copy_: writes the elements of a tensor, broadcast and cast, to another one.
#include "kernels/ops/copy.h"

#include "kernels/common/overlap.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

constexpr const char* kOp = "aten::copy_";

Tensor& copy_meta(Tensor& self, const Tensor& src, bool) {
  const tenon_tensor_info target = self.info();
  if (target.device.type != TENON_DEVICE_META) {
    fail(TENON_ERROR_DATA_DEPENDENT, {kOp, ": src must have data to be copied to ",
                                      Device(target.device), ", got a tensor on meta"});
  }
  check_copy(target, src.info());
  return self;
}

}  // namespace

void check_copy(const tenon_tensor_info& self, const tenon_tensor_info& src) {
  if (((self.flags | src.flags) & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(kOp, "self and src", "defined tensors", "the undefined tensor");
  }
  if ((self.flags & TENON_TENSOR_READ_ONLY) != 0) {
    fail_argument(kOp, "self", "writable", "a read-only tensor");
  }
  if (!(broadcast(kOp, sizes_of(self), sizes_of(src)) == Dims(sizes_of(self)))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {kOp, ": src must have sizes that broadcast to ",
                                        sizes_of(self), ", got ", sizes_of(src)});
  }
  check_no_internal_overlap(kOp, self);
  check_no_partial_overlap(kOp, self, src);
}

void register_copy(Library& aten) {
  aten.def("copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
           {"inplace"});
  aten.impl("copy_", TENON_KEY_META, &copy_meta, quick("copy_meta"));
}

}  // namespace tenon::kernels
