// SPDX-License-Identifier: Apache-2.0
// Dtypes; see tenon/types.h.
#include "tenon/types.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "tensor/dtype.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

extern "C" {

int64_t tenon_dtype_size(tenon_dtype dtype) { return tensor::dtype_size(dtype); }

const char* tenon_dtype_name(tenon_dtype dtype) { return tensor::dtype_name(dtype); }

tenon_status tenon_dtype_parse(const char* name, tenon_dtype* out_dtype) {
  TENON_REQUIRE(out_dtype);
  *out_dtype = TENON_DTYPE_NONE;
  return guarded([&] {
    TENON_CHECK_ARG(name != nullptr, "tenon_dtype_parse: name must be given, got NULL");
    const tenon_dtype dtype = tensor::find_dtype(name);
    TENON_CHECK(dtype != TENON_DTYPE_NONE, TENON_ERROR_NOT_FOUND,
                "tenon_dtype_parse: name must be the name of a dtype, got '", name, "'");
    *out_dtype = dtype;
  });
}

uint32_t tenon_dtype_traits(tenon_dtype dtype) { return tensor::dtype_traits(dtype); }

tenon_status tenon_dtype_promote(tenon_dtype a, tenon_dtype b, tenon_dtype* out_dtype) {
  TENON_REQUIRE(out_dtype);
  *out_dtype = TENON_DTYPE_NONE;
  return guarded([&] { *out_dtype = tensor::promote_dtypes(a, b); });
}

tenon_dtype tenon_dtype_default(void) { return tensor::default_dtype(); }

tenon_status tenon_dtype_set_default(tenon_dtype dtype) {
  return guarded([&] { tensor::set_default_dtype(dtype); });
}

}  // extern "C"
