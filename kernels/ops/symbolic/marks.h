// SPDX-License-Identifier: Apache-2.0
// MarkedCall: a call with symbolic sizes as its routine for numbers serves it. Each symbol is a
// number that nothing else in the call is; where a result has that number, it has the symbol.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/common/symbolic/symbolic.h"

namespace tenon::kernels {

class MarkedCall {
 public:
  explicit MarkedCall(const Call& call) : call_(call) {}

  // A size of the results that is calculated, at a dim that counts from behind: -1 is the last one.
  struct Known {
    int64_t dim;
    SymbolicSize size;
  };
  // Gives the results. False where the routine takes only some numbers, or sizes are calculated
  // from them: nothing is given then.
  bool run(std::span<const Known> known = {});

 private:
  struct Mark {
    int64_t word;
    int64_t like;        // a word with the same numbers; itself
    int64_t numbers[2];  // of two runs, so that no size is taken for what it is not
  };
  class Round;

  bool collect(bool equal_hints_are_equal);
  void add(int64_t word, bool equal_hints_are_equal);
  bool serve(std::span<const Known> known);
  std::optional<SymbolicSize> symbol_of(int64_t first, int64_t second) const;
  std::optional<SymbolicDims> sizes_of_result(const Tensor& first, const Tensor& second,
                                              std::span<const Known> known) const;

  const Call& call_;
  std::vector<Mark> marks_;
};

// The rule of operators whose results have sizes of arguments; numbers where they have others.
void sized_by_arguments(const Call& call);
// The same where they have the lesser one of rows and columns: a guard tells which it is.
void sized_by_matrices(const Call& call);

}  // namespace tenon::kernels
