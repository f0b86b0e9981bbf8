// SPDX-License-Identifier: Apache-2.0
// OperatorEntry, the object behind tenon_op: its table for callers, its registrations for writers.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "base/small_vector.h"
#include "dispatch/snapshot.h"

namespace tenon::dispatch {

struct Fallback;

/// How an operator is defined now.
struct Definition {
  schema::SchemaPtr schema;
  std::vector<base::InternedString> tags;
  base::InternedString alias_analysis;
  base::InternedString file;
  int32_t line = 0;
  /// Hash of the lowered types that a typed kernel must have, see op.h.
  uint64_t signature = 0;
};

/// Kernels registered for one key or alias, oldest first: the last one is active.
struct KernelStack {
  tenon_key key;
  base::SmallVector<const Kernel*, 1> kernels;
};

/// What a registered fallback's selector said about the operator; asked once.
struct FallbackChoice {
  const Fallback* fallback;
  bool concerned;
};

}  // namespace tenon::dispatch

/// An operator. Made on first mention, never freed. Callers read the fields in front; those from
/// `definition` on belong to the registry and need its lock.
struct tenon_op {
  std::atomic<const tenon::dispatch::Snapshot*> snapshot;
  /// What a kernel must have written, for a check without the snapshot: number of results << 32,
  /// then flags << 16 | tag of a single result, or one of the words below.
  std::atomic<uint64_t> results;
  /// Positions of written arguments; bit 63 stands for all from there on.
  std::atomic<uint64_t> written{0};
  const char* name;  // "ns::name.overload", behind this object
  const uint32_t name_size;

  std::unique_ptr<tenon::dispatch::Definition> definition;
  std::vector<tenon::dispatch::KernelStack> kernels;
  std::vector<tenon::dispatch::FallbackChoice> choices;
  /// Link of the operators that one step of the registry changes.
  tenon_op* next_changed = nullptr;
  bool is_changed = false;

  /// Makes an entry that lives for ever, at the beginning of a line; throws std::bad_alloc. Made by
  /// OperatorTable only, under the registry's lock.
  static tenon_op* make(std::string_view full_name);
  tenon_op(const tenon_op&) = delete;
  tenon_op& operator=(const tenon_op&) = delete;

  std::string_view full_name() const noexcept { return {name, name_size}; }
  /// "ns" of "ns::name".
  std::string_view ns() const noexcept;
  /// "ns::name" of "ns::name.overload".
  std::string_view base_name() const noexcept;
  /// "overload", or "".
  std::string_view overload() const noexcept;

  /// Active kernel of a key or alias, NULL without one.
  const tenon::dispatch::Kernel* active_kernel(tenon_key key) const noexcept;
  tenon::dispatch::KernelStack* find_stack(tenon_key key) noexcept;

 private:
  tenon_op(const char* text, uint32_t size) noexcept;
};

namespace tenon::dispatch {

using OperatorEntry = ::tenon_op;

/// Low words of OperatorEntry::results that no result equals.
constexpr uint32_t kNoResults = 0;           // nothing to look at
constexpr uint32_t kCheckResults = 0xffff;   // look at the schema
constexpr uint32_t kWrittenResult = 0xfffe;  // one: the written argument at position bits 16-31
constexpr uint64_t kUnknownResults = ~uint64_t{0} << 32 | kCheckResults;

}  // namespace tenon::dispatch
