// SPDX-License-Identifier: Apache-2.0
// Modes: objects that handle every call of a thread while they are on.
#pragma once

#include "dispatch/thread_state.h"
#include "tenon/mode.h"

namespace tenon::override {

using Handler = tenon_status (*)(void* self, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack);

/// Returns the handler of a type for a kind of mode (TENON_MODE_*), or NULL.
Handler handler_of(const tenon_object_type* type, uint32_t kind) noexcept;

/// See tenon_mode_push, tenon_mode_pop and tenon_mode_get.
void push_mode(uint32_t kind, value::Object* mode);
void pop_mode(uint32_t kind, const value::Object* mode);
value::Object* mode_at(uint32_t kind, int64_t depth) noexcept;

/// Returns the number of modes of a kind that are on.
size_t mode_count(uint32_t kind) noexcept;

/// RAII: turns off the modes of a kind with numbers from `from` on (0 is the outermost).
class HideModes {
 public:
  HideModes(uint32_t kind, size_t from) noexcept;
  ~HideModes();
  HideModes(const HideModes&) = delete;
  HideModes& operator=(const HideModes&) = delete;

 private:
  const uint32_t kind_;
  const dispatch::KeyState outer_;
  const size_t hidden_;
};

}  // namespace tenon::override
