// SPDX-License-Identifier: Apache-2.0
// Rows of graphs.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Graphs of fifty small operators, an operator: an array that ends with a NULL name.
const tenon_bench_peer* graph_rows();
