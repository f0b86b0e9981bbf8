// SPDX-License-Identifier: Apache-2.0
// Dispatch keys: which exist, their names both ways, their slots, and what alias keys stand for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/key.h"

namespace tenon::dispatch {

constexpr uint32_t kBackendCount = TENON_BACKEND_BITS;
constexpr uint32_t kFunctionalityCount = 64 - kBackendCount;
constexpr tenon_keyset kBackendMask = (tenon_keyset{1} << kBackendCount) - 1;
constexpr tenon_keyset kFunctionalityMask = ~kBackendMask;

constexpr tenon_keyset functionality_bit(uint32_t functionality) {
  return tenon_keyset{1} << (kBackendCount + functionality);
}
constexpr tenon_keyset backend_bit(uint32_t backend) { return tenon_keyset{1} << backend; }

constexpr uint32_t functionality_of(tenon_key key) { return key & 0xff; }
constexpr uint32_t backend_of(tenon_key key) { return key >> 8; }
constexpr tenon_key make_key(uint32_t functionality, uint32_t backend) {
  return functionality | backend << 8;
}
constexpr bool is_alias(tenon_key key) {
  return key >= TENON_KEY_ALIAS_FIRST && key <= TENON_KEY_BATCHED_DECOMPOSITION;
}

/// Autograd's alias, or its key for some backend.
constexpr bool is_autograd(tenon_key key) {
  return key == TENON_KEY_AUTOGRAD ||
         (!is_alias(key) && functionality_of(key) == TENON_FUNCTIONALITY_AUTOGRAD);
}

/// Where the slots of the functionality whose bit is the highest of a key set are; one entry a bit,
/// backend bits (no functionality) leading to slot 0, Undefined. An entry is written before its bit
/// can be in any set and never again. Bit 0 of each mask is set, so that it always finds a bit.
struct SlotRange {
  uint32_t base;
  uint32_t backend_mask;
};
extern SlotRange slot_ranges[64];

/// Number of the highest bit of a word that is not 0. Spelled out where the compiler's own spelling
/// costs an instruction more on the call path.
inline uint64_t highest_bit(uint64_t word) noexcept {
#if defined(__x86_64__)
  uint64_t bit;
  asm("bsrq %1, %0" : "=r"(bit) : "rm"(word) : "cc");
  return bit;
#else
  return 63 - static_cast<uint64_t>(__builtin_clzll(word));
#endif
}

/// Number of the slot that a key set goes to. Bit 0 stands for "no bit": it is the lowest backend.
inline uint64_t slot_of(tenon_keyset keys) noexcept {
  keys |= 1;
  const SlotRange& range = slot_ranges[highest_bit(keys)];
  return range.base + highest_bit(keys & range.backend_mask);
}

constexpr uint32_t kUndefinedSlot = 0;

/// Slots that a snapshot built now has. Grows with declared keys, never shrinks.
uint32_t slot_count();
/// What the resolver asks of each slot, kept ready: one step for each of the aliases in the order
/// of their numbers. Readable below slot_count().
struct SlotInfo {
  tenon_key key;
  uint8_t aliases;  // bit n: alias TENON_KEY_ALIAS_FIRST + n covers the slot
  bool per_backend;
};
const SlotInfo* slot_infos();
constexpr uint32_t kAliasCount = TENON_KEY_BATCHED_DECOMPOSITION - TENON_KEY_ALIAS_FIRST + 1;
constexpr uint8_t alias_bit(tenon_key alias) {
  return static_cast<uint8_t>(1u << (alias - TENON_KEY_ALIAS_FIRST));
}

/// Slot of a runtime key or of TENON_KEY_UNDEFINED; the key must exist.
uint32_t slot_of_key(tenon_key key);
/// Runtime key of a slot, TENON_KEY_UNDEFINED for slot 0. Slots of backends that nobody registered
/// have keys too.
tenon_key key_of_slot(uint32_t slot);

/// Tells whether a functionality has one slot per backend; false for undeclared ones.
bool is_per_backend(uint32_t functionality);
/// Tells whether a number is declared (fixed or registered).
bool is_functionality(uint32_t functionality);
/// Tells whether a key stands for one slot: declared functionality, backend within range, and a
/// backend only where the functionality has slots per backend.
bool is_runtime_key(tenon_key key);
/// Tells whether a device type's number is that of a backend with a name.
bool is_backend(int32_t device_type);
/// All runtime keys of registered backends, in slot order. Without Undefined.
std::vector<tenon_key> runtime_keys();

/// Name of any key, "unknown" for an unknown one. Static text.
const char* key_name(tenon_key key);
/// Name of a functionality, such as "Autograd", NULL for an undeclared one. Static text.
const char* functionality_name(uint32_t functionality);
/// Key of a name; Error TENON_ERROR_NOT_FOUND naming the text.
tenon_key parse_key(std::string_view name);

/// Runtime keys that an alias stands for in registrations, in slot order; the key itself when it is
/// no alias. The composites also stand for TENON_KEY_UNDEFINED, which comes first then.
std::vector<tenon_key> expand_key(tenon_key key);
/// Tells whether an alias stands for a runtime key or Undefined.
bool alias_covers(tenon_key alias, tenon_key key);

/// Gives key names to a backend, whose number the tensor layer chose. The same again does nothing.
void name_backend(uint32_t backend, std::string_view name);
/// Tells whether a name is taken by a key or functionality.
bool is_key_name(std::string_view name);

/// First half of declaring a functionality: chooses its number next to the anchor, names its keys
/// and counts its slots, but leaves it unusable. False when it exists already with the same
/// placement. Called with the registry locked. See tenon_functionality_register for the errors.
bool reserve_functionality(std::string_view name, std::string_view anchor, uint32_t flags,
                           uint32_t* out_functionality);
/// Second half, once every snapshot has its slots: opens it.
void publish_functionality(uint32_t functionality);

}  // namespace tenon::dispatch
