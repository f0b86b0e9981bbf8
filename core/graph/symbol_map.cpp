// SPDX-License-Identifier: Apache-2.0
#include "graph/symbol_map.h"

#include <algorithm>

#include "base/check.h"
#include "graph/references.h"

namespace tenon::graph {

// Keeps the environment of a symbol alive, so that words stay valid.
void SymbolMap::meet(const ::tenon_symbol& symbol) {
  base::SymbolAlgebra& owner = base::algebra_of(symbol);
  if (std::ranges::find(known_.environments, &owner) != known_.environments.end()) return;
  known_.environments.push_back(&owner);
  owner.retain();
}

tenon_value SymbolMap::number_of(int64_t word) {
  word = base::simplified(word);
  if (!base::is_symbol(word)) return tenon_value_of_int(word);
  const auto known = known_.symbols.find(word);
  if (known != known_.symbols.end()) return known->second;
  const ::tenon_symbol& symbol = *base::symbol_of(word);
  meet(symbol);
  const tenon_value made = base::algebra_of(symbol).rebuild(word, *this);
  known_.symbols.emplace(word, made);
  return made;
}

tenon_value SymbolMap::size_of(int64_t word, uint32_t tensor, uint32_t dim) {
  TENON_DCHECK(tensor < graph_.values().size());
  const size_t known = graph_.values().size();
  const tenon_value number = number_of(word);
  if (number.tag != TENON_TAG_REF) return number;
  const Value& its = graph_.values()[static_cast<size_t>(number.as.i)];
  // The result of a call cannot define a size that was an argument of the same call.
  const bool tells = graph_.values()[tensor].kind <= TENON_GRAPH_VALUE_ATTRIBUTE ||
                     static_cast<size_t>(number.as.i) >= known;
  if (its.kind == TENON_GRAPH_VALUE_SIZE && graph_.sizes()[its.source].tensor == kUnbound &&
      tells) {
    graph_.bind_size(its.source, tensor, dim);
  }
  return number;
}

void SymbolMap::set(const ::tenon_symbol& symbol, uint32_t value) {
  meet(symbol);
  known_.symbols.emplace(base::word_of(&symbol), reference(value));
}

void SymbolMap::take_guards() {
  // By index, as the vector may grow: operands of guards are new expressions.
  for (size_t k = 0; k < known_.environments.size(); ++k) {
    known_.environments[k]->rebuild_guards(
        *this, [this](int64_t word) { return known_.symbols.contains(word); },
        [this](base::SymbolGuard guard) {
          graph_.add_guard({guard.function,
                            {guard.a, guard.b},
                            std::move(guard.op),
                            std::move(guard.file),
                            guard.line});
        });
  }
}

tenon_value SymbolMap::variable(const base::SymbolVariable& variable) {
  const auto known = known_.symbols.find(variable.word);
  if (known != known_.symbols.end()) return known->second;
  Size size;
  size.name = graph_.free_name(variable.name);
  size.low = variable.low;
  size.high = variable.high;
  size.hint = variable.hint;
  const tenon_value made = reference(graph_.add_size(std::move(size)));
  known_.symbols.emplace(variable.word, made);
  return made;
}

tenon_value SymbolMap::apply(uint32_t function, const tenon_value& a, const tenon_value& b) {
  return reference(graph_.add_function(function, a, b));
}

}  // namespace tenon::graph
