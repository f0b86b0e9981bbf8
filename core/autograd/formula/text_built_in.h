// SPDX-License-Identifier: Apache-2.0
// What names of functions in texts mean beside operators, or instead of them: attributes of
// tensors, what is made of sizes, and arithmetic of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tenon/value.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::autograd {

enum class BuiltIn : uint8_t {
  kNone,
  kIfNone,
  kConj,
  kNeg,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kSizes,
  kDim,
  kNumel,
  kDtype,
  kSize,
  kInverse,
  kFoldedSizes,
  kFoldedNumel,
  kSizesAt,
};
BuiltIn built_in_of(std::string_view name) noexcept;

inline bool is_number(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_INT || value.tag == TENON_TAG_FLOAT || value.tag == TENON_TAG_BOOL;
}
inline bool is_tensor(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && value.as.tensor != nullptr;
}
inline bool is_real(const tenon_value& value) noexcept {
  return is_tensor(value) ? !tensor::is_complex(value.as.tensor->dtype()) : is_number(value);
}

/// The result, where no operator is needed for it; which values these are their tags tell. Throws
/// TENON_ERROR_INDEX for a dim that is not there.
bool evaluate_built_in(BuiltIn what, std::span<const tenon_value> operands,
                       value::OwnedValue* out_result);

}  // namespace tenon::autograd
