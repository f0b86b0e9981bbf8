// SPDX-License-Identifier: Apache-2.0
// Checks of index tensors along one dim.
#include "kernels/common/places.h"

namespace tenon::kernels {
namespace {

int64_t dims_of(const tenon_tensor_info& info) { return std::max<int64_t>(info.ndim, 1); }

}  // namespace

int64_t check_places(const char* op, const tenon_tensor_info& self, int64_t dim,
                     const tenon_tensor_info& index) {
  check_defined(op, "self", self);
  check_defined(op, "index", index);
  const int64_t wrapped = wrap_dim(op, dim, self.ndim);
  const Dtype dtype = dtype_of_info(index);
  // An empty index may have any dtype.
  if (index.numel != 0 && dtype != Dtype::I64 && dtype != Dtype::I32) {
    fail_argument(op, "index", "have dtype int64 or int32", dtype);
  }
  if (!(Device(index.device) == Device(self.device))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": index must be on ", Device(self.device),
                                        " like self, got ", Device(index.device)});
  }
  if (index.numel == 0) return wrapped;
  bool fits = dims_of(index) == dims_of(self);
  for (int64_t d = 0; fits && d < std::min(index.ndim, self.ndim); ++d) {
    fits = d == wrapped || index.sizes[d] <= self.sizes[d];
  }
  if (!fits) {
    fail(
        TENON_ERROR_INVALID_ARGUMENT,
        {op, ": index must have as many dims as self, and sizes that are not larger except in dim ",
         wrapped, ", got ", sizes_of(index), " for self of sizes ", sizes_of(self)});
  }
  return wrapped;
}

void check_source(const char* op, const tenon_tensor_info& self, const tenon_tensor_info& index,
                  const tenon_tensor_info& src) {
  check_defined(op, "src", src);
  check_dtype_of(op, "src", dtype_of_info(src), "self", dtype_of_info(self));
  if (index.numel == 0) return;
  bool fits = dims_of(index) == dims_of(src);
  for (int64_t d = 0; fits && d < std::min(index.ndim, src.ndim); ++d) {
    fits = index.sizes[d] <= src.sizes[d];
  }
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": src must have as many dims as index, and sizes that are not smaller, got ",
          sizes_of(src), " for index of sizes ", sizes_of(index)});
  }
}

}  // namespace tenon::kernels
