// SPDX-License-Identifier: Apache-2.0
// The object behind tenon_op: its table for callers, its registrations for writers.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "base/compact_vector.h"
#include "base/text_hash.h"
#include "dispatch/listener.h"
#include "dispatch/snapshot.h"

namespace tenon::dispatch {

struct Fallback;

/// What a registered fallback's selector said about the operator; asked once.
struct FallbackChoice {
  const Fallback* fallback;
  bool concerned;
};

enum class AliasAnalysis : uint8_t { kFromSchema, kConservative };

/// How an operator is defined now.
struct Definition {
  schema::SchemaPtr schema;
  base::CompactVector<base::InternedString> tags;
  base::CompactVector<FallbackChoice> choices;
  base::InternedString file;
  /// Hash of the lowered types that a typed kernel must have, see op.h.
  uint64_t signature = 0;
  int32_t line = 0;
  AliasAnalysis alias_analysis = AliasAnalysis::kFromSchema;
};

/// The writers' half of an operator, apart from what callers read. Needs the registry's lock.
struct Registrations {
  Definition definition;  // without schema: the operator is not defined
  Kernel* kernels = nullptr;
  /// Link of the operators that one step of the registry changes. The last one's is itself; NULL:
  /// in no list.
  tenon_op* next_changed = nullptr;
  EventQueue events;
};

}  // namespace tenon::dispatch

/// An operator. Made on first mention, never freed. Its first cache line is all that a call and a
/// lookup read: of many operators, most are cold in cache when called.
struct alignas(64) tenon_op {
  std::atomic<const tenon::dispatch::Snapshot*> snapshot;
  /// What a kernel must have written, for a check without the snapshot: number of results << 32,
  /// then flags << 16 | tag of a single result, or one of the words below. kUnknownResults until
  /// the operator is defined.
  std::atomic<uint64_t> results;
  /// Positions of written arguments; bit 63 stands for all from there on.
  std::atomic<uint64_t> written{0};
  tenon::dispatch::Registrations* const registrations;  // needs the registry's lock
  const uint32_t name_size;
  char text[];  // "ns::name.overload": up to 27 characters are in the same line

  /// Makes an entry that lives for ever; throws std::bad_alloc. Made by OperatorTable only, under
  /// the registry's lock.
  static tenon_op* make(std::string_view full_name);
  /// One that is in no table and in memory of its own, for trying registrations on.
  struct FreeScratch {
    void operator()(tenon_op* op) const noexcept;
  };
  using Scratch = std::unique_ptr<tenon_op, FreeScratch>;
  static Scratch make_scratch(std::string_view full_name);
  tenon_op(const tenon_op&) = delete;
  tenon_op& operator=(const tenon_op&) = delete;

  const char* name() const noexcept { return text; }
  std::string_view full_name() const noexcept { return {text, name_size}; }
  bool is_called(std::string_view full_name) const noexcept {
    return name_size == full_name.size() &&
           tenon::base::same_text(text, full_name.data(), name_size);
  }
  /// "ns" of "ns::name".
  std::string_view ns() const noexcept;
  /// "ns::name" of "ns::name.overload".
  std::string_view base_name() const noexcept;
  /// "overload", or "".
  std::string_view overload() const noexcept;

  // Below: the caller holds the registry's lock.

  /// NULL when the operator is not defined.
  tenon::dispatch::Definition* definition() const noexcept {
    auto& definition = registrations->definition;
    return definition.schema != nullptr ? &definition : nullptr;
  }
  void set_definition(tenon::dispatch::Definition definition) noexcept {
    registrations->definition = std::move(definition);
  }
  /// The active kernel of the key or alias that was registered first; the others follow by `next`,
  /// replaced ones by `older`.
  const tenon::dispatch::Kernel* kernels() const noexcept { return registrations->kernels; }
  /// Active kernel of a key or alias, NULL without one.
  const tenon::dispatch::Kernel* active_kernel(tenon_key key) const noexcept;
  /// Makes a kernel the active one of its key.
  void push_kernel(tenon::dispatch::Kernel* kernel) noexcept;
  /// Takes out a kernel that was pushed.
  void remove_kernel(tenon::dispatch::Kernel* kernel) noexcept;

  tenon::dispatch::EventQueue& events() const noexcept { return registrations->events; }
  tenon_op*& next_changed() const noexcept { return registrations->next_changed; }

 private:
  tenon_op(tenon::dispatch::Registrations* writers, std::string_view full_name) noexcept;
};
static_assert(sizeof(tenon_op) == 64);

namespace tenon::dispatch {

/// Low words of tenon_op::results that no result equals.
constexpr uint32_t kNoResults = 0;           // nothing to look at
constexpr uint32_t kCheckResults = 0xffff;   // look at the schema
constexpr uint32_t kWrittenResult = 0xfffe;  // one: the written argument at position bits 16-31
constexpr uint64_t kUnknownResults = ~uint64_t{0} << 32 | kCheckResults;

}  // namespace tenon::dispatch
