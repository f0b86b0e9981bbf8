// SPDX-License-Identifier: Apache-2.0
// Implements aten::index_reduce by calling other operators.
#include "kernels/ops/indexing/index_reduce.h"

#include <string_view>

#include "kernels/ops/arithmetic.h"
#include "kernels/ops/indexing/along_dim.h"

namespace tenon::kernels::ops {

void index_reduce(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                                       std::string_view, bool)>
      scatter("aten::scatter_reduce.two");
  const auto word = call.get<std::string_view>(4);
  if (word != "prod" && word != "mean" && word != "amax" && word != "amin") {
    fail_argument(call.op(), "reduce", "'prod', 'mean', 'amax' or 'amin'", word);
  }
  const AlongDim along(call);
  const Tensor source = along.source("source", *call.get<Tensor>(3));
  // Repeats each slice's index for all of its elements.
  Dims column = Dims::filled(along.self().ndim(), 1);
  column[along.dim()] = along.count();
  const Tensor places =
      call_expand(call_reshape(*call.get<Tensor>(2), column), Dims(source.sizes()));
  const Tensor joined = scatter(along.self(), along.dim(), places, source, word, call.get<bool>(5));
  give_or_write(call, call_reshape(joined, call.get<Tensor>(0)->sizes()));
}

}  // namespace tenon::kernels::ops
