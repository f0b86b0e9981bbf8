// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <atomic>

#include "base/check.h"

namespace tenon::tensor {

namespace {

constexpr uint32_t kFloat = TENON_DTYPE_IS_FLOATING | TENON_DTYPE_IS_SIGNED;
constexpr uint32_t kComplex = TENON_DTYPE_IS_COMPLEX | TENON_DTYPE_IS_SIGNED;
constexpr uint32_t kSignedInt = TENON_DTYPE_IS_INTEGRAL | TENON_DTYPE_IS_SIGNED;
constexpr uint32_t kUnsignedInt = TENON_DTYPE_IS_INTEGRAL;

struct DtypeInfo {
  const char* name = nullptr;
  uint32_t traits = 0;
};

struct DtypeInfos {
  DtypeInfo of[kDtypeLimit] = {};
};

constexpr DtypeInfos make_infos() {
  DtypeInfos infos;
  infos.of[TENON_DTYPE_U8] = {"uint8", kUnsignedInt};
  infos.of[TENON_DTYPE_I8] = {"int8", kSignedInt};
  infos.of[TENON_DTYPE_I16] = {"int16", kSignedInt};
  infos.of[TENON_DTYPE_I32] = {"int32", kSignedInt};
  infos.of[TENON_DTYPE_I64] = {"int64", kSignedInt};
  infos.of[TENON_DTYPE_F16] = {"float16", kFloat};
  infos.of[TENON_DTYPE_F32] = {"float32", kFloat};
  infos.of[TENON_DTYPE_F64] = {"float64", kFloat};
  infos.of[TENON_DTYPE_C32] = {"complex32", kComplex};
  infos.of[TENON_DTYPE_C64] = {"complex64", kComplex};
  infos.of[TENON_DTYPE_C128] = {"complex128", kComplex};
  infos.of[TENON_DTYPE_BOOL] = {"bool", 0};
  infos.of[TENON_DTYPE_BF16] = {"bfloat16", kFloat};
  infos.of[TENON_DTYPE_F8_E5M2] = {"float8_e5m2", kFloat};
  infos.of[TENON_DTYPE_F8_E4M3FN] = {"float8_e4m3fn", kFloat};
  infos.of[TENON_DTYPE_U16] = {"uint16", kUnsignedInt};
  infos.of[TENON_DTYPE_U32] = {"uint32", kUnsignedInt};
  infos.of[TENON_DTYPE_U64] = {"uint64", kUnsignedInt};
  return infos;
}

constexpr DtypeInfos kInfos = make_infos();

constexpr bool agrees(uint32_t trait, bool (*is)(tenon_dtype)) {
  for (tenon_dtype dtype = -1; dtype <= kDtypeLimit; ++dtype) {
    const bool has = in_dtype_range(dtype) && (kInfos.of[dtype].traits & trait) != 0;
    if (has != is(dtype)) return false;
  }
  return true;
}
static_assert(agrees(TENON_DTYPE_IS_FLOATING,
                     [](tenon_dtype dtype) { return is_floating(dtype); }));
static_assert(agrees(TENON_DTYPE_IS_COMPLEX, [](tenon_dtype dtype) { return is_complex(dtype); }));

struct DtypeName {
  std::string_view name;
  tenon_dtype dtype;
};

constexpr DtypeName kAliases[] = {
    {"float", TENON_DTYPE_F32},    {"double", TENON_DTYPE_F64}, {"half", TENON_DTYPE_F16},
    {"int", TENON_DTYPE_I32},      {"long", TENON_DTYPE_I64},   {"short", TENON_DTYPE_I16},
    {"byte", TENON_DTYPE_U8},      {"char", TENON_DTYPE_I8},    {"cfloat", TENON_DTYPE_C64},
    {"cdouble", TENON_DTYPE_C128}, {"u8", TENON_DTYPE_U8},      {"i8", TENON_DTYPE_I8},
    {"i16", TENON_DTYPE_I16},      {"i32", TENON_DTYPE_I32},    {"i64", TENON_DTYPE_I64},
    {"f16", TENON_DTYPE_F16},      {"f32", TENON_DTYPE_F32},    {"f64", TENON_DTYPE_F64},
    {"c64", TENON_DTYPE_C64},      {"c128", TENON_DTYPE_C128},  {"bf16", TENON_DTYPE_BF16},
    {"chalf", TENON_DTYPE_C32},    {"u16", TENON_DTYPE_U16},    {"u32", TENON_DTYPE_U32},
    {"u64", TENON_DTYPE_U64},      {"c32", TENON_DTYPE_C32},
};

constinit std::atomic<tenon_dtype> default_floating{TENON_DTYPE_F32};

bool is_float8(tenon_dtype dtype) {
  return dtype == TENON_DTYPE_F8_E5M2 || dtype == TENON_DTYPE_F8_E4M3FN;
}

bool is_wide_unsigned(tenon_dtype dtype) {
  return dtype >= TENON_DTYPE_U16 && dtype <= TENON_DTYPE_U64;
}

// Returns the rank in the order bool < integers < floating < complex.
int category(tenon_dtype dtype) {
  if (dtype == TENON_DTYPE_BOOL) return 0;
  const uint32_t traits = kInfos.of[dtype].traits;
  if ((traits & TENON_DTYPE_IS_INTEGRAL) != 0) return 1;
  return (traits & TENON_DTYPE_IS_FLOATING) != 0 ? 2 : 3;
}

// Promotes two different integer dtypes: to the wider one, and for uint8 with a signed one to one
// that holds both.
tenon_dtype promote_integers(tenon_dtype a, tenon_dtype b) {
  if (a == TENON_DTYPE_U8 || b == TENON_DTYPE_U8) {
    const tenon_dtype other = a == TENON_DTYPE_U8 ? b : a;
    return other == TENON_DTYPE_I8 ? TENON_DTYPE_I16 : other;
  }
  return a > b ? a : b;
}

// Promotes two different floating dtypes: to the wider one. float16 and bfloat16 lack each other's
// range or precision and promote to float32.
tenon_dtype promote_floats(tenon_dtype a, tenon_dtype b) {
  if (kDtypeSizes[a] != kDtypeSizes[b]) return kDtypeSizes[a] > kDtypeSizes[b] ? a : b;
  return TENON_DTYPE_F32;
}

// Promotes a complex dtype with another dtype: to complex128 if one is complex128 or float64, and
// to complex32 only if the other is float16 or has no fractions.
tenon_dtype promote_with_complex(tenon_dtype complex, tenon_dtype other) {
  if (complex == TENON_DTYPE_C128 || other == TENON_DTYPE_C128 || other == TENON_DTYPE_F64) {
    return TENON_DTYPE_C128;
  }
  const bool is_half = other == TENON_DTYPE_F16 || !(is_floating(other) || is_complex(other));
  return complex == TENON_DTYPE_C32 && is_half ? TENON_DTYPE_C32 : TENON_DTYPE_C64;
}

void require_dtype(tenon_dtype dtype) {
  TENON_CHECK_ARG(is_dtype(dtype), "tenon_dtype_promote: dtype must be a known dtype, got ", dtype);
}

}  // namespace

const uint8_t kDtypeSizes[kDtypeLimit] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 0, 0, 0,
                                          2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0,  0, 2, 4, 8};

const char* dtype_name(tenon_dtype dtype) noexcept {
  return is_dtype(dtype) ? kInfos.of[dtype].name : "unknown";
}

tenon_dtype find_dtype(std::string_view name) noexcept {
  for (tenon_dtype dtype = 0; dtype < kDtypeLimit; ++dtype) {
    if (is_dtype(dtype) && name == kInfos.of[dtype].name) return dtype;
  }
  for (const DtypeName& alias : kAliases) {
    if (name == alias.name) return alias.dtype;
  }
  return TENON_DTYPE_NONE;
}

uint32_t dtype_traits(tenon_dtype dtype) noexcept {
  return in_dtype_range(dtype) ? kInfos.of[dtype].traits : 0;
}

tenon_dtype promote_dtypes(tenon_dtype a, tenon_dtype b) {
  require_dtype(a);
  require_dtype(b);
  if (a == b) return a;
  TENON_CHECK(!is_float8(a) && !is_float8(b), TENON_ERROR_NOT_SUPPORTED,
              "tenon_dtype_promote: float8 must not be promoted with another dtype, got ",
              dtype_name(a), " and ", dtype_name(b));
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    const tenon_dtype other = is_wide_unsigned(a) ? b : a;
    TENON_CHECK(is_floating(other), TENON_ERROR_NOT_SUPPORTED,
                "tenon_dtype_promote: uint16, uint32 and uint64 promote with floating dtypes only, "
                "got ",
                dtype_name(a), " and ", dtype_name(b));
    return other;
  }
  const int category_a = category(a);
  const int category_b = category(b);
  if (category_a == 3 || category_b == 3) {
    return category_a == 3 ? promote_with_complex(a, b) : promote_with_complex(b, a);
  }
  if (category_a != category_b) return category_a > category_b ? a : b;
  return category_a == 1 ? promote_integers(a, b) : promote_floats(a, b);
}

tenon_dtype default_dtype() noexcept { return default_floating.load(std::memory_order_relaxed); }

tenon_dtype default_complex_dtype() noexcept {
  if (default_dtype() == TENON_DTYPE_F16) return TENON_DTYPE_C32;
  return default_dtype() == TENON_DTYPE_F64 ? TENON_DTYPE_C128 : TENON_DTYPE_C64;
}

void set_default_dtype(tenon_dtype dtype) {
  TENON_CHECK_TYPE(is_floating(dtype),
                   "tenon_dtype_set_default: dtype must be floating point, got ",
                   dtype_name(dtype));
  default_floating.store(dtype, std::memory_order_relaxed);
}

}  // namespace tenon::tensor
