// SPDX-License-Identifier: Apache-2.0
// Objects of C++ types that override operators, wrapper tensors and modes; see tenon/overrides.h.
//
// A type has a name and handlers, which return false if they do not handle a call:
//   struct Palette {
//     static constexpr const char* tenon_name = "vision.Palette";
//     bool override_call(tenon::OverriddenCall& call);  // as any argument
//     bool dispatch_call(tenon::OverriddenCall& call);  // on wrapper tensors, below autograd
//     using tenon_base = Colors;                        // if its base is such a type too
//   };
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/overrides.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/op.hpp"
#include "tenon/language.h"
#include "tenon/mode.h"
#include "tenon/object.h"
#include "tenon/op.h"
#include "tenon/overrides.h"
#include "tenon/types.h"
#include "tenon/value.h"

// Usage:
//
//   struct Palette {
//     static constexpr const char* tenon_name = "shop.Palette";
//     bool override_call(tenon::OverriddenCall& call) {
//       call.set_result(0, tenon::Value(int64_t{1}));
//       return true;
//     }
//   };
//   const tenon::Value palette = tenon::make_object<Palette>();

namespace tenon::inline hpp {

// The call that a handler receives. To continue the call, a handler unwraps its objects and calls
// the operator again.
class OverriddenCall {
 public:
  OverriddenCall(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) noexcept
      : op_(op), keys_(keys), stack_(stack) {}

  Op op() const { return Op(op_); }
  KeySet keys() const { return KeySet(keys_); }
  size_t size() const noexcept { return stack_->nargs; }
  const tenon_value& operator[](size_t index) const { return stack_->args[index]; }
  // Returns copies of all arguments, to change some of them and call again.
  std::vector<Value> arguments() const {
    std::vector<Value> copies(size());
    for (size_t i = 0; i < size(); ++i) {
      tenon_value copy{};
      check(tenon_value_copy(&stack_->args[i], &copy));
      copies[i] = Value(copy);
    }
    return copies;
  }
  size_t result_count() const noexcept { return stack_->nrets; }
  // Sets a result, which may be any value. If the schema says Tensor, an object is returned in a
  // carrier.
  void set_result(size_t index, Value result) {
    if (index >= stack_->nrets) {
      throw Error(TENON_ERROR_INDEX, std::string(tenon_op_name(op_)) + ": result must be one of " +
                                         std::to_string(stack_->nrets) + ", got number " +
                                         std::to_string(index));
    }
    tenon_value_clear(&stack_->rets[index]);
    stack_->rets[index] = result.release();
  }
  void set_results(std::vector<Value> results) {
    for (size_t i = 0; i < results.size(); ++i) set_result(i, std::move(results[i]));
  }

  // Calls the operator again with other arguments, which must be complete and in schema order.
  std::vector<Value> call_with(const std::vector<Value>& arguments) const {
    std::vector<tenon_value> args;
    for (const Value& argument : arguments) {
      args.push_back(argument.get());
      args.back().flags = static_cast<uint16_t>(args.back().flags & ~TENON_VALUE_OWNED);
    }
    std::vector<tenon_value> rets(result_count());
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = rets.data();
    stack.nrets = static_cast<uint32_t>(rets.size());
    check(tenon_op_call(op_, &stack));
    return {std::make_move_iterator(rets.begin()), std::make_move_iterator(rets.end())};
  }

 private:
  const tenon_op* op_;
  tenon_keyset keys_;
  tenon_stack* stack_;
};

namespace detail {

template <class T>
concept HasOverride = requires(T& object, OverriddenCall& call) {
  { object.override_call(call) } -> std::same_as<bool>;
};
template <class T>
concept HasDispatch = requires(T& object, OverriddenCall& call) {
  { object.dispatch_call(call) } -> std::same_as<bool>;
};

template <class Handler>
tenon_status handle(tenon_stack* stack, Handler&& handler) {
  bool accepted = false;
  const tenon_status status = guarded(&stack->error, [&] { accepted = handler(); });
  return status != TENON_OK || accepted ? status : TENON_DECLINED;
}

}  // namespace detail

// Returns the type record of a C++ type. Each library that uses the type has its own.
template <class T>
const tenon_object_type* object_type() {
  static const tenon_object_type type = [] {
    tenon_object_type record{};
    record.struct_size = sizeof record;
    record.language = TENON_LANGUAGE_CPP;
    record.name = T::tenon_name;
    if constexpr (requires { typename T::tenon_base; }) {
      record.base = object_type<typename T::tenon_base>();
    }
    record.release = [](void* self) { delete static_cast<T*>(self); };
    if constexpr (detail::HasOverride<T>) {
      record.override = [](void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
        return detail::handle(stack, [&] {
          OverriddenCall call(op, keys, stack);
          return static_cast<T*>(self)->override_call(call);
        });
      };
    }
    if constexpr (detail::HasDispatch<T>) {
      record.dispatch = [](void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
        return detail::handle(stack, [&] {
          OverriddenCall call(op, keys, stack);
          return static_cast<T*>(self)->dispatch_call(call);
        });
      };
    }
    return record;
  }();
  return &type;
}

// Makes an object around a new T.
template <class T, class... A>
Value make_object(A&&... arguments) {
  auto self = std::make_unique<T>(std::forward<A>(arguments)...);
  tenon_value value{};
  check(tenon_object_new(object_type<T>(), self.get(), &value.as.object));
  static_cast<void>(self.release());
  value.tag = TENON_TAG_OBJECT;
  value.flags = TENON_VALUE_OWNED;
  return Value(value);
}

// Returns the T of an object value or carrier, NULL for all other values. Borrowed from the value.
template <class T>
T* object_cast(const tenon_value& value) {
  tenon_object* object = tenon_object_of_value(&value);
  if (object == nullptr || tenon_object_get_type(object) != object_type<T>()) return nullptr;
  return static_cast<T*>(tenon_object_self(object));
}
template <class T>
T* object_cast(const Value& value) {
  return object_cast<T>(value.get());
}

// Makes a carrier of an object, to be passed as a Tensor.
inline Tensor make_carrier(const Value& value) {
  tenon_tensor* handle = nullptr;
  check(tenon_carrier_new(&value.get(), &handle));
  return Tensor(handle);
}

// Describes the tensor that a wrapper claims to be; see tenon_wrapper_options.
struct WrapperOptions {
  Sizes sizes;
  Dtype dtype;
  Device device = {};
  Sizes strides = {};                 // in elements; row-major if empty
  int64_t storage_offset = 0;         // in elements
  KeySet keys = {};                   // additional functionalities that it carries
  const tenon_tensor* alias_of = {};  // tensor whose version counter it shares; borrowed
};

// Creates a wrapper tensor around a new T, whose dispatch_call runs operators on it.
template <class T, class... A>
Tensor make_wrapper(const WrapperOptions& options, A&&... arguments) {
  static_assert(detail::HasDispatch<T>, "a wrapper's type needs dispatch_call");
  tenon_wrapper_options claimed{};
  claimed.struct_size = sizeof claimed;
  claimed.ndim = static_cast<int64_t>(options.sizes.size());
  claimed.sizes = options.sizes.data();
  if (!options.strides.empty()) {
    detail::require_as_many("make_wrapper", options.sizes, options.strides);
    claimed.strides = options.strides.data();
  }
  claimed.storage_offset = options.storage_offset;
  claimed.dtype = static_cast<tenon_dtype>(options.dtype);
  claimed.device = &options.device;
  claimed.keys = options.keys.bits;
  claimed.alias_of = options.alias_of;
  auto self = std::make_unique<T>(std::forward<A>(arguments)...);
  tenon_tensor* handle = nullptr;
  check(tenon_wrapper_new(object_type<T>(), self.get(), &claimed, &handle));
  static_cast<void>(self.release());
  return Tensor(handle);
}
template <class T, class... A>
Tensor make_wrapper(Sizes sizes, Dtype dtype, Device device, A&&... arguments) {
  return make_wrapper<T>(WrapperOptions{.sizes = sizes, .dtype = dtype, .device = device},
                         std::forward<A>(arguments)...);
}

// Returns the T of a wrapper tensor, NULL for all other tensors. Borrowed from the tensor.
template <class T>
T* wrapped_cast(const Tensor& tensor) {
  tenon_object* object = tenon_wrapper_object(tensor.get());
  if (object == nullptr || tenon_object_get_type(object) != object_type<T>()) return nullptr;
  return static_cast<T*>(tenon_object_self(object));
}

namespace detail {

// A mode around a new T, which is on for the calling thread while the object lives.
template <class T, uint32_t kKind>
class ModeScope {
 public:
  template <class... A>
  explicit ModeScope(A&&... arguments) : mode_(make_object<T>(std::forward<A>(arguments)...)) {
    static_assert(kKind == TENON_MODE_OVERRIDE ? HasOverride<T> : HasDispatch<T>,
                  "an override mode's type needs override_call, a dispatch mode's dispatch_call");
    check(tenon_mode_push(kKind, mode_.get().as.object));
  }
  ~ModeScope() {
    if (tenon_mode_pop(kKind, mode_.get().as.object) != TENON_OK)
      tenon_error_release(tenon_error_take());
  }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;
  T& self() const { return *object_cast<T>(mode_); }

 private:
  Value mode_;
};

}  // namespace detail

// A mode whose override_call sees every call of the thread before dispatch.
template <class T>
using OverrideMode = detail::ModeScope<T, TENON_MODE_OVERRIDE>;
// A mode whose dispatch_call sees every call of the thread below autograd.
template <class T>
using DispatchMode = detail::ModeScope<T, TENON_MODE_WRAPPER>;

}  // namespace tenon::inline hpp

#endif
