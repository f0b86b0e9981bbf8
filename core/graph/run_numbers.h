// SPDX-License-Identifier: Apache-2.0
// RunNumbers: the values of a graph's sizes and functions in one run, and the check of its guards.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "value/value.h"

namespace tenon::graph {

class RunNumbers {
 public:
  /// `values` are the values of the run, which are read and written.
  RunNumbers(const Graph& graph, tenon_value* values) noexcept : graph_(graph), values_(values) {}

  /// Reads or computes a number whose tensor or operands are known. Throws
  /// TENON_ERROR_INVALID_ARGUMENT for a size out of bounds, and if there is no result.
  void evaluate(uint32_t value);
  /// Throws TENON_ERROR_INVALID_ARGUMENT if an input's sizes differ from those that the graph
  /// requires.
  void check_sizes(const Input& input) const;
  /// Throws TENON_ERROR_INVALID_ARGUMENT if a guard does not hold.
  void check(const Guard& guard) const;

 private:
  void read(const Size& size);
  void calculate(const Function& function);
  tenon_value number(const tenon_value& operand) const noexcept;
  void keep(uint32_t value, tenon_value owned);
  bool is_equal(const tenon_value& a, const tenon_value& b) const;

  const Graph& graph_;
  tenon_value* const values_;
  std::vector<value::OwnedValue> held_;  // symbols that runs on symbolic tensors create
};

}  // namespace tenon::graph
