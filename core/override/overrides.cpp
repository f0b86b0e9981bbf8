// SPDX-License-Identifier: Apache-2.0
// The built-in fallbacks at Override and Wrapper: they call the handlers of modes and arguments in
// order, and fail if all decline.
#include "override/overrides.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_set.h"
#include "dispatch/operator_entry.h"
#include "dispatch/profile.h"
#include "override/mode.h"
#include "tenon/mode.h"
#include "value/carrier.h"
#include "value/value.h"

namespace tenon::override {

namespace {

using value::Object;

constexpr int kMaxNesting = 64;  // the depth that key extraction searches, too

// The functionalities above Wrapper, whose kernels have already run for this call. Override is not
// among them, because handlers may call operators with overriding objects.
constexpr tenon_keyset kAboveWrapper =
    ~((dispatch::functionality_bit(TENON_FUNCTIONALITY_WRAPPER) << 1) - 1) &
    ~dispatch::functionality_bit(TENON_FUNCTIONALITY_OVERRIDE);

bool derives(const tenon_object_type* type, const tenon_object_type* base) noexcept {
  for (type = type->base; type != nullptr; type = type->base) {
    if (type == base) return true;
  }
  return false;
}

// The arguments whose handlers take part in a call: one object for each distinct type with a
// handler, from left to right, with derived types before their bases.
class Participants {
 public:
  Participants(uint32_t kind, const tenon_value* args, uint32_t nargs) : kind_(kind) {
    for (uint32_t i = 0; i < nargs; ++i) look(args[i], 0);
  }
  const std::vector<Object*>& objects() const { return objects_; }

 private:
  void look(const tenon_value& value, int depth) {
    if (Object* object = object_of(value)) {
      add(object);
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t i = 0; i < value.count; ++i) {
        if (value::tensors(value)[i] != nullptr) look_tensor(value::tensors(value)[i]);
      }
    } else if (value::is_value_list(value.tag) && depth < kMaxNesting) {
      const uint64_t count = value::element_count(value);
      for (uint64_t i = 0; i < count; ++i) look(value::elements(value)[i], depth + 1);
    }
  }

  void look_tensor(tenon_tensor* tensor) {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = tensor;
    look(value, 0);
  }

  Object* object_of(const tenon_value& value) const {
    if (kind_ == TENON_MODE_OVERRIDE) return value::object_in(value);
    // Elements of untyped lists have not been checked yet and may be NULL.
    const bool is_tensor = value.tag == TENON_TAG_TENSOR && value.as.tensor != nullptr;
    return is_tensor ? value::wrapped(*value.as.tensor) : nullptr;
  }

  void add(Object* object) {
    const tenon_object_type* type = object->type();
    if (handler_of(type, kind_) == nullptr) return;
    const auto same = [type](const Object* other) { return other->type() == type; };
    if (std::any_of(objects_.begin(), objects_.end(), same)) return;
    const auto base = [type](const Object* other) { return derives(type, other->type()); };
    objects_.insert(std::find_if(objects_.begin(), objects_.end(), base), object);
  }

  const uint32_t kind_;
  std::vector<Object*> objects_;
};

std::string declined_by(uint32_t kind, const std::vector<Object*>& objects) {
  std::string types;
  for (const Object* object : objects) {
    types += (types.empty() ? "" : ", ") + std::string(object->type()->name);
  }
  std::string text = "got TENON_DECLINED from types [" + types + "]";
  const size_t modes = mode_count(kind);
  if (modes == 0) return text;
  text += " and modes [";
  for (size_t depth = 0; depth < modes; ++depth) {
    text += (depth == 0 ? "" : ", ") +
            std::string(mode_at(kind, static_cast<int64_t>(depth))->type()->name);
  }
  return text + "]";
}

// Calls the handlers of modes, then those of argument types, until one accepts the call. A handler
// that declines must not write results; any that it wrote are dropped.
tenon_status ask(uint32_t kind, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const auto run = [&](const Object& object) {
    dispatch::record_handler(object.type()->name, object.type()->language);
    const tenon_status status = handler_of(object.type(), kind)(object.self(), op, keys, stack);
    if (status == TENON_DECLINED) {
      for (uint32_t i = 0; i < stack->nrets; ++i) value::clear(&stack->rets[i]);
    }
    return status;
  };
  for (size_t number = mode_count(kind); number-- > 0;) {
    if (number >= mode_count(kind)) continue;  // popped by a handler that did not push it
    const auto mode =
        value::ObjectPtr::share(dispatch::thread_stacks()->modes[kind].at(number).get());
    const HideModes off(kind, number);
    const tenon_status status = run(*mode);
    if (status != TENON_DECLINED) return status;
  }
  const Participants participants(kind, stack->args, stack->nargs);
  for (const Object* object : participants.objects()) {
    const tenon_status status = run(*object);
    if (status != TENON_DECLINED) return status;
  }
  const bool is_override = kind == TENON_MODE_OVERRIDE;
  TENON_CHECK(mode_count(kind) != 0 || !participants.objects().empty(), TENON_ERROR_TYPE,
              op->name(), ": an argument or a mode must have ",
              is_override ? "an override handler" : "a dispatch handler", ", got none");
  fail(TENON_ERROR_TYPE, op->name(), is_override ? ": an override handler" : ": a dispatch handler",
       " must accept the call, ", declined_by(kind, participants.objects()));
}

tenon_status run_overrides(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] { return ask(TENON_MODE_OVERRIDE, op, keys, stack); });
}

tenon_status run_wrappers(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    const auto guard = dispatch::KeyGuard::exclude(kAboveWrapper);
    return ask(TENON_MODE_WRAPPER, op, keys, stack);
  });
}

// Explains a call's handlers, in the order in which they would be called.
dispatch::Explanation explain(uint32_t kind, const dispatch::Arguments* arguments) {
  constexpr const char* kAgain =
      "\n    to continue, a handler calls the operator again with other arguments";
  if (arguments == nullptr) {
    return {base::concat("it calls the handlers of the modes, then those of the argument types",
                         kAgain),
            true};
  }
  std::string modes, types;
  for (size_t number = mode_count(kind); number-- > 0;) {
    const auto& mode = dispatch::thread_stacks()->modes[kind].at(number);
    modes += base::concat(modes.empty() ? "" : ", ", mode->type()->name);
  }
  const Participants participants(kind, arguments->values, arguments->count);
  for (const Object* object : participants.objects()) {
    types += base::concat(types.empty() ? "" : ", ", object->type()->name);
  }
  std::string text = "it calls these handlers in order until one accepts the call: ";
  if (modes.empty() && types.empty()) return {text + "none, so the call fails", true};
  if (!modes.empty()) text += base::concat("the modes ", modes, types.empty() ? "" : ", ");
  if (!types.empty()) return {base::concat(text, "the types ", types, kAgain), true};
  return {text +
              "\n    to continue, a handler calls the operator again; with the same arguments, "
              "that call goes to the next key",
          false};
}

dispatch::Explanation explain_overrides(const dispatch::Arguments* arguments) {
  return explain(TENON_MODE_OVERRIDE, arguments);
}

dispatch::Explanation explain_wrappers(const dispatch::Arguments* arguments) {
  return explain(TENON_MODE_WRAPPER, arguments);
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"run_overrides", TENON_KEY_OVERRIDE, &run_overrides, nullptr, &explain_overrides},
    {"run_wrappers", TENON_KEY_WRAPPER, &run_wrappers, nullptr, &explain_wrappers},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

}  // namespace tenon::override
