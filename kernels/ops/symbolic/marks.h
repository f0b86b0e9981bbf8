// SPDX-License-Identifier: Apache-2.0
// MarkedCall: serves a call with symbolic sizes by running its concrete routine. Each symbol is
// replaced by a number that does not occur elsewhere in the call; a size of a result that equals
// this number is the symbol.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/common/symbolic/symbolic.h"

namespace tenon::kernels {

class MarkedCall {
 public:
  explicit MarkedCall(const Call& call) : call_(call) {}

  // A size of the results that the caller computed. `dim` counts from the end: -1 is the last one.
  struct KnownSize {
    int64_t dim;
    SymbolicSize size;
  };
  // Sets the results. Returns false, without setting any, if the routine accepts only certain
  // numbers or computes sizes from them.
  bool run(std::span<const KnownSize> known = {});

 private:
  struct Mark {
    int64_t word;
    int64_t like;        // a word with the same numbers; the word itself if there is none
    int64_t numbers[4];  // one for each run, so that no size is mistaken for another
  };
  class Round;

  bool collect(bool equal_hints_are_equal);
  void add(int64_t word, bool equal_hints_are_equal);
  bool serve(std::span<const KnownSize> known);
  const Mark* find_mark(int64_t first, int64_t second) const;
  bool confirms(int run, const Round& first, const Round& second,
                std::span<const KnownSize> known) const;
  std::optional<SymbolicSize> symbol_of(int64_t first, int64_t second) const;
  std::optional<SymbolicDims> sizes_of_result(const Tensor& first, const Tensor& second,
                                              std::span<const KnownSize> known) const;

  const Call& call_;
  std::vector<Mark> marks_;
};

// The rule of operators whose results have sizes of arguments; falls back to concrete sizes
// otherwise.
void sized_by_arguments(const Call& call);
// Like sized_by_arguments(), for results that have the lesser of rows and columns: a guard
// determines which.
void sized_by_matrices(const Call& call);

}  // namespace tenon::kernels
