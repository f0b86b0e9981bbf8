// SPDX-License-Identifier: Apache-2.0
// Objects whose handlers record that they ran, and then run a given action.
#pragma once

#include <functional>
#include <string>

#include "../dispatch/support.h"
#include "tenon/language.h"
#include "tenon/mode.h"
#include "tenon/object.h"
#include "tenon/op.h"
#include "tenon/overrides.h"
#include "tenon/value.h"

namespace tenon::test {

using HandlerBody = std::function<tenon_status(const tenon_op*, tenon_stack*)>;

/// The state of a test object: its name, and the action of its handlers after recording it.
struct Actor {
  std::string name;
  HandlerBody body;
};

inline tenon_status act(void* self, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  const auto* actor = static_cast<const Actor*>(self);
  notes().push_back(actor->name);
  return actor->body ? actor->body(op, stack) : TENON_DECLINED;
}

inline tenon_object_type type_named(const char* name, const tenon_object_type* base = nullptr) {
  tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = name;
  type.base = base;
  return type;
}
inline tenon_object_type overriding(const char* name, const tenon_object_type* base = nullptr) {
  tenon_object_type type = type_named(name, base);
  type.override = &act;
  return type;
}
/// Makes a wrapper tensor with row-major strides, on the CPU.
inline tenon_status new_wrapper(const tenon_object_type& type, void* self, int64_t ndim,
                                const int64_t* sizes, tenon_dtype dtype, tenon_tensor** out) {
  tenon_wrapper_options options{};
  options.struct_size = sizeof options;
  options.ndim = ndim;
  options.sizes = sizes;
  options.dtype = dtype;
  return tenon_wrapper_new(&type, self, &options, out);
}

inline tenon_object_type dispatching(const char* name, const tenon_object_type* base = nullptr) {
  tenon_object_type type = type_named(name, base);
  type.dispatch = &act;
  return type;
}

/// An object with an actor, released by the destructor.
class ActorObject {
 public:
  ActorObject(const tenon_object_type& type, std::string name, HandlerBody body = {})
      : actor_{std::move(name), std::move(body)} {
    EXPECT_EQ(tenon_object_new(&type, &actor_, &handle_), TENON_OK) << take_error();
  }
  ~ActorObject() { tenon_object_release(handle_); }
  ActorObject(const ActorObject&) = delete;
  ActorObject& operator=(const ActorObject&) = delete;

  tenon_object* get() const { return handle_; }
  tenon_value value() const {
    tenon_value value{};
    value.tag = TENON_TAG_OBJECT;
    value.as.object = handle_;
    return value;
  }
  /// Activates the object as a mode for a scope.
  class On {
   public:
    On(uint32_t kind, const ActorObject& mode) : kind_(kind), mode_(mode.get()) {
      EXPECT_EQ(tenon_mode_push(kind, mode.get()), TENON_OK) << take_error();
    }
    ~On() { EXPECT_EQ(tenon_mode_pop(kind_, mode_), TENON_OK) << take_error(); }
    On(const On&) = delete;
    On& operator=(const On&) = delete;

   private:
    uint32_t kind_;
    tenon_object* mode_;
  };

 private:
  Actor actor_;
  tenon_object* handle_ = nullptr;
};

/// A carrier of a value, released by the destructor.
class Carrier {
 public:
  explicit Carrier(const tenon_value& value) {
    EXPECT_EQ(tenon_carrier_new(&value, &handle_), TENON_OK) << take_error();
  }
  ~Carrier() { tenon_tensor_release(handle_); }
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  tenon_tensor* get() const { return handle_; }
  tenon_value value() const {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = handle_;
    return value;
  }

 private:
  tenon_tensor* handle_ = nullptr;
};

/// Returns an int as first result.
inline HandlerBody returning(int64_t number) {
  return [number](const tenon_op*, tenon_stack* stack) {
    stack->rets[0] = int_value(number);
    return TENON_OK;
  };
}

/// Calls the operator again, with the same arguments.
inline HandlerBody calling_again() {
  return [](const tenon_op* op, tenon_stack* stack) {
    tenon_stack inner{};
    inner.args = stack->args;
    inner.nargs = stack->nargs;
    inner.rets = stack->rets;
    inner.nrets = stack->nrets;
    return tenon_op_call_fast(op, &inner);
  };
}

inline tenon_status call_checked(const tenon_op* op, std::vector<tenon_value> args,
                                 uint32_t nrets = 0) {
  Call one(std::move(args), nrets);
  return tenon_op_call(op, one.stack());
}

}  // namespace tenon::test
