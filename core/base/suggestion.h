// SPDX-License-Identifier: Apache-2.0
// Suggestion: the name that was probably meant by one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::base {

/// Compares candidates with a misspelt name and keeps the nearest, if one is near: a third of the
/// letters may be wrong, missing, too many, or in exchanged places.
class Suggestion {
 public:
  /// Borrows the name.
  explicit Suggestion(std::string_view misspelt) noexcept;

  /// Of equally near candidates the first one stays. Borrows the name.
  void consider(std::string_view candidate) noexcept;

  /// The nearest candidate, "" when none is near.
  std::string_view name() const noexcept { return nearest_; }
  /// "; did you mean 'alpha'?", or "": what an error message ends with.
  std::string text() const;

 private:
  std::string_view misspelt_;
  std::string_view nearest_;
  size_t least_;  // a candidate must be nearer than this
};

}  // namespace tenon::base
