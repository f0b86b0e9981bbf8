// SPDX-License-Identifier: Apache-2.0
// Schema: an operator's signature, parsed from text and printed as text.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/schema.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <string_view>
#include <utility>

#include "tenon/hpp/error.hpp"
#include "tenon/schema.h"

// Usage:
//
//   const auto schema = tenon::Schema::parse("shop::scale(Tensor x, float by=2.0) -> Tensor");
//   std::cout << schema.name() << ' ' << schema.argument(1).name << '\n';

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
  // Texts, type and default value are borrowed from the schema.
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
  // Returns the lowered letters of a typed kernel of this schema, such as "TTv>T" (see kernel.h),
  // or "" if there is no typed form.
  const char* signature() const { return tenon_schema_signature(handle_); }

  friend bool operator==(const Schema& a, const Schema& b) {
    return tenon_schema_equal(a.handle_, b.handle_) != 0;
  }

 private:
  tenon_schema* handle_;
};

}  // namespace tenon::inline hpp

#endif
