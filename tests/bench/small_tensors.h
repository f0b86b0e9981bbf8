// SPDX-License-Identifier: Apache-2.0
// Rows of small_tensors.cpp, in the form that peers have.
#pragma once

#include "peers/peer.h"

// Returns the benchmark rows, ended by a NULL name. Names contain the operator and sizes.
const tenon_bench_peer* small_tensor_rows();
