// SPDX-License-Identifier: Apache-2.0
// Implements aten::meshgrid by calling other operators.
#include "kernels/ops/shape/meshgrid.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

std::vector<Tensor> grids_of(const Call& call, bool swaps) {
  std::vector<Tensor> vectors = tensors_of(call.get<TensorList>(0));
  if (vectors.empty())
    fail_argument(call.op(), "tensors", "a list of at least one tensor", "an empty list");
  swaps = swaps && vectors.size() > 1;
  if (swaps) std::swap(vectors[0], vectors[1]);
  SymbolicDims sizes;
  for (const Tensor& one : vectors) {
    if (one.ndim() > 1)
      fail_argument(call.op(), "tensors", "vectors (1 dim) or of 0 dims", one.sizes());
    check_dtype_of(call.op(), "tensors", one.dtype(), "the first one", vectors[0].dtype());
    sizes.push_back(numel_word(one));
  }
  std::vector<Tensor> grids;
  for (size_t k = 0; k < vectors.size(); ++k) {
    SymbolicDims own = SymbolicDims::filled(sizes.size(), 1);
    own[static_cast<int64_t>(k)] = numel_word(vectors[k]);
    grids.push_back(call_expand(call_reshape(vectors[k], own), sizes));
  }
  if (swaps) std::swap(grids[0], grids[1]);
  return grids;
}

}  // namespace

void meshgrid(const Call& call) { call.give(0, grids_of(call, false)); }

void meshgrid_indexing(const Call& call) {
  const auto indexing = call.get<std::string_view>(1);
  if (indexing != "ij" && indexing != "xy") {
    fail_argument(call.op(), "indexing", "\"ij\" or \"xy\"", std::string(indexing));
  }
  call.give(0, grids_of(call, indexing == "xy"));
}

}  // namespace tenon::kernels::ops
