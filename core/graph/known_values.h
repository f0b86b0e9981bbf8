// SPDX-License-Identifier: Apache-2.0
// KnownValues: the graph values that a recording has assigned to tensors and symbols.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/symbol_algebra.h"
#include "graph/identity_map.h"
#include "tenon/value.h"

namespace tenon::graph {

struct KnownValues {
  IdentityMap tensors;
  std::unordered_map<int64_t, tenon_value> symbols;  // references to numbers, by word
  std::vector<base::SymbolAlgebra*> environments;    // of those words; owned references

  KnownValues() = default;
  ~KnownValues() {
    for (base::SymbolAlgebra* one : environments) one->release();
  }
  KnownValues(const KnownValues&) = delete;
  KnownValues& operator=(const KnownValues&) = delete;
};

}  // namespace tenon::graph
