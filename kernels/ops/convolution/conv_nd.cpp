// SPDX-License-Identifier: Apache-2.0
// Implements aten::conv1d, conv2d, conv3d and the transposed ones by calling other operators.
#include "kernels/ops/convolution/conv_nd.h"

#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/symbolic/symbolic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/convolution/convolution.h"

namespace tenon::kernels::ops {
namespace {

struct ConvCall {
  Tensor input;
  Tensor weight;
  std::optional<Tensor> bias;
  bool has_batch;

  // Checks in the name of the calling operator; symbolic sizes are checked by aten::convolution.
  ConvCall(const Call& call, int64_t slides, bool transposed, int groups)
      : input(*call.get<Tensor>(0)),
        weight(*call.get<Tensor>(1)),
        bias(call.get<std::optional<Tensor>>(2)) {
    const auto has_numbers = [](const Tensor& tensor) {
      const SymbolicSizes sizes = SymbolicTensor(tensor.get()).sizes();
      return std::ranges::all_of(sizes, [](SymbolicSize size) { return size.is_number(); });
    };
    if (has_numbers(input) && has_numbers(weight)) {
      check_convolution(call.op(), input, weight, bias, slides, transposed,
                        call.get<int64_t>(groups));
    }
    has_batch = input.ndim() == slides + 2;
    if (!has_batch) input = call_unsqueeze(input, 0);
  }

  void give(const Call& call, Sizes stride, Sizes padding, Sizes dilation, bool transposed,
            Sizes output_padding, int64_t groups) const {
    static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, std::optional<Tensor>, Sizes,
                                         Sizes, Sizes, bool, Sizes, int64_t)>
        convolution("aten::convolution");
    static constinit const LazyOp<Tensor(const Tensor&, int64_t)> squeeze("aten::squeeze.dim");
    Tensor result = convolution(input, weight, bias, stride, padding, dilation, transposed,
                                output_padding, groups);
    call.give(0, has_batch ? std::move(result) : squeeze(result, 0));
  }
};

void run_conv(const Call& call, int64_t slides) {
  const ConvCall conv(call, slides, false, 6);
  conv.give(call, call.get<Sizes>(3), call.get<Sizes>(4), call.get<Sizes>(5), false,
            Dims::filled(slides, 0), call.get<int64_t>(6));
}

void run_conv_transpose(const Call& call, int64_t slides) {
  const ConvCall conv(call, slides, true, 6);
  conv.give(call, call.get<Sizes>(3), call.get<Sizes>(4), call.get<Sizes>(7), true,
            call.get<Sizes>(5), call.get<int64_t>(6));
}

// "valid" means no padding; "same" keeps the sizes. If "same" needs an odd number of elements, the
// end gets one more.
void run_conv_padding(const Call& call, int64_t slides) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, const Scalar&)> padded(
      "aten::constant_pad_nd");
  ConvCall conv(call, slides, false, 6);
  const auto word = call.get<std::string_view>(4);
  const auto stride = call.get<Sizes>(3), dilation = call.get<Sizes>(5);
  Dims padding = Dims::filled(slides, 0);
  Slide along[kMostSlides];
  read_slides(call, 5, 1, slides, &Slide::dilation, along);
  if (word == "same") {
    const bool moves = std::ranges::any_of(stride, [](int64_t step) { return step != 1; });
    if (moves) fail_argument(call.op(), "stride", "1 for padding 'same'", stride);
    Dims ends = Dims::filled(2 * slides, 0);
    bool is_uneven = false;
    for (int64_t d = 0; d < slides; ++d) {
      const CheckedSize gaps(call.op(), conv.weight.sizes()[static_cast<size_t>(d + 2)] - 1);
      const int64_t total = (gaps * along[d].dilation).value();
      padding[d] = total / 2;
      // Padding is listed from the last dim on, with the start before the end.
      ends[2 * (slides - 1 - d) + 1] = total % 2;
      is_uneven = is_uneven || total % 2 != 0;
    }
    if (is_uneven) conv.input = padded(conv.input, ends, Scalar(int64_t{0}));
  } else if (word != "valid") {
    fail_argument(call.op(), "padding", "'same' or 'valid'", std::string(word));
  }
  conv.give(call, stride, padding, dilation, false, Dims::filled(slides, 0), call.get<int64_t>(6));
}

}  // namespace

void conv1d(const Call& call) { run_conv(call, 1); }
void conv2d(const Call& call) { run_conv(call, 2); }
void conv3d(const Call& call) { run_conv(call, 3); }
void conv1d_padding(const Call& call) { run_conv_padding(call, 1); }
void conv2d_padding(const Call& call) { run_conv_padding(call, 2); }
void conv3d_padding(const Call& call) { run_conv_padding(call, 3); }
void conv_transpose1d(const Call& call) { run_conv_transpose(call, 1); }
void conv_transpose2d(const Call& call) { run_conv_transpose(call, 2); }
void conv_transpose3d(const Call& call) { run_conv_transpose(call, 3); }

}  // namespace tenon::kernels::ops
