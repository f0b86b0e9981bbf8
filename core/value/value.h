// SPDX-License-Identifier: Apache-2.0
// Boxed values: deep copies, release, lists and texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/value.h"
#include "value/buffer.h"

namespace tenon::value {

constexpr int kMaxNesting = 1000;  // levels of lists in values that own them

/// Returns the name of a tag as schemas write types, "unknown" for an unknown one. Static text.
const char* tag_name(uint16_t tag) noexcept;

constexpr bool is_list(uint16_t tag) noexcept {
  return tag >= TENON_TAG_INT_LIST && tag <= TENON_TAG_DICT;
}
/// Returns true for lists whose elements are values: LIST, TUPLE, DICT.
constexpr bool is_value_list(uint16_t tag) noexcept {
  return tag >= TENON_TAG_LIST && tag <= TENON_TAG_DICT;
}
/// Returns the number of elements in a list's `as.list.data`; keys and values of a dict count
/// separately.
constexpr uint64_t element_count(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_DICT ? uint64_t{2} * value.count : value.count;
}
inline const tenon_value* elements(const tenon_value& value) noexcept {
  return static_cast<const tenon_value*>(value.as.list.data);
}
inline tenon_tensor* const* tensors(const tenon_value& value) noexcept {
  return static_cast<tenon_tensor* const*>(value.as.list.data);
}

/// Makes a deep copy, which owns everything that it refers to; handles are retained. Throws
/// TENON_ERROR_OUT_OF_MEMORY, TENON_ERROR_RECURSION beyond kMaxNesting,
/// TENON_ERROR_INVALID_ARGUMENT for an unknown tag.
tenon_value copy(const tenon_value& value);
/// Releases what the value owns and makes it NONE.
void clear(tenon_value* value) noexcept;

/// Makes an owned text.
tenon_value new_string(std::string_view text);
/// Makes an owned list, tuple or dict from copies of `count` elements (for a dict, `count` is the
/// number of keys). Throws like copy(), and TENON_ERROR_INVALID_ARGUMENT for a tag that is not a
/// list or a bad count.
tenon_value new_list(uint16_t tag, const void* elements, int64_t count);

/// Returns true if all texts in a value are UTF-8. C and C++ callers can pass arbitrary bytes,
/// which other languages cannot represent as text. `depth` is the nesting depth of the lists around
/// the value. Lists nested deeper than kMaxNesting are not searched.
bool holds_texts(const tenon_value& value, int depth = 0) noexcept;

/// Formats a value, such as "[1, 2]" or "Tensor(float32, [2, 3], cpu)".
std::string print(const tenon_value& value);

/// Releases what a value owns. The value must not be used afterwards.
inline void drop(tenon_value* value) noexcept {
  if ((value->flags & TENON_VALUE_OWNED) != 0) clear(value);
}

/// Owns a value.
class OwnedValue {
 public:
  OwnedValue() noexcept : value_{} {}
  explicit OwnedValue(tenon_value value) noexcept : value_(value) {}
  OwnedValue(OwnedValue&& other) noexcept : value_(other.release()) {}
  OwnedValue& operator=(OwnedValue&& other) noexcept {
    tenon_value taken = other.release();
    drop(&value_);
    value_ = taken;
    return *this;
  }
  ~OwnedValue() { drop(&value_); }

  const tenon_value& get() const noexcept { return value_; }
  tenon_value release() noexcept {
    tenon_value value = value_;
    value_ = tenon_value{};
    return value;
  }

 private:
  tenon_value value_;
};

}  // namespace tenon::value
