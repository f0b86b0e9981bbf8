// SPDX-License-Identifier: Apache-2.0
// Implements aten::pixel_shuffle, aten::pixel_unshuffle and aten::channel_shuffle by calling other
// operators.
#include "kernels/ops/vision/pixel_shuffle.h"

#include "kernels/common/call.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"
#include "kernels/common/symbolic/unbacked.h"
#include "kernels/common/window.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, Sizes)> permuted("aten::permute");

// The original dims of an image, and the dims before it.
struct Image {
  SymbolicDims front;
  SymbolicSize channels, height, width;

  Image(const Call& call, const Tensor& self) {
    front = words_of(self);
    if (self.ndim() < 3) fail_argument(call.op(), "self", "have at least 3 dims", text_of(front));
    channels = front[self.ndim() - 3];
    height = front[self.ndim() - 2];
    width = front[self.ndim() - 1];
    front.resize(self.ndim() - 3);
  }
  SymbolicDims sizes(std::initializer_list<SymbolicSize> last) const {
    SymbolicDims all = front;
    for (const SymbolicSize size : last) all.push_back(size);
    return all;
  }
  // Returns the order of the leading dims followed by the given last ones.
  Dims order(std::initializer_list<int64_t> last) const {
    Dims all;
    for (int64_t d = 0; d < front.size(); ++d) all.push_back(d);
    for (const int64_t dim : last) all.push_back(front.size() + dim);
    return all;
  }
};

// Returns a result in the memory format of the operator's input.
Tensor formatted(const Call& call, const Tensor& result) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (makes_symbols(self) || !channels_last_like(call.op(), self, sizes_of(self))) return result;
  return contiguous(result,
                    self.ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d);
}

// Returns a new tensor with dims in another order, some of them joined.
Tensor moved(const Call& call, const Tensor& split, const Dims& order, const SymbolicDims& sizes) {
  const Tensor result = call_clone(permuted(split, order), MemoryFormat::Contiguous);
  return formatted(call, call_reshape(result, sizes));
}

}  // namespace

void pixel_shuffle(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Image image(call, self);
  const auto by = call.get<int64_t>(1);
  if (by < 1) fail_argument(call.op(), "upscale_factor", "above 0", by);
  const int64_t places = (CheckedSize(call.op(), by) * by).value();
  const SymbolicSize channels = image.channels / places;
  if (!(channels * places == image.channels)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": self must have channels that ", places,
                                        " divides, got ", text_of(image.channels)});
  }
  const Tensor split =
      call_reshape(self, image.sizes({channels, by, by, image.height, image.width}));
  call.give(0, moved(call, split, image.order({0, 3, 1, 4, 2}),
                     image.sizes({channels, image.height * by, image.width * by})));
}

void pixel_unshuffle(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Image image(call, self);
  const auto by = call.get<int64_t>(1);
  if (by < 1) fail_argument(call.op(), "downscale_factor", "above 0", by);
  if (!(image.height / by * by == image.height) || !(image.width / by * by == image.width)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": self must have rows and columns that ", by,
                                        " divides, got sizes ", text_of(words_of(self))});
  }
  const Tensor split = call_reshape(
      self, image.sizes({image.channels, image.height / by, by, image.width / by, by}));
  call.give(0, moved(call, split, image.order({0, 2, 4, 1, 3}),
                     image.sizes({image.channels * by * by, image.height / by, image.width / by})));
}

void channel_shuffle(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transposed(
      "aten::transpose.int");
  const Tensor self = *call.get<Tensor>(0);
  const auto groups = call.get<int64_t>(1);
  const SymbolicDims sizes = words_of(self);
  if (self.ndim() < 3) fail_argument(call.op(), "self", "have at least 3 dims", text_of(sizes));
  const SymbolicSize channels = sizes[1];
  if (groups < 1 || !(channels / groups * groups == channels)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": groups must divide the ", text_of(channels), " channels, got ", groups});
  }
  SymbolicDims split = sizes;
  split[1] = groups;
  split.insert(2, channels / groups);
  const Tensor result = call_reshape(transposed(call_reshape(self, split), 1, 2), sizes);
  call.give(0, formatted(call, result));
}

}  // namespace tenon::kernels::ops
