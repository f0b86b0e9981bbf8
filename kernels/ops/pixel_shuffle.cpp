// SPDX-License-Identifier: Apache-2.0
// What aten::pixel_shuffle, aten::pixel_unshuffle and aten::channel_shuffle call.
#include "kernels/ops/pixel_shuffle.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, Sizes)> permuted("aten::permute");

// An image's dims as they are at first, for those in front of it as well.
struct Image {
  Dims front;
  int64_t channels, height, width;

  Image(const Call& call, const Tensor& self) {
    if (self.ndim() < 3) fail_argument(call.op(), "self", "of 3 dims at least", self.sizes());
    front = Dims(self.sizes().first(static_cast<size_t>(self.ndim() - 3)));
    channels = self.sizes().end()[-3];
    height = self.sizes().end()[-2];
    width = self.sizes().end()[-1];
  }
  Dims sizes(std::initializer_list<int64_t> last) const {
    Dims all(front);
    for (const int64_t size : last) all.push_back(size);
    return all;
  }
  // The dims in front, and then these of the last ones.
  Dims order(std::initializer_list<int64_t> last) const {
    Dims all;
    for (int64_t d = 0; d < front.size(); ++d) all.push_back(d);
    for (const int64_t dim : last) all.push_back(front.size() + dim);
    return all;
  }
};

}  // namespace

void pixel_shuffle(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Image image(call, self);
  const auto by = call.get<int64_t>(1);
  if (by < 1) fail_argument(call.op(), "upscale_factor", "above 0", by);
  if (image.channels % (by * by) != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have channels that ", by * by, " divides, got ", image.channels});
  }
  const int64_t channels = image.channels / (by * by);
  const Tensor split =
      call_reshape(self, image.sizes({channels, by, by, image.height, image.width}));
  call.give(0, call_reshape(permuted(split, image.order({0, 3, 1, 4, 2})),
                            image.sizes({channels, image.height * by, image.width * by})));
}

void pixel_unshuffle(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Image image(call, self);
  const auto by = call.get<int64_t>(1);
  if (by < 1) fail_argument(call.op(), "downscale_factor", "above 0", by);
  if (image.height % by != 0 || image.width % by != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": self must have rows and columns that ", by,
                                        " divides, got sizes ", self.sizes()});
  }
  const Tensor split = call_reshape(
      self, image.sizes({image.channels, image.height / by, by, image.width / by, by}));
  call.give(0, call_reshape(
                   permuted(split, image.order({0, 2, 4, 1, 3})),
                   image.sizes({image.channels * by * by, image.height / by, image.width / by})));
}

void channel_shuffle(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transposed(
      "aten::transpose.int");
  const Tensor self = *call.get<Tensor>(0);
  const auto groups = call.get<int64_t>(1);
  if (self.ndim() < 3) fail_argument(call.op(), "self", "of 3 dims at least", self.sizes());
  const int64_t channels = self.sizes()[1];
  if (groups < 1 || channels % groups != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": groups must divide the ", channels, " channels, got ", groups});
  }
  Dims split(self.sizes());
  split[1] = groups;
  split.insert(2, channels / groups);
  call.give(0, call_reshape(transposed(call_reshape(self, split), 1, 2), self.sizes()));
}

}  // namespace tenon::kernels::ops
