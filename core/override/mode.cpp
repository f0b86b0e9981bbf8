// SPDX-License-Identifier: Apache-2.0
#include "override/mode.h"

#include <utility>

#include "base/check.h"

namespace tenon::override {

namespace {

using dispatch::KeyState;
using dispatch::thread_stacks;

constexpr tenon_keyset key_of(uint32_t kind) {
  return dispatch::functionality_bit(kind == TENON_MODE_OVERRIDE ? TENON_FUNCTIONALITY_OVERRIDE
                                                                 : TENON_FUNCTIONALITY_WRAPPER);
}

// Sets the key state, with the key of a kind included if and only if modes of that kind are on.
void include_key(uint32_t kind, KeyState state) noexcept {
  const tenon_keyset key = key_of(kind);
  state.include = mode_count(kind) != 0 ? state.include | key : state.include & ~key;
  dispatch::set_key_state(state);
}

void require_kind(const char* function, uint32_t kind) {
  TENON_CHECK_ARG(kind < dispatch::kModeCount, function,
                  ": kind must be a TENON_MODE_* number, got ", kind);
}

}  // namespace

Handler handler_of(const tenon_object_type* type, uint32_t kind) noexcept {
  return kind == TENON_MODE_OVERRIDE ? type->override : type->dispatch;
}

void push_mode(uint32_t kind, value::Object* mode) {
  constexpr const char* kPush = "tenon_mode_push";
  require_kind(kPush, kind);
  TENON_CHECK_ARG(mode != nullptr && handler_of(mode->type(), kind) != nullptr, kPush,
                  ": mode must have a type with the handler ",
                  kind == TENON_MODE_OVERRIDE ? "override" : "dispatch", ", got ",
                  mode != nullptr ? mode->type()->name : "NULL");
  dispatch::require_thread_stacks().modes[kind].push(value::ObjectPtr::share(mode));
  include_key(kind, dispatch::key_state());
}

void pop_mode(uint32_t kind, const value::Object* given) {
  constexpr const char* kPop = "tenon_mode_pop";
  require_kind(kPop, kind);
  TENON_CHECK(mode_count(kind) != 0, TENON_ERROR_STATE, kPop,
              ": a mode must be active on the thread, got none");
  const value::Object* innermost = mode_at(kind, 0);
  TENON_CHECK(innermost == given, TENON_ERROR_STATE, kPop,
              ": mode must be the innermost of its thread, a ", innermost->type()->name,
              ", got another", given != nullptr ? base::concat(", a ", given->type()->name) : "");
  const value::ObjectPtr mode = thread_stacks()->modes[kind].pop();
  include_key(kind, dispatch::key_state());
}

value::Object* mode_at(uint32_t kind, int64_t depth) noexcept {
  if (kind >= dispatch::kModeCount || depth < 0) return nullptr;
  const size_t count = mode_count(kind);
  const auto down = static_cast<size_t>(depth);
  return down < count ? thread_stacks()->modes[kind].at(count - 1 - down).get() : nullptr;
}

size_t mode_count(uint32_t kind) noexcept {
  const dispatch::ThreadStacks* stacks = thread_stacks();
  return stacks != nullptr ? stacks->modes[kind].size() : 0;
}

HideModes::HideModes(uint32_t kind, size_t from) noexcept
    : kind_(kind),
      outer_(dispatch::key_state()),
      hidden_(thread_stacks()->modes[kind].hide_from(from)) {
  include_key(kind, outer_);
}

HideModes::~HideModes() {
  thread_stacks()->modes[kind_].show(hidden_);
  include_key(kind_, outer_);
}

}  // namespace tenon::override
