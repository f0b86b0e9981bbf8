// SPDX-License-Identifier: Apache-2.0
#include "base/near_names.h"

#include <algorithm>

#include "base/error.h"

namespace tenon::base {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Returns the optimal string alignment distance: the number of letters to insert, remove, replace
// or swap with the next one. Computed row by row. Anything above `most` is returned as `most + 1`.
size_t distance(std::string_view a, std::string_view b, size_t most) {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > most) return most + 1;
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return std::min(row[b.size()], most + 1);
}

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string_view>& candidates,
                         std::string_view prefix) {
  constexpr size_t kMostNames = 3;
  const size_t most = std::clamp<size_t>(given.size() / 3, 1, 3);
  struct NearName {
    size_t distance;
    std::string_view name;
    auto operator<=>(const NearName&) const = default;
  };
  std::vector<NearName> near;
  for (const std::string_view name : candidates) {
    const size_t apart = distance(given, name, most);
    if (apart <= most && apart < name.size() && name != given) near.push_back({apart, name});
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  const size_t count = std::min(near.size(), kMostNames);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += concat(i == 0           ? "; did you mean "
                   : i + 1 == count ? " or "
                                    : ", ",
                   prefix, near[i].name);
  }
  return text.empty() ? text : text + "?";
}

}  // namespace tenon::base
