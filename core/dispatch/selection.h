// SPDX-License-Identifier: Apache-2.0
// Selection: the answers of the selectors of registered fallbacks about one schema.
#pragma once

#include <vector>

#include "dispatch/registry.h"

namespace tenon::dispatch {

/// Collects the selectors' answers. Selectors are foreign code and run with no lock held, so other
/// threads may register more of them in the meantime. The caller loops: it locks the registry and
/// checks whether all present selectors have answered; if not, it unlocks, asks and checks again.
class Selection {
 public:
  /// `schema` must outlive this object.
  explicit Selection(const schema::Schema& schema) : schema_(schema) {}

  /// Returns true if each present fallback with a selector has been asked. Needs the registry's
  /// lock.
  bool is_complete_locked(Registry& registry);
  /// Asks the selectors that the last check found missing. Called without the lock.
  void ask();
  /// Returns the answers once they are complete. Needs the registry's lock.
  base::CompactVector<FallbackChoice> choices_locked(Registry& registry) const;

 private:
  struct SelectorAnswer {
    uint64_t fallback;  // its number
    bool concerned;
  };
  struct PendingSelector {
    uint64_t fallback;
    tenon_fallback_select select;
    KernelPin kernel;  // keeps the context alive, which is also passed to the selector
  };
  const SelectorAnswer* find(const Fallback& fallback) const noexcept;

  const schema::Schema& schema_;
  std::vector<PendingSelector> pending_;
  std::vector<SelectorAnswer> answers_;
};

/// Asks a selector about one schema. No lock is held.
bool ask_selector(tenon_fallback_select select, const Kernel& kernel, const schema::Schema& schema);

}  // namespace tenon::dispatch
