// SPDX-License-Identifier: Apache-2.0
#include "dispatch/selection.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::dispatch {

const Selection::SelectorAnswer* Selection::find(const Fallback& fallback) const noexcept {
  const auto found = std::find_if(
      answers_.begin(), answers_.end(),
      [&](const SelectorAnswer& answer) { return answer.fallback == fallback.number; });
  return found != answers_.end() ? &*found : nullptr;
}

bool Selection::is_complete_locked(Registry& registry) {
  TENON_DCHECK(pending_.empty());
  for (const Fallback* fallback : registry.fallbacks().selective()) {
    if (find(*fallback) != nullptr) continue;
    pending_.push_back({fallback->number, fallback->select, KernelPin(*fallback->kernel)});
  }
  return pending_.empty();
}

void Selection::ask() {
  std::vector<PendingSelector> questions = std::move(pending_);
  pending_.clear();
  answers_.reserve(answers_.size() + questions.size());
  for (const PendingSelector& question : questions) {
    const bool concerned = ask_selector(question.select, *question.kernel.get(), schema_);
    answers_.push_back({question.fallback, concerned});
  }
}

base::CompactVector<FallbackChoice> Selection::choices_locked(Registry& registry) const {
  base::CompactVector<FallbackChoice> choices;
  for (const Fallback* fallback : registry.fallbacks().selective()) {
    TENON_DCHECK(find(*fallback) != nullptr);
    choices.push_back({fallback, find(*fallback)->concerned});
  }
  return choices;
}

bool ask_selector(tenon_fallback_select select, const Kernel& kernel,
                  const schema::Schema& schema) {
  return select(kernel.entry.ctx, const_cast<schema::Schema*>(&schema)) == TENON_SELECT_KERNEL;
}

}  // namespace tenon::dispatch
