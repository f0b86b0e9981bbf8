// SPDX-License-Identifier: Apache-2.0
// Implements aten::repeat and similar operators as a copy of an expanded view.
#include "kernels/ops/shape/repeat.h"

#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

// Returns true for an integer dtype that is computed as int64.
bool is_narrow(Dtype dtype) {
  return is_integral(dtype) && dtype != Dtype::I64 && dtype != Dtype::I32;
}

// Returns a copy of `self` repeated `repeats[d]` times along dim d; there may be more dims than
// self has.
Tensor repeated(const Call& call, const Tensor& self, const SymbolicDims& repeats) {
  const int64_t added = repeats.size() - self.ndim();
  // Views each repeated dim as two, of which the outer one is expanded.
  SymbolicDims seen, wide, sizes;
  for (int64_t d = 0; d < repeats.size(); ++d) {
    const SymbolicSize size = d < added ? SymbolicSize(1) : word_along(self, d - added);
    if (repeats[d] < 0) fail_argument(call.op(), "repeats", "have elements >= 0", text_of(repeats));
    if (!(repeats[d] == 1)) {
      seen.push_back(1);
      wide.push_back(repeats[d]);
    }
    seen.push_back(size);
    wide.push_back(size);
    sizes.push_back(repeats[d] * size);
  }
  const Tensor expanded = call_expand(call_reshape(self, seen), wide);
  return call_unsafe_view(call_clone(expanded, MemoryFormat::Contiguous), sizes);
}

}  // namespace

void repeat(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const SymbolicDims repeats = sizes_argument(call, 1);
  if (repeats.size() < self.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": repeats must be ", self.ndim(), " numbers or more, one for each dim, got ",
          text_of(repeats)});
  }
  call.give(0, repeated(call, self, repeats));
}

void tile(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  SymbolicDims repeats = sizes_argument(call, 1);
  while (repeats.size() < self.ndim()) repeats.insert(0, 1);
  call.give(0, repeated(call, self, repeats));
}

void repeat_interleave(const Call& call) {
  using Options = FactoryOptions;
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Dtype>)> sum("aten::sum");
  static constinit const LazyOp<Tensor(const Tensor&)> smallest("aten::min");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> cumsum(
      "aten::cumsum");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      arange("aten::arange");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool, bool,
                                       std::optional<std::string_view>,
                                       const std::optional<Tensor>&)>
      place("aten::searchsorted.Tensor");
  const Tensor given = *call.get<Tensor>(0);
  const Tensor repeats = is_narrow(given.dtype()) ? cast(given, Dtype::I64) : given;
  if (repeats.ndim() != 1) fail_argument(call.op(), "repeats", "a vector (1 dim)", repeats.sizes());
  if (repeats.dtype() != Dtype::I64 && repeats.dtype() != Dtype::I32) {
    fail_argument(call.op(), "repeats", "have an integer dtype", repeats.dtype());
  }
  if (!has_data(kind_of(repeats))) {
    fail_without_data(call.op(), "repeats must have data, on which the result's sizes depend",
                      repeats.info());
  }
  const Options options = options_like(kind_of(repeats), {});
  if (numel_of(repeats) == 0) {
    return call.give(0, call_empty(Dims{0}, options_like(kind_of(given), {})));
  }
  const Scalar least = item(smallest(repeats));
  if (least.to_int() < 0) fail_argument(call.op(), "repeats", "have elements >= 0", least);
  const Tensor ends = cumsum(repeats, 0, repeats.dtype());
  if (item(smallest(ends)).to_int() < 0) {
    fail_argument(call.op(), "repeats", "have a sum that fits into its dtype", repeats.dtype());
  }
  const Scalar total = item(sum(repeats, std::nullopt));
  if (const auto size = call.get<std::optional<int64_t>>(1); size && *size != total.to_int()) {
    fail_argument(call.op(), "output_size", "the sum of repeats", *size);
  }
  const Tensor numbers = arange(total, repeats.dtype(), std::nullopt, options.device, std::nullopt);
  const bool is_small = repeats.dtype() == Dtype::I32;
  const Tensor places = place(ends, numbers, is_small, true, std::nullopt, std::nullopt);
  call.give(0, is_narrow(given.dtype()) ? cast(places, given.dtype()) : places);
}

void repeat_interleave_int(const Call& call) {
  const Tensor given = *call.get<Tensor>(0);
  const SymbolicSize repeats = size_argument(call, 1);
  const auto dim = call.get<std::optional<int64_t>>(2);
  if (repeats < 0) fail_argument(call.op(), "repeats", ">= 0", text_of(repeats));
  const Tensor self =
      dim && given.ndim() > 0 ? given : call_reshape(given, SymbolicDims{numel_word(given)});
  const int64_t at = dim ? wrap_dim(call.op(), *dim, self.ndim()) : 0;
  SymbolicDims wide = words_of(self), sizes = wide;
  wide.insert(at + 1, repeats);
  sizes[at] *= repeats;
  if (call.args[3].tag != TENON_TAG_NONE && !(size_argument(call, 3) == sizes[at])) {
    fail_argument(call.op(), "output_size", "the size of the result's dim",
                  text_of(size_argument(call, 3)));
  }
  const Tensor expanded = call_expand(call_unsqueeze(self, at + 1), wide);
  call.give(0, call_reshape(call_clone(expanded, MemoryFormat::Contiguous), sizes));
}

void repeat_interleave_tensor(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<int64_t>)> places(
      "aten::repeat_interleave.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&)> index_select(
      "aten::index_select");
  const Tensor given = *call.get<Tensor>(0);
  Tensor repeats = *call.get<Tensor>(1);
  if (is_narrow(repeats.dtype())) repeats = cast(repeats, Dtype::I64);
  const auto dim = call.get<std::optional<int64_t>>(2);
  const Tensor self = dim ? given : call_reshape(given, Dims{numel_of(given)});
  const int64_t at = dim ? wrap_dim(call.op(), *dim, self.ndim()) : 0;
  const int64_t size = size_along(self.info(), at);
  if (repeats.ndim() == 0 || (repeats.ndim() == 1 && numel_of(repeats) == 1)) {
    repeats = call_expand(call_reshape(repeats, Dims{1}), Dims{size});
  } else if (repeats.ndim() != 1 || numel_of(repeats) != size) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": repeats must be one number, or ", size,
                                        " like dim ", at, " of self, got ", repeats.sizes()});
  }
  call.give(0, index_select(self, at, places(repeats, call.get<std::optional<int64_t>>(3))));
}

}  // namespace tenon::kernels::ops
