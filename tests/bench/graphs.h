// SPDX-License-Identifier: Apache-2.0
// Rows of graphs.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Returns graph rows, in time per operator, ended by a NULL name.
const tenon_bench_peer* graph_rows();
