// SPDX-License-Identifier: Apache-2.0
// Schema: an operator's signature, parsed from and printed as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tenon/hpp/error.hpp"
#include "tenon/schema.h"

namespace tenon::inline hpp {

class Schema {
 public:
  // Takes over the reference.
  explicit Schema(tenon_schema* handle) noexcept : handle_(handle) {}
  static Schema parse(std::string_view text) {
    tenon_schema* handle = nullptr;
    check(tenon_schema_parse(text.data(), static_cast<int64_t>(text.size()), &handle));
    return Schema(handle);
  }
  Schema(const Schema& other) noexcept : handle_(tenon_schema_retain(other.handle_)) {}
  Schema(Schema&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Schema& operator=(Schema other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Schema() { tenon_schema_release(handle_); }

  const tenon_schema* get() const noexcept { return handle_; }
  const char* text() const { return tenon_schema_text(handle_); }
  const char* name() const { return tenon_schema_name(handle_); }
  const char* overload() const { return tenon_schema_overload(handle_); }
  uint32_t flags() const { return tenon_schema_flags(handle_); }
  int64_t argument_count() const { return tenon_schema_argument_count(handle_); }
  int64_t return_count() const { return tenon_schema_return_count(handle_); }
  // Texts, type and default live as long as the schema.
  tenon_argument_info argument(int64_t index) const {
    tenon_argument_info info{};
    info.struct_size = sizeof(info);
    check(tenon_schema_get_argument(handle_, index, &info));
    return info;
  }
  tenon_argument_info result(int64_t index) const {
    tenon_argument_info info{};
    info.struct_size = sizeof(info);
    check(tenon_schema_get_return(handle_, index, &info));
    return info;
  }
  bool has_argument(std::string_view name) const {
    for (int64_t i = 0; i < argument_count(); ++i) {
      if (name == argument(i).name) return true;
    }
    return false;
  }

  // The lowered letters of a typed kernel of this schema, such as "TTv>T" (see op.h).
  std::string lowered() const {
    std::string letters;
    for (int64_t i = 0; i < argument_count(); ++i) letters += letter(argument(i).type, false);
    letters += '>';
    for (int64_t i = 0; i < return_count(); ++i) {
      const tenon_argument_info info = result(i);
      if ((info.flags & TENON_ARGUMENT_WRITTEN) == 0) letters += letter(info.type, true);
    }
    return letters;
  }

  friend bool operator==(const Schema& a, const Schema& b) {
    return tenon_schema_equal(a.handle_, b.handle_) != 0;
  }

 private:
  static char letter(const tenon_type* type, bool is_return) {
    switch (tenon_type_kind(type)) {
      case TENON_TYPE_TENSOR:
        return 'T';
      case TENON_TYPE_INT:
      case TENON_TYPE_SYMINT:
      case TENON_TYPE_DTYPE:
      case TENON_TYPE_LAYOUT:
      case TENON_TYPE_MEMORY_FORMAT:
      case TENON_TYPE_DEVICE_INDEX:
        return 'i';
      case TENON_TYPE_BOOL:
        return 'b';
      case TENON_TYPE_FLOAT:
        return 'd';
      case TENON_TYPE_STRING:
        return is_return ? 'v' : 's';
      case TENON_TYPE_OPTIONAL:
        return tenon_type_kind(tenon_type_element(type, 0)) == TENON_TYPE_TENSOR ? 'T' : 'v';
      case TENON_TYPE_LIST:
        return is_return ? 'v' : list_letter(tenon_type_element(type, 0));
      default:
        return 'v';
    }
  }
  static char list_letter(const tenon_type* element) {
    switch (tenon_type_kind(element)) {
      case TENON_TYPE_TENSOR:
        return 'L';
      case TENON_TYPE_OPTIONAL:
        return tenon_type_kind(tenon_type_element(element, 0)) == TENON_TYPE_TENSOR ? 'L' : 'v';
      case TENON_TYPE_INT:
      case TENON_TYPE_SYMINT:
        return 'I';
      case TENON_TYPE_FLOAT:
        return 'D';
      case TENON_TYPE_BOOL:
        return 'B';
      default:
        return 'v';
    }
  }

  tenon_schema* handle_;
};

}  // namespace tenon::inline hpp
