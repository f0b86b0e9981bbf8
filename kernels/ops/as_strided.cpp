// SPDX-License-Identifier: Apache-2.0
// aten::as_strided: any strided view of a tensor's storage.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

// Every element of the view must lie in the storage.
void check_inside(const char* op, const Tensor& self, const View& view) {
  if (view.offset < 0) fail_argument(op, "storage_offset", "0 or more", view.offset);
  int64_t last = view.offset;
  for (int64_t d = 0; d < view.ndim(); ++d) {
    if (view.sizes[d] < 0) fail_argument(op, "size", "of sizes of 0 or more", view.sizes);
    if (view.sizes[d] == 0) return;
    int64_t reach = 0;
    if (__builtin_mul_overflow(view.sizes[d] - 1, view.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      fail_argument(op, "stride", "small enough to reach places that fit into an int64",
                    view.strides);
    }
  }
  const int64_t elements =
      tenon_storage_nbytes(tenon_tensor_storage(self.get())) / size_of(self.dtype());
  if (last >= elements) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": size and stride must stay inside the storage of ", elements, " elements, got ",
          view.sizes, " with strides ", view.strides, " from ", view.offset});
  }
}

Tensor as_strided(const Tensor& self, Sizes size, Sizes stride,
                  std::optional<int64_t> storage_offset) {
  constexpr const char* kOp = "aten::as_strided";
  View result(kOp, self.info());
  if (size.size() != stride.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": stride must have ", size.size(), " numbers like size, got ", stride.size()});
  }
  for (const int64_t step : stride) {
    if (step < 0) fail_argument(kOp, "stride", "of strides of 0 or more", stride);
  }
  result.sizes = Dims(size);
  result.strides = Dims(stride);
  result.offset = storage_offset.value_or(result.offset);
  check_inside(kOp, self, result);
  return result.of(self);
}

}  // namespace

void register_as_strided(Library& aten) {
  aten.def(
      "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) "
      "-> Tensor(a)",
      {"core"});
  aten.impl("as_strided", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &as_strided, quick("as_strided"));
}

}  // namespace tenon::kernels
