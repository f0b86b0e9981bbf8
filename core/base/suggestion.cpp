// SPDX-License-Identifier: Apache-2.0
#include "base/suggestion.h"

#include <algorithm>
#include <array>

#include "base/concat.h"

namespace tenon::base {

namespace {

// Names are short; of longer ones no candidate is looked for.
constexpr size_t kMaxLetters = 63;
using Row = std::array<size_t, kMaxLetters + 1>;

// How many letters to change, add, take out or exchange with the next one lead from `a` to `b`
// (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) noexcept {
  Row before{}, above{}, row{};
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

Suggestion::Suggestion(std::string_view misspelt) noexcept
    : misspelt_(misspelt), least_(std::max<size_t>(misspelt.size() / 3, 1) + 1) {}

void Suggestion::consider(std::string_view candidate) noexcept {
  if (misspelt_.empty() || misspelt_.size() > kMaxLetters || candidate.size() > kMaxLetters) return;
  const size_t apart = distance(misspelt_, candidate);
  // One letter is as far from every other: none of them is meant.
  if (apart >= least_ || apart >= std::max(misspelt_.size(), candidate.size())) return;
  least_ = apart;
  nearest_ = candidate;
}

std::string Suggestion::text() const {
  return nearest_.empty() ? std::string() : concat("; did you mean '", nearest_, "'?");
}

}  // namespace tenon::base
