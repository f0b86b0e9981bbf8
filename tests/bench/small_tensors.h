// SPDX-License-Identifier: Apache-2.0
// Rows of small_tensors.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Loops of calls: an array that ends with a NULL name. Names say operator and sizes.
const tenon_bench_peer* small_tensor_rows();
