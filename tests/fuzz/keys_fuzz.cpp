// SPDX-License-Identifier: Apache-2.0
// Checks keys, key sets and guards against a simple model of key.h and key_guard.h.
#include <vector>

#include "fuzz.h"

namespace tenon::fuzz {
namespace {

constexpr uint32_t kPerBackend[] = {TENON_FUNCTIONALITY_DENSE, TENON_FUNCTIONALITY_AUTOGRAD,
                                    TENON_FUNCTIONALITY_AUTOCAST};

bool per_backend(uint32_t functionality) {
  for (const uint32_t one : kPerBackend) {
    if (one == functionality) return true;
  }
  return false;
}

uint64_t bit(uint32_t number) { return uint64_t{1} << number; }

// Returns the key that a set dispatches to, as documented in key.h, for built-in functionalities.
tenon_key model_highest(tenon_keyset keys) {
  for (int functionality = 39; functionality >= 0; --functionality) {
    const auto number = static_cast<uint32_t>(functionality);
    if ((keys & bit(TENON_BACKEND_BITS + number)) == 0) continue;
    uint32_t backend = 0;
    if (per_backend(number)) {
      for (uint32_t i = 0; i < TENON_BACKEND_BITS; ++i) {
        if ((keys & bit(i)) != 0) backend = i;
      }
    }
    return number | backend << 8;
  }
  return TENON_KEY_UNDEFINED;
}

// The functionality numbers listed in key.h.
constexpr uint32_t kKnown[] = {0, 7, 10, 12, 14, 15, 16, 17, 18, 20, 22, 24, 27, 30, 33, 36};

tenon_keyset only_known(tenon_keyset keys) {
  tenon_keyset mask = bit(TENON_BACKEND_BITS) - 1;
  for (const uint32_t number : kKnown) mask |= bit(TENON_BACKEND_BITS + number);
  return keys & mask;
}

void check_set(tenon_keyset keys) {
  tenon_buffer* text = nullptr;
  FUZZ_CHECK(tenon_keyset_print(keys, &text) == TENON_OK);
  FUZZ_CHECK(take_text(text).front() == '{');
  const tenon_keyset known = only_known(keys);
  FUZZ_CHECK(tenon_keyset_highest(known) == model_highest(known), std::to_string(known));
  // Walking down from the highest key visits each functionality once.
  tenon_keyset left = known;
  int steps = 0;
  while (tenon_keyset_highest(left) != TENON_KEY_UNDEFINED) {
    const tenon_key key = tenon_keyset_highest(left);
    const tenon_keyset below = left & tenon_keyset_below(key);
    FUZZ_CHECK(below == tenon_keyset_remove(left, key), std::to_string(left));
    FUZZ_CHECK(++steps <= 40);
    left = below;
  }
  FUZZ_CHECK(steps == __builtin_popcountll(known >> TENON_BACKEND_BITS));
}

void check_key(tenon_key key) {
  const std::string name = tenon_key_name(key);
  FUZZ_CHECK(!name.empty());
  tenon_keyset keys = 0;
  const tenon_status status = tenon_keyset_from_key(key, &keys);
  settle(status);
  if (status != TENON_OK) {
    FUZZ_CHECK(status == TENON_ERROR_INVALID_ARGUMENT && keys == 0);
    return;
  }
  FUZZ_CHECK(tenon_keyset_has(keys, key) == 1, name);
  FUZZ_CHECK(tenon_keyset_highest(keys) == key, name);
  FUZZ_CHECK((tenon_keyset_below(key) & keys) >> TENON_BACKEND_BITS == 0, name);
  tenon_key again = 0;
  const tenon_status parsed = tenon_key_parse(name.c_str(), &again);
  settle(parsed);
  // Backends and functionalities without a name have keys, but these cannot be parsed by name.
  FUZZ_CHECK(parsed != TENON_OK || again == key, name);
}

void check_name(const std::string& text) {
  tenon_key key = 0;
  const tenon_status status = tenon_key_parse(text.c_str(), &key);
  settle(status);
  if (status == TENON_OK) {
    FUZZ_CHECK(text == tenon_key_name(key), text);
  } else {
    FUZZ_CHECK(status == TENON_ERROR_NOT_FOUND && key == TENON_KEY_NONE);
  }
  tenon_key device_key = 0;
  const tenon_status found = tenon_key_for_device(text.c_str(), &device_key);
  settle(found);
  if (found != TENON_OK) FUZZ_CHECK(found == TENON_ERROR_NOT_FOUND);
  tenon_device device = {};
  const tenon_status parsed = tenon_device_parse(text.c_str(), &device);
  settle(parsed);
  if (parsed != TENON_OK) {
    FUZZ_CHECK(parsed == TENON_ERROR_INVALID_ARGUMENT || parsed == TENON_ERROR_NOT_FOUND);
  } else {
    FUZZ_CHECK(device.type >= 0 && device.type < TENON_BACKEND_BITS && device.index >= -1, text);
  }
  tenon_dtype dtype = 0;
  const tenon_status named = tenon_dtype_parse(text.c_str(), &dtype);
  settle(named);
  if (named == TENON_OK) FUZZ_CHECK(tenon_dtype_size(dtype) > 0, text);
  // No backend can have this name: it does not start like an identifier.
  int32_t type = 0;
  const tenon_status registered = tenon_backend_register(("!" + text).c_str(), &type);
  FUZZ_CHECK(registered == TENON_ERROR_INVALID_ARGUMENT && type == -1, text);
  settle(registered);
}

struct KeyState {
  tenon_keyset included = tenon_keyset_included();
  tenon_keyset excluded = tenon_keyset_excluded();
  bool operator==(const KeyState&) const = default;
};

// Enters a guard or a captured state, recurses, leaves, and checks that the former state is back.
void check_guards(Input& input, int depth) {
  const KeyState before;
  if (depth == 12 || input.empty()) return;
  const auto keys = input.number<tenon_keyset>();
  const uint32_t kind = input.below(5);
  if (kind == 4) {
    tenon_thread_state *state = nullptr, *previous = nullptr;
    FUZZ_CHECK(tenon_thread_state_capture(&state) == TENON_OK);
    tenon_key_guard guard;
    FUZZ_CHECK(tenon_key_guard_force(keys, ~keys, &guard) == TENON_OK);
    FUZZ_CHECK(tenon_thread_state_enter(state, &previous) == TENON_OK);
    FUZZ_CHECK(KeyState() == before);
    check_guards(input, depth + 1);
    tenon_thread_state_leave(previous);
    tenon_key_guard_leave(&guard);
    tenon_thread_state_release(state);
  } else {
    tenon_key_guard guard;
    const tenon_status status = kind == 0   ? tenon_key_guard_include(keys, &guard)
                                : kind == 1 ? tenon_key_guard_exclude(keys, &guard)
                                            : tenon_key_guard_force(keys, ~keys, &guard);
    FUZZ_CHECK(status == TENON_OK);
    // Guards ignore backend bits, and cannot exclude Fake.
    const tenon_keyset countable = ~(bit(TENON_BACKEND_BITS) - 1);
    const tenon_keyset excludable = countable & ~bit(TENON_BACKEND_BITS + TENON_FUNCTIONALITY_FAKE);
    const KeyState wanted =
        kind == 0   ? KeyState{before.included | (keys & countable), before.excluded}
        : kind == 1 ? KeyState{before.included, before.excluded | (keys & excludable)}
                    : KeyState{keys & countable, ~keys & excludable};
    FUZZ_CHECK(KeyState() == wanted);
    check_guards(input, depth + 1);
    if (input.coin()) check_guards(input, depth + 1);
    tenon_key_guard_leave(&guard);
  }
  FUZZ_CHECK(KeyState() == before);
}

}  // namespace

void fuzz_keys(const uint8_t* data, size_t size) {
  const LeakCheck nothing_left;
  Input input(data, size);
  check_name(input.line());
  check_set(input.number<tenon_keyset>());
  check_key(input.number<tenon_key>());
  check_key(input.below(40) | input.below(TENON_BACKEND_BITS) << 8);
  check_guards(input, 0);
}

}  // namespace tenon::fuzz
