// SPDX-License-Identifier: Apache-2.0
// Rows of layouts.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Returns the benchmark rows, ended by a NULL name. Names contain the operator, dimensions and
// sizes.
const tenon_bench_peer* layout_rows();
