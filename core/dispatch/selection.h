// SPDX-License-Identifier: Apache-2.0
// Selection: what the selectors of registered fallbacks say about one schema.
#pragma once

#include <vector>

#include "dispatch/registry.h"

namespace tenon::dispatch {

/// Selectors are foreign code, asked with no lock held. Hence in turns: under the lock, look
/// whether all that are there have been asked; if not, give the lock back, ask, and look again.
class Selection {
 public:
  /// `schema` must outlive it.
  explicit Selection(const schema::Schema& schema) : schema_(schema) {}

  /// Whether each selective fallback that there is now has been asked. Needs the registry's lock.
  bool is_complete_locked(Registry& registry);
  /// Asks those that the last look missed. Without the lock.
  void ask();
  /// What they said, when it is complete. Needs the registry's lock.
  base::CompactVector<FallbackChoice> choices_locked(Registry& registry) const;

 private:
  struct Answer {
    uint64_t fallback;  // its number
    bool concerned;
  };
  struct Question {
    uint64_t fallback;
    tenon_fallback_select select;
    KernelPin kernel;  // its context is the selector's, too
  };
  const Answer* find(const Fallback& fallback) const noexcept;

  const schema::Schema& schema_;
  std::vector<Question> questions_;
  std::vector<Answer> answers_;
};

/// One answer of a selector. No lock is held.
bool ask_selector(tenon_fallback_select select, const Kernel& kernel, const schema::Schema& schema);

}  // namespace tenon::dispatch
