// SPDX-License-Identifier: Apache-2.0
// Rows of gradients.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Recorded calls and backward passes: an array that ends with a NULL name.
const tenon_bench_peer* gradient_rows();
