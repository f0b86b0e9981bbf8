// SPDX-License-Identifier: Apache-2.0
// Rows of layouts.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Loops of calls: an array that ends with a NULL name. Names say operator, dims and sizes.
const tenon_bench_peer* layout_rows();
