// SPDX-License-Identifier: Apache-2.0
// Type promotion by groups of operands.
#include "kernels/common/promotion.h"

namespace tenon::kernels {
namespace {

Dtype promote_or_other(Dtype a, Dtype b) {
  if (a == Dtype::None || a == b) return b;
  if (b == Dtype::None) return a;
  return promote(a, b);
}

Dtype combine(Dtype higher, Dtype lower) {
  if (higher == Dtype::None) return lower;
  if (lower == Dtype::None || higher == lower) return higher;
  if (is_complex(higher)) return higher;
  if (is_floating(higher)) return is_complex(lower) ? to_complex(higher) : higher;
  if (higher == Dtype::Bool || is_floating(lower) || is_complex(lower)) {
    return promote_or_other(higher, lower);
  }
  return higher;
}

}  // namespace

void ResultType::add(Dtype dtype, bool has_dims, bool wrapped_number) {
  if (wrapped_number) {
    // A Python number has no precision: it counts as the default dtype.
    if (is_complex(dtype)) dtype = to_complex(default_dtype());
    if (is_floating(dtype)) dtype = default_dtype();
  }
  Dtype& group = has_dims ? dims_ : wrapped_number ? wrapped_ : zero_dims_;
  group = promote_or_other(group, dtype);
}

Dtype ResultType::get() const { return combine(dims_, combine(zero_dims_, wrapped_)); }

Tensor cast(const Tensor& tensor, Dtype dtype) {
  static constinit const LazyOp<Tensor(const Tensor&, Dtype, bool, bool,
                                       std::optional<MemoryFormat>)>
      to("aten::to.dtype");
  return to(tensor, dtype, false, false, std::nullopt);
}

bool can_cast(Dtype from, Dtype to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_bool_or_integral(to)) return false;
  return from == Dtype::Bool || to != Dtype::Bool;
}

Dtype to_complex(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
    case Dtype::C128:
      return Dtype::C128;
    case Dtype::F16:
    case Dtype::C32:
      return Dtype::C32;
    default:
      // bfloat16 has no complex dtype of its own.
      return Dtype::C64;
  }
}

Dtype to_real(Dtype dtype) {
  switch (dtype) {
    case Dtype::C32:
      return Dtype::F16;
    case Dtype::C64:
      return Dtype::F32;
    case Dtype::C128:
      return Dtype::F64;
    default:
      return dtype;
  }
}

Dtype result_type(std::span<const tenon_tensor_info> infos) {
  ResultType result;
  for (const tenon_tensor_info& info : infos) result.add(info);
  return result.get();
}

std::string names_of(DtypeSet types) {
  std::string names;
  for (const Dtype dtype :
       {Dtype::Bool, Dtype::U8, Dtype::I8, Dtype::I16, Dtype::I32, Dtype::I64, Dtype::F16,
        Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::C64, Dtype::C128, Dtype::F8E5M2,
        Dtype::F8E4M3FN, Dtype::U16, Dtype::U32, Dtype::U64, Dtype::C32}) {
    if (!has(types, static_cast<tenon_dtype>(dtype))) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(dtype));
  }
  return names;
}

}  // namespace tenon::kernels
