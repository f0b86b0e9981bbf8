// SPDX-License-Identifier: Apache-2.0
// KnownValues: what a recording knows of the values that tensors and symbols are.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/symbol_algebra.h"
#include "graph/identity_map.h"
#include "tenon/value.h"

namespace tenon::graph {

struct KnownValues {
  IdentityMap tensors;
  std::unordered_map<int64_t, tenon_value> symbols;  // by word: references
  std::vector<base::SymbolAlgebra*> environments;    // of those words, each a reference

  KnownValues() = default;
  ~KnownValues() {
    for (base::SymbolAlgebra* one : environments) one->release();
  }
  KnownValues(const KnownValues&) = delete;
  KnownValues& operator=(const KnownValues&) = delete;
};

}  // namespace tenon::graph
