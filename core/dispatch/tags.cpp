// SPDX-License-Identifier: Apache-2.0
#include "dispatch/tags.h"

#include "base/check.h"
#include "dispatch/registry.h"

namespace tenon::dispatch {

namespace {

// Returns the first tag that `fits`; empty if there is none. Needs the registry's lock.
template <class Fits>
std::string_view find_tag(const tenon_op& op, Fits&& fits) {
  const Definition* definition = op.definition();
  if (definition == nullptr) return {};
  for (const base::InternedString& tag : definition->tags) {
    if (fits(tag.view())) return tag.view();
  }
  return {};
}

}  // namespace

bool is_tagged(const tenon_op& op, std::string_view tag) {
  TENON_DCHECK(!tag.empty());
  const auto lock = Registry::get().lock();
  return !find_tag(op, [&](std::string_view one) { return one == tag; }).empty();
}

std::string tag_value(const tenon_op& op, std::string_view prefix) {
  TENON_DCHECK(prefix.ends_with('='));
  const auto lock = Registry::get().lock();
  const std::string_view tag =
      find_tag(op, [&](std::string_view one) { return one.starts_with(prefix); });
  return std::string(tag.empty() ? tag : tag.substr(prefix.size()));
}

}  // namespace tenon::dispatch
