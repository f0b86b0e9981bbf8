// SPDX-License-Identifier: Apache-2.0
// RunNumbers: what the sizes and functions of a graph are in one run, and whether its guards hold.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "value/value.h"

namespace tenon::graph {

class RunNumbers {
 public:
  /// `values` are those of the run, to be read and written.
  RunNumbers(const Graph& graph, tenon_value* values) noexcept : graph_(graph), values_(values) {}

  /// Reads or calculates a number whose tensor or operands are known. Throws
  /// TENON_ERROR_INVALID_ARGUMENT for a size outside of its bounds and for what has no result.
  void evaluate(uint32_t value);
  /// Throws TENON_ERROR_INVALID_ARGUMENT where an input is of other sizes than it must be.
  void check_sizes(const Input& input) const;
  /// Throws TENON_ERROR_INVALID_ARGUMENT where a guard does not hold.
  void check(const Guard& guard) const;

 private:
  void read(const Size& size);
  void calculate(const Function& function);
  tenon_value number(const tenon_value& operand) const noexcept;
  void keep(uint32_t value, tenon_value owned);
  bool is_equal(const tenon_value& a, const tenon_value& b) const;

  const Graph& graph_;
  tenon_value* const values_;
  std::vector<value::OwnedValue> held_;  // symbols, in runs on symbolic tensors
};

}  // namespace tenon::graph
