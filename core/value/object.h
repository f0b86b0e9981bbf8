// SPDX-License-Identifier: Apache-2.0
// Object: a refcounted value of a language's own type.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/intrusive_ptr.h"
#include "tenon/object.h"
#include "tenon/value.h"

/// An object: its type and what it wraps.
struct tenon_object final : tenon::base::RefCounted<tenon_object> {
 public:
  /// Calls type->retain(self) on success. Throws TENON_ERROR_ABI for a bad struct_size.
  static tenon_object* make(const tenon_object_type* type, void* self);
  static void destroy(tenon_object* object) noexcept;

  const tenon_object_type* type() const noexcept { return type_; }
  void* self() const noexcept { return self_; }

 private:
  tenon_object(const tenon_object_type* type, void* self) noexcept : type_(type), self_(self) {}

  const tenon_object_type* type_;
  void* self_;
};

namespace tenon::value {

using Object = ::tenon_object;
using ObjectPtr = base::IntrusivePtr<Object>;

/// Calls a function object; see tenon_object_call. Clears the results of a failed call. Throws
/// TENON_ERROR_TYPE for an object whose type has no `call`.
tenon_status call_object(Object& object, tenon_stack* stack);

inline bool is_callable(const Object* object) noexcept { return object->type()->call != nullptr; }

/// Returns true if the type, or one that it derives from, has this name. Schemas may write the name
/// with the prefix "__torch__.torch.classes.".
bool is_a(const tenon_object_type* type, std::string_view class_name) noexcept;

}  // namespace tenon::value
