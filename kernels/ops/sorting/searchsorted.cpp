// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::searchsorted, and its number forms.
#include "kernels/ops/sorting/searchsorted.h"

#include <string_view>

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {
namespace {

void check_sizes(const Call& call, const tenon_tensor_info& sequence,
                 const tenon_tensor_info& values) {
  if (sequence.ndim == 0) {
    fail_argument(call.op(), "sorted_sequence", "have at least 1 dim", sizes_of(sequence));
  }
  if (sequence.ndim == 1) return;
  const bool fits = sequence.ndim == values.ndim &&
                    std::equal(sequence.sizes, sequence.sizes + sequence.ndim - 1, values.sizes);
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have the sizes of sorted_sequence except the last, ",
          sizes_of(sequence), ", got ", sizes_of(values)});
  }
}

}  // namespace

Search search_of(const Call& call) {
  Search search{};
  search.sequence = call.get<Tensor>(0)->info();
  search.values = call.get<Tensor>(1)->info();
  const char* const op = call.op();
  check_sizes(call, search.sequence, search.values);
  // A bool is compared in the dtype that it promotes to with the other argument.
  ResultType common;
  common.add(search.sequence);
  common.add(search.values);
  check_dtype(op, "sorted_sequence", common.get(), RealTypes());
  search.right = call.get<bool>(3);
  if (const auto side = call.get<std::optional<std::string_view>>(4)) {
    if (*side != "left" && *side != "right") {
      fail_argument(op, "side", "\"left\" or \"right\"", std::string(*side));
    }
    if (*side == "left" && search.right) {
      fail_argument(op, "side", "\"right\" where right is True", std::string(*side));
    }
    search.right = *side == "right";
  }
  if (const auto sorter = call.get<std::optional<Tensor>>(5)) {
    search.sorter = sorter->info();
    check_dtype_of(op, "sorter", sorter->dtype(), "an index", Dtype::I64);
    if (!std::ranges::equal(sizes_of(*search.sorter), sizes_of(search.sequence))) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": sorter must have the sizes of sorted_sequence, ", sizes_of(search.sequence),
            ", got ", sizes_of(*search.sorter)});
    }
  }
  const Dtype dtype = call.get<bool>(2) ? Dtype::I32 : Dtype::I64;
  search.result = result_for(call, sizes_of(search.values), dtype, Device(search.sequence.device));
  if (!call.form.is_functional()) {
    check_no_overlap(op, search.result.info(), search.values);
    check_no_overlap(op, search.result.info(), search.sequence);
  }
  return search;
}

namespace ops {
namespace {

using Find = Tensor(const Tensor&, const Tensor&, bool, bool, std::optional<std::string_view>,
                    const std::optional<Tensor>&);
constinit const LazyOp<Find> find_places("aten::searchsorted.Tensor");

}  // namespace

void searchsorted_meta(const Call& call) {
  Search search = search_of(call);
  if (call.form.is_functional()) call.give(0, std::move(search.result));
}

void searchsorted_scalar(const Call& call) {
  const Tensor sequence = *call.get<Tensor>(0);
  if (sequence.ndim() != 1) {
    fail_argument(call.op(), "sorted_sequence", "a vector (1 dim) for a number", sequence.sizes());
  }
  call.give(0, find_places(sequence, number_tensor(call.get<Scalar>(1)), call.get<bool>(2),
                           call.get<bool>(3), call.get<std::optional<std::string_view>>(4),
                           call.get<std::optional<Tensor>>(5)));
}

void bucketize(const Call& call) {
  const Tensor boundaries = *call.get<Tensor>(1);
  if (boundaries.ndim() != 1) {
    fail_argument(call.op(), "boundaries", "a vector (1 dim)", boundaries.sizes());
  }
  const Tensor value = call.args[0].tag == TENON_TAG_TENSOR ? Tensor(*call.get<Tensor>(0))
                                                            : number_tensor(call.get<Scalar>(0));
  call.give(0, find_places(boundaries, value, call.get<bool>(2), call.get<bool>(3), std::nullopt,
                           std::nullopt));
}

}  // namespace ops

}  // namespace tenon::kernels
