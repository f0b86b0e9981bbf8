// SPDX-License-Identifier: Apache-2.0
// SymbolMap: maps the symbols of a recording's tensors to numbers of its graph.
#pragma once

#include <string>

#include "graph/graph.h"

namespace tenon::graph {

class SymbolMap final : private base::SymbolBuilder {
 public:
  SymbolMap(Graph& graph, KnownValues& known) noexcept : graph_(graph), known_(known) {}

  /// Returns the number of a word: a plain number, or a reference to a number of the graph.
  tenon_value number_of(int64_t word);
  /// Like number_of(), for a tensor's size. Also binds a size variable that is not bound to a
  /// tensor yet.
  tenon_value size_of(int64_t word, uint32_t tensor, uint32_t dim);
  /// Maps a symbol to a value of the graph, unless it is mapped already.
  void set(const ::tenon_symbol& symbol, uint32_t value);
  /// Adds the guards of all environments met so far to the graph.
  void take_guards();

 private:
  tenon_value variable(const base::SymbolVariable& variable) override;
  tenon_value apply(uint32_t function, const tenon_value& a, const tenon_value& b) override;
  void meet(const ::tenon_symbol& symbol);

  Graph& graph_;
  KnownValues& known_;
};

}  // namespace tenon::graph
