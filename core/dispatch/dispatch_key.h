// SPDX-License-Identifier: Apache-2.0
// Dispatch keys: which keys exist, their names, their table slots, and the expansion of alias keys.
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

/// Returns true if `key` is the Autograd alias or the Autograd key of some backend.
constexpr bool is_autograd(tenon_key key) {
  return key == TENON_KEY_AUTOGRAD ||
         (!is_alias(key) && functionality_of(key) == TENON_FUNCTIONALITY_AUTOGRAD);
}

/// The slots of one functionality. `slot_ranges` is indexed by the highest bit of a key set.
/// A set whose highest bit is a backend's has no functionality, so the entries of backend bits lead
/// to slot 0, Undefined. An entry is written once, before its bit can be in any set. Bit 0 of each
/// mask is set, so that a search for the highest bit always finds one.
struct SlotRange {
  uint32_t base;
  uint32_t backend_mask;
};
extern SlotRange slot_ranges[64];

/// Returns the index of the highest bit of a nonzero word. Written in assembly where the compiler's
/// builtin costs one more instruction on the call path.
inline uint64_t highest_bit(uint64_t word) noexcept {
#if defined(__x86_64__)
  uint64_t bit;
  asm("bsrq %1, %0" : "=r"(bit) : "rm"(word) : "cc");
  return bit;
#else
  return 63 - static_cast<uint64_t>(__builtin_clzll(word));
#endif
}

/// Returns the slot that a key set selects. Bit 0, the lowest backend, is always set first, so that
/// an empty set selects slot 0.
inline uint64_t slot_of(tenon_keyset keys) noexcept {
  keys |= 1;
  const SlotRange& range = slot_ranges[highest_bit(keys)];
  return range.base + highest_bit(keys & range.backend_mask);
}

constexpr uint32_t kUndefinedSlot = 0;

/// Returns the number of slots of a snapshot built now. Grows as keys are declared, never shrinks.
uint32_t slot_count();
/// Precomputed properties of a slot, which the resolver reads. Valid below slot_count().
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

/// Returns the slot of a runtime key or of TENON_KEY_UNDEFINED; the key must exist.
uint32_t slot_of_key(tenon_key key);
/// Returns the runtime key of a slot, TENON_KEY_UNDEFINED for slot 0. Slots of unregistered
/// backends have keys too.
tenon_key key_of_slot(uint32_t slot);

/// Returns true if a functionality has one slot per backend; false for undeclared ones.
bool is_per_backend(uint32_t functionality);
/// Returns true if a functionality is declared, as a built-in one or at run time.
bool is_functionality(uint32_t functionality);
/// Returns true if a key denotes exactly one slot: its functionality is declared, its backend is
/// within range, and it names a backend only if the functionality has slots per backend.
bool is_runtime_key(tenon_key key);
/// Returns true if a device type's number is that of a backend with a name.
bool is_backend(int32_t device_type);
/// Returns all runtime keys of registered backends in slot order, without Undefined.
std::vector<tenon_key> runtime_keys();

/// Returns the name of any key, "unknown" for an unknown one. Static text.
const char* key_name(tenon_key key);
/// Returns the name of a functionality, such as "Autograd"; NULL for an undeclared one. Static
/// text.
const char* functionality_name(uint32_t functionality);
/// Returns the key of a name. Throws TENON_ERROR_NOT_FOUND, which quotes the name.
tenon_key parse_key(std::string_view name);

/// Returns the runtime keys that an alias covers in registrations, in slot order, or the key itself
/// if it is not an alias. The composite aliases also cover TENON_KEY_UNDEFINED, which then comes
/// first.
std::vector<tenon_key> expand_key(tenon_key key);
/// Returns true if an alias covers a runtime key or Undefined.
bool alias_covers(tenon_key alias, tenon_key key);

/// Creates the key names of a backend, whose number the tensor layer chose. Does nothing if the
/// backend already has a name.
void name_backend(uint32_t backend, std::string_view name);
/// Returns true if a key or functionality has this name.
bool is_key_name(std::string_view name);

/// First half of declaring a functionality: chooses its number next to the anchor, names its keys
/// and reserves its slots, but does not make it usable yet. Returns false if it already exists with
/// the same placement. Called with the registry locked. See tenon_functionality_register for the
/// errors.
bool reserve_functionality(std::string_view name, std::string_view anchor, uint32_t flags,
                           uint32_t* out_functionality);
/// Second half: makes the functionality usable, once every snapshot has its slots.
void publish_functionality(uint32_t functionality);

}  // namespace tenon::dispatch
