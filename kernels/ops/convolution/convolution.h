// SPDX-License-Identifier: Apache-2.0
// aten::convolution: for each position of a window and each output channel, the sum of the window's
// elements times weights; transposed, each element is distributed to the elements of the window.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// The geometry of a convolution along three dims. The window moves over the image and stops at the
// places. A transposed convolution maps places to the image.
struct ConvolutionShape {
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t image_channels = 0;  // of all groups
  int64_t place_channels = 0;
  int64_t image[kMostSlides] = {1, 1, 1};
  int64_t places[kMostSlides] = {1, 1, 1};
  Slide along[kMostSlides];

  int64_t image_numel() const { return image[0] * image[1] * image[2]; }
  int64_t places_numel() const { return places[0] * places[1] * places[2]; }
  int64_t kernel_numel() const { return along[0].kernel * along[1].kernel * along[2].kernel; }
};

// Returns true if the window covers a single element and stops at each element.
inline bool sees_one_element(const ConvolutionShape& shape) {
  for (const Slide& slide : shape.along) {
    if (slide.kernel != 1 || slide.stride != 1 || slide.padding != 0) return false;
  }
  return true;
}

// One call of convolution.
struct Convolution {
  Tensor result;
  tenon_tensor_info input;
  tenon_tensor_info weight;
  tenon_tensor_info bias;  // undefined if there is no bias
  bool has_bias;
  bool transposed;
  ConvolutionShape shape;
};

// One call of convolution_backward_weight: the gradient of the weight, from the image and the
// values at the places.
struct ConvolutionWeight {
  Tensor result;
  tenon_tensor_info image;
  tenon_tensor_info at_places;
  ConvolutionShape shape;
};

// Checks the arguments and returns the result, which may be the call's `out`.
Convolution convolution_plan(const Call& call);
ConvolutionWeight convolution_weight_plan(const Call& call);

// Refuses an input, weight and bias that do not fit together, in the name of the calling operator.
// The input has a batch and `slides` dims after its channels, or one dim less without a batch.
void check_convolution(const char* op, const Tensor& input, const Tensor& weight,
                       const std::optional<Tensor>& bias, int64_t slides, bool transposed,
                       int64_t groups);

namespace ops {

void convolution_meta(const Call& call);

inline constexpr Facts kConvolution{
    .family = &kRoutine,
    .name = "convolution",
    .params =
        "Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
        "SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "input: convolution_backward_input(grad, input.sizes(), weight.conj(), stride, padding, "
        "dilation, transposed, groups); "
        "weight: convolution_backward_weight(grad, input.conj(), weight.sizes(), stride, padding, "
        "dilation, transposed, groups); "
        "bias: convolution_backward_bias(grad)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_convolution,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&convolution_meta},
};

void convolution_backward(const Call& call);

inline constexpr Facts kConvolutionBackward{
    .family = &kComposite,
    .name = "convolution_backward",
    .params =
        "Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, "
        "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, "
        "SymInt groups, bool[3] output_mask",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&convolution_backward},
};

void convolution_backward_input(const Call& call);

// The gradient of the input: a transposed convolution of the result's gradient, or a plain one if
// the forward one is transposed.
inline constexpr Facts kConvolutionBackwardInput{
    .family = &kComposite,
    .name = "convolution_backward_input",
    .params =
        "Tensor grad_output, SymInt[] input_size, Tensor weight, SymInt[] stride, "
        "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt groups",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&convolution_backward_input},
};

void convolution_weight_meta(const Call& call);

inline constexpr Facts kConvolutionBackwardWeight{
    .family = &kRoutine,
    .name = "convolution_backward_weight",
    .params =
        "Tensor grad_output, Tensor input, SymInt[] weight_size, SymInt[] stride, "
        "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt groups",
    .tags = "",
    .gradient =
        "grad_output: convolution_from(input.conj(), grad, grad_output.sizes(), stride, padding, "
        "dilation, transposed, groups); "
        "input: convolution_backward_input(grad_output.conj(), input.sizes(), grad, stride, "
        "padding, dilation, transposed, groups)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_convolution_weight,
    .cast = Cast::None,
    .routine = {&convolution_weight_meta},
};

void convolution_from(const Call& call);

// A convolution whose result has the given sizes.
inline constexpr Facts kConvolutionFrom{
    .family = &kComposite,
    .name = "convolution_from",
    .params =
        "Tensor input, Tensor weight, SymInt[] output_size, SymInt[] stride, SymInt[] padding, "
        "SymInt[] dilation, bool transposed, SymInt groups",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&convolution_from},
};

void convolution_backward_bias(const Call& call);

inline constexpr Facts kConvolutionBackwardBias{
    .family = &kComposite,
    .name = "convolution_backward_bias",
    .params = "Tensor grad_output",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&convolution_backward_bias},
};

}  // namespace ops

}  // namespace tenon::kernels
