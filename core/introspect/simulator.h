// SPDX-License-Identifier: Apache-2.0
// Simulator: an operator outside the registry, for trying out registrations. Locks the registry for
// each step, because the process's fallbacks and keys apply to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/intrusive_ptr.h"
#include "dispatch/operator_entry.h"
#include "tenon/introspect.h"
#include "tenon/simulator.h"

struct tenon_simulator final : tenon::base::RefCounted<tenon_simulator> {
 public:
  /// Throws TENON_ERROR_PARSE.
  explicit tenon_simulator(std::string_view schema);
  ~tenon_simulator();

  /// Registers a kernel named "fn_" plus the key's name on each key. If it throws, none is
  /// registered.
  void add(const std::vector<std::string_view>& keys, uint32_t flags);
  /// Removes the active kernel of a key.
  void remove(std::string_view key);

  tenon_slot_info slot_info(tenon_key key) const;
  /// Returns the text of one kind, TENON_SIMULATOR_*.
  std::string print(uint32_t what) const;
  std::string explain(tenon_keyset keys) const;

 private:
  /// Removes and frees a kernel.
  void drop(tenon::dispatch::Kernel* kernel) noexcept;
  template <class Use>
  auto look(const Use& use) const;
  std::string print_locked(const tenon_op& op, uint32_t what) const;
  std::string print_registrations_locked() const;
  std::string print_table_locked() const;

  const tenon::schema::SchemaPtr schema_;
  const tenon_op::Scratch op_;
  std::vector<tenon::dispatch::KernelPtr> kernels_;
};
