// SPDX-License-Identifier: Apache-2.0
// Selection: the answers of the selectors of registered fallbacks about one schema.
#pragma once

#include <vector>

#include "dispatch/registry.h"

namespace tenon::dispatch {

/// Selectors are foreign code, called with no lock held. The caller therefore takes turns: under
/// the lock, it checks whether all present selectors have been asked; if not, it releases the lock,
/// asks, and checks again.
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
    KernelPin kernel;  // owns the context, which the selector gets, too
  };
  const SelectorAnswer* find(const Fallback& fallback) const noexcept;

  const schema::Schema& schema_;
  std::vector<PendingSelector> pending_;
  std::vector<SelectorAnswer> answers_;
};

/// Asks a selector about one schema. No lock is held.
bool ask_selector(tenon_fallback_select select, const Kernel& kernel, const schema::Schema& schema);

}  // namespace tenon::dispatch
