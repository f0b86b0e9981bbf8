// SPDX-License-Identifier: Apache-2.0
// aten::view: the same elements under other sizes, where memory allows it.
#include "kernels/common/view.h"

#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor view(const Tensor& self, Sizes size) {
  constexpr const char* kOp = "aten::view";
  const tenon_tensor_info info = self.info();
  check_defined(kOp, info);
  const Dims sizes = infer_sizes(kOp, size, info.numel);
  const std::optional<Dims> strides = view_strides(info, sizes);
  if (!strides) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": size must keep dims that are apart in memory apart, got ", size, " for sizes ",
          sizes_of(info), " with strides ", strides_of(info), "; reshape() copies instead"});
  }
  return self.alias(sizes, *strides, info.storage_offset);
}

}  // namespace

void register_view(Library& aten) {
  aten.def("view(Tensor(a) self, SymInt[] size) -> Tensor(a)", {"core"});
  aten.impl("view", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &view, quick("view"));
}

}  // namespace tenon::kernels
