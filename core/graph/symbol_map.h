// SPDX-License-Identifier: Apache-2.0
// SymbolMap: symbols of a recording's tensors as numbers of its graph.
#pragma once

#include <string>

#include "graph/graph.h"

namespace tenon::graph {

class SymbolMap final : private base::SymbolBuilder {
 public:
  SymbolMap(Graph& graph, KnownValues& known) noexcept : graph_(graph), known_(known) {}

  /// A number, or a reference to the graph's number that a word is.
  tenon_value number_of(int64_t word);
  /// The same of a size of a tensor, which tells what a variable is that nothing told before.
  tenon_value size_of(int64_t word, uint32_t tensor, uint32_t dim);
  /// Says that a value of the graph is the symbol, unless it is a number of the graph already.
  void set(const ::tenon_symbol& symbol, uint32_t value);
  /// Gives the graph the guards of all environments that it met.
  void take_guards();

 private:
  tenon_value variable(const base::SymbolVariable& variable) override;
  tenon_value apply(uint32_t function, const tenon_value& a, const tenon_value& b) override;
  void meet(const ::tenon_symbol& symbol);

  Graph& graph_;
  KnownValues& known_;
};

}  // namespace tenon::graph
