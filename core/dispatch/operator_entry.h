// SPDX-License-Identifier: Apache-2.0
// The object behind tenon_op: the table that calls read, and the registrations that writers change.
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

/// The cached answer of a fallback's selector: whether the fallback serves the operator.
struct FallbackChoice {
  const Fallback* fallback;
  bool concerned;
};

enum class AliasAnalysis : uint8_t { kFromSchema, kConservative };

/// The current definition of an operator.
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

/// The part of an operator that only writers use, apart from what callers read. Needs the
/// registry's lock.
struct Registrations {
  Definition definition;  // without a schema if the operator is undefined
  Kernel* kernels = nullptr;
  /// Next operator in the list of a Changes object. The last operator links to itself; NULL if the
  /// operator is in no list.
  tenon_op* next_changed = nullptr;
  EventQueue events;
};

}  // namespace tenon::dispatch

/// An operator. Made when first mentioned, never freed. Calls and lookups read only its first cache
/// line, because in a program with many operators, most are cold in cache when called.
struct alignas(64) tenon_op {
  std::atomic<const tenon::dispatch::Snapshot*> snapshot;
  /// The expected results, for a check without the snapshot: the number of results << 32, then
  /// flags << 16 | tag of a single result, or one of the words below. kUnknownResults until the
  /// operator is defined.
  std::atomic<uint64_t> results;
  /// Bit n is set if argument n is written; bit 63 covers all arguments from there on.
  std::atomic<uint64_t> written{0};
  tenon::dispatch::Registrations* const registrations;  // needs the registry's lock
  const uint32_t name_size;
  char text[];  // "ns::name.overload"; up to 27 characters fit into the first line

  /// Makes an entry that is never freed. Called only by OperatorTable, under the registry's lock.
  /// Throws std::bad_alloc.
  static tenon_op* make(std::string_view full_name);
  /// An operator that is in no table and separately allocated, for trying out registrations.
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
  /// Returns "ns" of "ns::name".
  std::string_view ns() const noexcept;
  /// Returns "ns::name" of "ns::name.overload".
  std::string_view base_name() const noexcept;
  /// Returns "overload", or "".
  std::string_view overload() const noexcept;

  // Below: the caller holds the registry's lock.

  /// Returns NULL if the operator is not defined.
  tenon::dispatch::Definition* definition() const noexcept {
    auto& definition = registrations->definition;
    return definition.schema != nullptr ? &definition : nullptr;
  }
  void set_definition(tenon::dispatch::Definition definition) noexcept {
    registrations->definition = std::move(definition);
  }
  /// Returns the active kernel of the key or alias that was registered first. `next` links to the
  /// other active kernels, `older` to replaced ones.
  const tenon::dispatch::Kernel* kernels() const noexcept { return registrations->kernels; }
  /// Returns the active kernel of a key or alias, NULL if there is none.
  const tenon::dispatch::Kernel* active_kernel(tenon_key key) const noexcept;
  /// Makes a kernel the active one of its key.
  void push_kernel(tenon::dispatch::Kernel* kernel) noexcept;
  /// Removes a kernel that was pushed.
  void remove_kernel(tenon::dispatch::Kernel* kernel) noexcept;

  tenon::dispatch::EventQueue& events() const noexcept { return registrations->events; }
  tenon_op*& next_changed() const noexcept { return registrations->next_changed; }

 private:
  tenon_op(tenon::dispatch::Registrations* writers, std::string_view full_name) noexcept;
};
static_assert(sizeof(tenon_op) == 64);

namespace tenon::dispatch {

/// Low words of tenon_op::results that match no result.
constexpr uint32_t kNoResults = 0;           // nothing to check
constexpr uint32_t kCheckResults = 0xffff;   // compare with the schema
constexpr uint32_t kWrittenResult = 0xfffe;  // one: the written argument at position bits 16-31
constexpr uint64_t kUnknownResults = ~uint64_t{0} << 32 | kCheckResults;

}  // namespace tenon::dispatch
