// SPDX-License-Identifier: Apache-2.0
#include "dispatch/dispatch_key.h"

#include <atomic>
#include <mutex>

#include "base/error.h"
#include "base/fork.h"
#include "base/interned_string.h"
#include "base/near_names.h"

namespace tenon::dispatch {

namespace {

enum State : uint8_t { kFree, kReserved, kDeclared };

struct Functionality {
  std::atomic<uint8_t> state{kFree};
  bool fixed = false;  // on the public list; numbers are not chosen beyond it
  bool per_backend = false;
  uint16_t base = 0;
  uint32_t flags = 0;  // as declared, with `anchor`, to compare redeclarations with
  const char* anchor = nullptr;
  const char* name = nullptr;
  std::atomic<const char*> keys[kBackendCount] = {};  // names of its runtime keys
};

struct Backend {
  std::atomic<const char*> name{nullptr};
};

constexpr uint32_t kMaxSlots = 1 + kFunctionalityCount * kBackendCount;

// The process's keys. Leaked because registrations of other libraries may outlive static
// destructors.
struct KeyTable {
  std::mutex mutex;
  Functionality functionalities[kFunctionalityCount];
  Backend backends[kBackendCount];
  std::atomic<uint32_t> slot_count{1};
  SlotInfo slots[kMaxSlots];  // written before slot_count makes them visible

  KeyTable();
  void declare(uint32_t number, const char* name, bool per_backend);
  void reserve_slots(uint32_t number, bool per_backend);
  void open(uint32_t number);
  void set_slot(uint32_t slot, tenon_key key, bool per_backend);
  void set_key_name(uint32_t number, uint32_t backend);
};

KeyTable& table() { return base::singleton<KeyTable, base::ForkOrder::kKeys>(); }

KeyTable::KeyTable() {
  base::hold_across_fork(mutex, base::ForkOrder::kKeys);
  set_slot(kUndefinedSlot, TENON_KEY_UNDEFINED, false);
  backends[TENON_BACKEND_CPU].name.store("CPU");
  backends[TENON_BACKEND_CUDA].name.store("CUDA");
  backends[TENON_BACKEND_META].name.store("Meta");
  declare(TENON_FUNCTIONALITY_DENSE, "Dense", true);
  declare(TENON_FUNCTIONALITY_BACKEND_SELECT, "BackendSelect", false);
  declare(TENON_FUNCTIONALITY_FAKE, "Fake", false);
  declare(TENON_FUNCTIONALITY_WRAPPER, "Wrapper", false);
  declare(TENON_FUNCTIONALITY_TRANSFORM_BACK, "TransformBack", false);
  declare(TENON_FUNCTIONALITY_FUNCTIONALIZE, "Functionalize", false);
  declare(TENON_FUNCTIONALITY_CONJUGATE, "Conjugate", false);
  declare(TENON_FUNCTIONALITY_NEGATIVE, "Negative", false);
  declare(TENON_FUNCTIONALITY_ZERO_TENSOR, "ZeroTensor", false);
  declare(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW, "ADInplaceOrView", false);
  declare(TENON_FUNCTIONALITY_TRACER, "Tracer", false);
  declare(TENON_FUNCTIONALITY_SYMBOLIC, "Symbolic", false);
  declare(TENON_FUNCTIONALITY_BATCHED, "Batched", false);
  declare(TENON_FUNCTIONALITY_TRANSFORM_FRONT, "TransformFront", false);
  declare(TENON_FUNCTIONALITY_OVERRIDE, "Override", false);
  // Functionalities with a slot per backend that fall through for most operators get the last
  // slots, so that the tables of these operators can end before them.
  declare(TENON_FUNCTIONALITY_AUTOGRAD, "Autograd", true);
  declare(TENON_FUNCTIONALITY_AUTOCAST, "Autocast", true);
  // Numbers reserved for Quantized, Sparse, SparseCsr and Nested; never chosen for other keys.
  for (uint32_t number = 1; number <= 4; ++number) functionalities[number].fixed = true;
}

void KeyTable::set_slot(uint32_t slot, tenon_key key, bool per_backend) {
  uint8_t aliases = 0;
  for (tenon_key alias = TENON_KEY_ALIAS_FIRST; is_alias(alias); ++alias) {
    if (alias_covers(alias, key)) aliases |= alias_bit(alias);
  }
  slots[slot] = {key, aliases, per_backend};
}

void KeyTable::set_key_name(uint32_t number, uint32_t backend) {
  const Functionality& functionality = functionalities[number];
  const char* backend_name = backends[backend].name.load();
  if (functionality.name == nullptr || backend_name == nullptr) return;
  std::string name = number == TENON_FUNCTIONALITY_DENSE ? "" : functionality.name;
  name += backend_name;
  functionalities[number].keys[backend].store(base::intern(name).data());
}

void KeyTable::reserve_slots(uint32_t number, bool per_backend) {
  Functionality& functionality = functionalities[number];
  functionality.per_backend = per_backend;
  const uint32_t base = slot_count.load();
  functionality.base = static_cast<uint16_t>(base);
  const uint32_t count = per_backend ? kBackendCount : 1;
  for (uint32_t backend = 0; backend < count; ++backend) {
    set_slot(base + backend, make_key(number, backend), per_backend);
    if (per_backend) set_key_name(number, backend);
  }
  if (!per_backend) functionality.keys[0].store(functionality.name);
  functionality.state.store(kReserved);
  slot_count.store(base + count);
}

void KeyTable::open(uint32_t number) {
  Functionality& functionality = functionalities[number];
  slot_ranges[kBackendCount + number] = {
      functionality.base, functionality.per_backend ? static_cast<uint32_t>(kBackendMask) : 1u};
  functionality.state.store(kDeclared);
}

void KeyTable::declare(uint32_t number, const char* name, bool per_backend) {
  functionalities[number].name = name;
  functionalities[number].fixed = true;
  reserve_slots(number, per_backend);
  open(number);
}

struct AliasName {
  const char* name;
  tenon_key key;
};
constexpr AliasName kAliases[] = {
    {"Autograd", TENON_KEY_AUTOGRAD},
    {"Autocast", TENON_KEY_AUTOCAST},
    {"CompositeImplicitAutograd", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD},
    {"CompositeExplicitAutograd", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD},
    {"CompositeExplicitAutogradNonFunctional",
     TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL},
    {"BatchedDecomposition", TENON_KEY_BATCHED_DECOMPOSITION},
};

bool find_key(std::string_view name, tenon_key* out_key) {
  if (name == "Undefined") {
    *out_key = TENON_KEY_UNDEFINED;
    return true;
  }
  for (const AliasName& alias : kAliases) {
    if (name == alias.name) {
      *out_key = alias.key;
      return true;
    }
  }
  const KeyTable& keys = table();
  for (uint32_t number = 0; number < kFunctionalityCount; ++number) {
    if (!is_functionality(number)) continue;
    for (uint32_t backend = 0; backend < kBackendCount; ++backend) {
      const char* known = keys.functionalities[number].keys[backend].load();
      if (known != nullptr && name == known) {
        *out_key = make_key(number, backend);
        return true;
      }
    }
  }
  return false;
}

bool is_identifier(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char letter : name) {
    const bool good = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_';
    if (!good) return false;
  }
  return true;
}

// Describes a declaration, such as "below Autograd, per backend, included by default".
std::string describe(std::string_view anchor, uint32_t flags) {
  std::string text = (flags & TENON_KEY_FLAG_ABOVE) != 0 ? "above " : "below ";
  text += anchor;
  if ((flags & TENON_KEY_FLAG_PER_BACKEND) != 0) text += ", per backend";
  if ((flags & TENON_KEY_FLAG_INCLUDED) != 0) text += ", included by default";
  if ((flags & TENON_KEY_FLAG_EXCLUDED) != 0) text += ", excluded by default";
  return text;
}

// Returns the number for a new functionality: the free one nearest to the anchor on its side,
// without passing a functionality of the public list; kFunctionalityCount if there is none.
uint32_t choose_number(const KeyTable& keys, uint32_t anchor, bool above) {
  const int step = above ? 1 : -1;
  for (int number = static_cast<int>(anchor) + step;
       number >= 0 && number < static_cast<int>(kFunctionalityCount); number += step) {
    const Functionality& candidate = keys.functionalities[number];
    if (candidate.fixed) break;
    if (candidate.state.load() == kFree) return static_cast<uint32_t>(number);
  }
  return kFunctionalityCount;
}

// Describes where the functionalities nearest to the anchor leave room, such as "above Autograd and
// below ADInplaceOrView".
std::string describe_room(const KeyTable& keys, uint32_t anchor) {
  std::string places;
  for (const bool above : {true, false}) {
    const int step = above ? 1 : -1;
    for (int at = static_cast<int>(anchor); at >= 0 && at < static_cast<int>(kFunctionalityCount);
         at += step) {
      const auto number = static_cast<uint32_t>(at);
      const Functionality& next = keys.functionalities[number];
      if (next.name == nullptr || (!next.fixed && number != anchor)) continue;
      if (choose_number(keys, number, above) == kFunctionalityCount) continue;
      places += places.empty() ? "" : " and ";
      places += describe(next.name, above ? TENON_KEY_FLAG_ABOVE : 0);
      break;
    }
  }
  return places.empty() ? "no number is free anywhere" : "numbers are free " + places;
}

// Describes the neighbors of the anchor, such as "Profiler is there, ADInplaceOrView comes next".
std::string describe_gap(const KeyTable& keys, uint32_t anchor, bool above) {
  const int step = above ? 1 : -1;
  std::string there;
  for (int at = static_cast<int>(anchor) + step;
       at >= 0 && at < static_cast<int>(kFunctionalityCount); at += step) {
    const Functionality& next = keys.functionalities[at];
    if (next.fixed) {
      return there + (next.name != nullptr ? next.name : "a reserved key") + " follows";
    }
    there += next.name;
    there += " is taken, ";
  }
  return there + "no number follows";
}

}  // namespace

// Entries of built-in functionalities are filled in when the key table is first used, before any
// operator exists.
constinit SlotRange slot_ranges[64] = {
#define TENON_EIGHT \
  {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, { 0, 1 }
    TENON_EIGHT, TENON_EIGHT, TENON_EIGHT, TENON_EIGHT,
    TENON_EIGHT, TENON_EIGHT, TENON_EIGHT, TENON_EIGHT,
#undef TENON_EIGHT
};

uint32_t slot_count() { return table().slot_count.load(std::memory_order_acquire); }

const SlotInfo* slot_infos() { return table().slots; }

tenon_key key_of_slot(uint32_t slot) { return table().slots[slot].key; }

bool is_functionality(uint32_t functionality) {
  return functionality < kFunctionalityCount &&
         table().functionalities[functionality].state.load() == kDeclared;
}

bool is_per_backend(uint32_t functionality) {
  return functionality < kFunctionalityCount && table().functionalities[functionality].per_backend;
}

bool is_runtime_key(tenon_key key) {
  const uint32_t functionality = functionality_of(key);
  const uint32_t backend = backend_of(key);
  if (!is_functionality(functionality)) return false;
  return is_per_backend(functionality) ? backend < kBackendCount : backend == 0;
}

bool is_backend(int32_t device_type) {
  return device_type >= 0 && device_type < static_cast<int32_t>(kBackendCount) &&
         table().backends[device_type].name.load() != nullptr;
}

uint32_t slot_of_key(tenon_key key) {
  if (key == TENON_KEY_UNDEFINED) return kUndefinedSlot;
  const Functionality& functionality = table().functionalities[functionality_of(key)];
  return functionality.base + (functionality.per_backend ? backend_of(key) : 0);
}

std::vector<tenon_key> runtime_keys() {
  std::vector<tenon_key> keys;
  const uint32_t count = slot_count();
  for (uint32_t slot = 1; slot < count; ++slot) {
    const tenon_key key = key_of_slot(slot);
    const uint32_t functionality = functionality_of(key);
    if (!is_functionality(functionality)) continue;
    if (table().functionalities[functionality].keys[backend_of(key)].load() != nullptr) {
      keys.push_back(key);
    }
  }
  return keys;
}

const char* functionality_name(uint32_t functionality) {
  return is_functionality(functionality) ? table().functionalities[functionality].name : nullptr;
}

const char* key_name(tenon_key key) {
  if (key == TENON_KEY_UNDEFINED) return "Undefined";
  for (const AliasName& alias : kAliases) {
    if (alias.key == key) return alias.name;
  }
  if (!is_runtime_key(key)) return "unknown";
  const char* name = table().functionalities[functionality_of(key)].keys[backend_of(key)].load();
  return name != nullptr ? name : "unknown";
}

bool is_key_name(std::string_view name) {
  tenon_key key;
  if (find_key(name, &key)) return true;
  for (uint32_t number = 0; number < kFunctionalityCount; ++number) {
    const char* known = functionality_name(number);
    if (known != nullptr && name == known) return true;
  }
  return false;
}

namespace {

// Suggests keys similar to `name`. Leaves out keys of backends that have no name yet.
std::string near_keys(std::string_view name) {
  std::vector<std::string_view> names;
  for (const tenon_key key : runtime_keys()) names.emplace_back(key_name(key));
  for (uint32_t i = 0; i < kAliasCount; ++i)
    names.emplace_back(key_name(TENON_KEY_ALIAS_FIRST + i));
  return base::did_you_mean(name, names);
}

}  // namespace

tenon_key parse_key(std::string_view name) {
  tenon_key key;
  if (find_key(name, &key)) return key;
  if (is_key_name(name)) {
    fail(TENON_ERROR_NOT_FOUND, "dispatch key: name must be one key, got \"", name,
         "\", which has one key per backend such as \"", name, "CPU\"");
  }
  fail(TENON_ERROR_NOT_FOUND, "dispatch key: name must be that of a key, got \"", name, "\"",
       near_keys(name));
}

bool alias_covers(tenon_key alias, tenon_key key) {
  const bool undefined = key == TENON_KEY_UNDEFINED;
  const uint32_t functionality = functionality_of(key);
  switch (alias) {
    case TENON_KEY_AUTOGRAD:
      return !undefined && functionality == TENON_FUNCTIONALITY_AUTOGRAD;
    case TENON_KEY_AUTOCAST:
      return !undefined && functionality == TENON_FUNCTIONALITY_AUTOCAST;
    case TENON_KEY_BATCHED_DECOMPOSITION:
      return !undefined && functionality == TENON_FUNCTIONALITY_BATCHED;
    case TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD:
    case TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL:
      return undefined || functionality == TENON_FUNCTIONALITY_DENSE;
    case TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD:
      if (undefined) return true;
      switch (functionality) {
        case TENON_FUNCTIONALITY_DENSE:
        case TENON_FUNCTIONALITY_FAKE:
        case TENON_FUNCTIONALITY_WRAPPER:
        case TENON_FUNCTIONALITY_FUNCTIONALIZE:
        case TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW:
        case TENON_FUNCTIONALITY_AUTOGRAD:
        case TENON_FUNCTIONALITY_BATCHED:
          return true;
        default:
          return false;
      }
    default:
      return false;
  }
}

std::vector<tenon_key> expand_key(tenon_key key) {
  if (!is_alias(key)) return {key};
  std::vector<tenon_key> keys;
  const uint32_t count = slot_count();
  for (uint32_t slot = 0; slot < count; ++slot) {
    if (alias_covers(key, key_of_slot(slot))) keys.push_back(key_of_slot(slot));
  }
  return keys;
}

void name_backend(uint32_t backend, std::string_view name) {
  KeyTable& keys = table();
  std::lock_guard lock(keys.mutex);
  if (keys.backends[backend].name.load() != nullptr) return;
  keys.backends[backend].name.store(base::intern(name).data());
  for (uint32_t number = 0; number < kFunctionalityCount; ++number) {
    if (keys.functionalities[number].per_backend) keys.set_key_name(number, backend);
  }
}

bool reserve_functionality(std::string_view name, std::string_view anchor, uint32_t flags,
                           uint32_t* out_functionality) {
  constexpr uint32_t kBothDefaults = TENON_KEY_FLAG_INCLUDED | TENON_KEY_FLAG_EXCLUDED;
  constexpr uint32_t kKnownFlags =
      TENON_KEY_FLAG_ABOVE | TENON_KEY_FLAG_PER_BACKEND | kBothDefaults;
  if (!is_identifier(name)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "functionality: name must be an identifier, got \"", name,
         "\"");
  }
  if ((flags & ~kKnownFlags) != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "functionality ", name,
         ": flags must be TENON_KEY_FLAG_* bits, got ", flags);
  }
  if ((flags & kBothDefaults) == kBothDefaults) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "functionality ", name,
         ": flags must not contain both INCLUDED and EXCLUDED, got both");
  }
  KeyTable& keys = table();
  std::lock_guard lock(keys.mutex);
  uint32_t anchor_number = kFunctionalityCount;
  for (uint32_t number = 0; number < kFunctionalityCount; ++number) {
    const Functionality& known = keys.functionalities[number];
    if (known.state.load() == kFree) continue;
    if (anchor == known.name) anchor_number = number;
    if (name != known.name) continue;
    if (known.fixed) {
      fail(TENON_ERROR_ALREADY_EXISTS, "functionality: name must be free, got \"", name,
           "\", which is built in");
    }
    if (known.flags != flags || anchor != known.anchor) {
      fail(TENON_ERROR_ALREADY_EXISTS, "functionality ", name,
           ": all declarations must agree, the first is ", describe(known.anchor, known.flags),
           ", got ", describe(anchor, flags));
    }
    *out_functionality = number;
    return false;
  }
  if (anchor_number == kFunctionalityCount) {
    fail(TENON_ERROR_NOT_FOUND, "functionality ", name, ": anchor must be a functionality, got \"",
         anchor, "\"");
  }
  tenon_key taken;
  if (find_key(name, &taken)) {
    fail(TENON_ERROR_ALREADY_EXISTS, "functionality: name must be free, got \"", name,
         "\", which is a key");
  }
  const bool above = (flags & TENON_KEY_FLAG_ABOVE) != 0;
  const uint32_t number = choose_number(keys, anchor_number, above);
  if (number == kFunctionalityCount) {
    fail(TENON_ERROR_STATE, "functionality ", name, ": a number must be free ",
         above ? "above " : "below ", anchor,
         ", got none: ", describe_gap(keys, anchor_number, above), "; ",
         describe_room(keys, anchor_number));
  }
  Functionality& created = keys.functionalities[number];
  created.name = base::intern(name).data();
  created.anchor = base::intern(anchor).data();
  created.flags = flags;
  keys.reserve_slots(number, (flags & TENON_KEY_FLAG_PER_BACKEND) != 0);
  *out_functionality = number;
  return true;
}

void publish_functionality(uint32_t functionality) {
  KeyTable& keys = table();
  std::lock_guard lock(keys.mutex);
  if (keys.functionalities[functionality].state.load() == kReserved) keys.open(functionality);
}

}  // namespace tenon::dispatch
