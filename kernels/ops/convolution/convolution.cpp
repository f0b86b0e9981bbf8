// SPDX-License-Identifier: Apache-2.0
// Argument checks and results of aten::convolution, and its gradients as compositions of operators.
#include "kernels/ops/convolution/convolution.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels {
namespace {

void read_window(const Call& call, int stride, Sizes kernel, ConvolutionShape* shape) {
  const auto count = static_cast<int64_t>(kernel.size());
  for (int64_t d = 0; d < count; ++d) {
    shape->along[d].kernel = kernel[static_cast<size_t>(d)];
    if (shape->along[d].kernel < 1) {
      fail_argument(call.op(), "weight", "have a kernel of at least 1 element", kernel);
    }
  }
  read_slides(call, stride, 1, count, &Slide::stride, shape->along);
  read_slides(call, stride + 1, 0, count, &Slide::padding, shape->along);
  read_slides(call, stride + 2, 1, count, &Slide::dilation, shape->along);
  for (int64_t d = 0; d < count; ++d) shape->along[d].check(call.op());
}

// Returns the size of an image in which a window has this many positions, plus the output padding.
int64_t image_of(const char* op, const Slide& slide, int64_t places, int64_t output_padding) {
  const CheckedSize steps = CheckedSize(op, places - 1) * slide.stride;
  const CheckedSize reach = CheckedSize(op, slide.kernel - 1) * slide.dilation + 1;
  return (steps + reach - CheckedSize(op, slide.padding) * 2 + output_padding).value();
}

int64_t slides_of(const Call& call, const tenon_tensor_info& weight) {
  const int64_t slides = weight.ndim - 2;
  if (slides < 1 || slides > kMostSlides) {
    fail_argument(call.op(), "weight", "have 3, 4 or 5 dims", sizes_of(weight));
  }
  return slides;
}

}  // namespace

void check_convolution(const char* op, const Tensor& input, const Tensor& weight,
                       const std::optional<Tensor>& bias, int64_t slides, bool transposed,
                       int64_t groups) {
  const std::string dims = std::to_string(slides + 2);
  if (weight.ndim() != slides + 2)
    fail_argument(op, "weight", "have " + dims + " dims", weight.sizes());
  if (input.ndim() != slides + 1 && input.ndim() != slides + 2) {
    fail_argument(op, "input",
                  "have " + std::to_string(slides + 1) + " dims, or " + dims + " with a batch",
                  input.sizes());
  }
  if (groups < 1) fail_argument(op, "groups", "above 0", groups);
  const Sizes sizes = weight.sizes();
  const int64_t channels = input.sizes()[static_cast<size_t>(input.ndim() - slides - 1)];
  const int64_t all = (CheckedSize(op, sizes[1]) * groups).value();  // of all groups
  const int64_t wanted = transposed ? sizes[0] : all;
  if (channels != wanted) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": input must have ", wanted, " channels for weight of sizes ", sizes, " and ",
          groups, " groups, got ", input.sizes()});
  }
  if (sizes[0] % groups != 0 || sizes[0] == 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": weight must have ", transposed ? "input" : "output",
                                        " channels that ", groups, " groups share, got ", sizes});
  }
  const int64_t outputs = transposed ? all : sizes[0];
  if (bias && !(Dims(bias->sizes()) == Dims{outputs})) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": bias must have sizes [", outputs, "], got ", bias->sizes()});
  }
  check_dtype_of(op, "weight", weight.dtype(), "input", input.dtype());
  if (bias) check_dtype_of(op, "bias", bias->dtype(), "input", input.dtype());
}

Convolution convolution_plan(const Call& call) {
  const auto input = call.get<Tensor>(0), weight = call.get<Tensor>(1);
  const auto bias = call.get<std::optional<Tensor>>(2);
  const bool transposed = call.get<bool>(6);
  const auto groups = call.get<int64_t>(8);
  Convolution plan{};
  plan.input = input->info();
  plan.weight = weight->info();
  check_defined(call.op(), "input", plan.input);
  check_defined(call.op(), "weight", plan.weight);
  plan.has_bias = bias.has_value();
  if (bias) plan.bias = bias->info();
  plan.transposed = transposed;
  const int64_t slides = slides_of(call, plan.weight);
  if (plan.input.ndim != slides + 2) {
    fail_argument(call.op(), "input", "have " + std::to_string(slides + 2) + " dims",
                  sizes_of(plan.input));
  }
  check_convolution(call.op(), *input, *weight, bias, slides, transposed, groups);
  check_dtype(call.op(), "input", dtype_of_info(plan.input), NumberTypes());
  ConvolutionShape& shape = plan.shape;
  read_window(call, 3, sizes_of(plan.weight).subspan(2), &shape);
  shape.batch = plan.input.sizes[0];
  shape.groups = groups;
  const int64_t outputs = transposed ? plan.weight.sizes[1] * groups : plan.weight.sizes[0];
  shape.image_channels = transposed ? outputs : plan.input.sizes[1];
  shape.place_channels = transposed ? plan.input.sizes[1] : outputs;
  Slide extra[kMostSlides];
  for (Slide& slide : extra) slide.padding = 0;
  if (transposed) read_slides(call, 7, 0, slides, &Slide::padding, extra);
  Dims sizes{shape.batch, outputs};
  for (int64_t d = 0; d < slides; ++d) {
    const Slide& slide = shape.along[d];
    const int64_t size = plan.input.sizes[d + 2];
    if (transposed) {
      if (extra[d].padding >= std::max(slide.stride, slide.dilation)) {
        fail_argument(call.op(), "output_padding", "below the stride or the dilation",
                      extra[d].padding);
      }
      shape.places[d] = size;
      shape.image[d] = image_of(call.op(), slide, size, extra[d].padding);
      if (size < 1 || shape.image[d] < 1) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": input must give at least 1 output element in each dim, got sizes ",
              sizes_of(plan.input), ", for which dim ", d + 2, " of the output has size ",
              shape.image[d]});
      }
      sizes.push_back(shape.image[d]);
    } else {
      shape.image[d] = size;
      shape.places[d] = slide.places(call.op(), size);
      sizes.push_back(shape.places[d]);
    }
  }
  std::optional<Dims> strides = channels_last_like(call.op(), plan.input, sizes);
  if (!strides) strides = channels_last_like(call.op(), plan.weight, sizes);
  plan.result = result_for(call, sizes, dtype_of_info(plan.input), Device(plan.input.device),
                           strides ? strides->begin() : nullptr);
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), plan.result.info(), plan.input);
    check_no_overlap(call.op(), plan.result.info(), plan.weight);
    if (plan.has_bias) check_no_overlap(call.op(), plan.result.info(), plan.bias);
  }
  return plan;
}

ConvolutionWeight convolution_weight_plan(const Call& call) {
  const tenon_tensor_info grad = call.get<Tensor>(0)->info();
  const tenon_tensor_info input = call.get<Tensor>(1)->info();
  check_defined(call.op(), "grad_output", grad);
  check_defined(call.op(), "input", input);
  const auto weight = call.get<Sizes>(2);
  const bool transposed = call.get<bool>(6);
  const auto groups = call.get<int64_t>(7);
  const auto slides = static_cast<int64_t>(weight.size()) - 2;
  const bool has_dims = slides >= 1 && slides <= kMostSlides && grad.ndim == slides + 2 &&
                        input.ndim == slides + 2 && groups >= 1;
  ConvolutionWeight plan{};
  plan.image = transposed ? grad : input;
  plan.at_places = transposed ? input : grad;
  ConvolutionShape& shape = plan.shape;
  bool fits = has_dims && plan.image.sizes[0] == plan.at_places.sizes[0] &&
              plan.at_places.sizes[1] == weight[0] &&
              plan.image.sizes[1] == (CheckedSize(call.op(), weight[1]) * groups).value() &&
              weight[0] % groups == 0;
  if (fits) {
    read_window(call, 3, weight.subspan(2), &shape);
    shape.batch = plan.image.sizes[0];
    shape.groups = groups;
    shape.image_channels = plan.image.sizes[1];
    shape.place_channels = plan.at_places.sizes[1];
    for (int64_t d = 0; d < slides; ++d) {
      shape.image[d] = plan.image.sizes[d + 2];
      shape.places[d] = plan.at_places.sizes[d + 2];
      // A transposed convolution may have left out elements that the last step does not reach.
      fits = fits && shape.along[d].places(call.op(), shape.image[d]) >= shape.places[d];
    }
  }
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": grad_output must have the sizes of a convolution of input by a weight of ",
          weight, ", got ", sizes_of(grad), " for ", sizes_of(input)});
  }
  check_dtype_of(call.op(), "grad_output", dtype_of_info(grad), "input", dtype_of_info(input));
  check_dtype(call.op(), "input", dtype_of_info(input), NumberTypes());
  plan.result = result_for(call, weight, dtype_of_info(input), Device(input.device));
  return plan;
}

namespace ops {
namespace {

Tensor convolution_in_words(const Tensor& input, const Tensor& weight, Sizes strides,
                            Sizes paddings, Sizes dilations, bool transposed,
                            const SymbolicDims& output_padding, int64_t groups) {
  const auto list = [](Sizes numbers) {
    return tenon_value_of_ints(numbers.data(), static_cast<uint32_t>(numbers.size()));
  };
  tenon_value args[] = {tenon_value_of_tensor(input.get()),
                        tenon_value_of_tensor(weight.get()),
                        tenon_value_of_none(),
                        list(strides),
                        list(paddings),
                        list(dilations),
                        tenon_value_of_bool(transposed ? 1 : 0),
                        sizes_value(output_padding),
                        tenon_value_of_int(groups)};
  return call_boxed("aten::convolution", args, 9);
}

// Returns one number for each dim from a list that may have a single one for all.
Dims for_each(Sizes numbers, int64_t count) {
  return numbers.size() == 1 ? Dims::filled(count, numbers[0]) : Dims(numbers);
}

// Returns a convolution whose result has these sizes: by output padding if transposed, otherwise by
// leaving out the last positions.
Tensor convolution_of_size(const char* op, const Tensor& input, const Tensor& weight,
                           const SymbolicDims& sizes, Sizes strides, Sizes paddings,
                           Sizes dilations, bool transposed, int64_t groups) {
  const int64_t slides = weight.ndim() - 2;
  if (slides < 1 || input.ndim() != slides + 2 || sizes.size() != slides + 2) {
    fail_argument(op, "weight", "have as many dims as the input", text_of(words_of(weight)));
  }
  SymbolicDims padding = SymbolicDims::filled(slides, 0);
  const Dims stride = for_each(strides, slides), pad = for_each(paddings, slides),
             dilation = for_each(dilations, slides);
  for (int64_t d = 0; d < slides && transposed; ++d) {
    // See image_of().
    const SymbolicSize reach = (word_along(weight, d + 2) - 1) * dilation[d] + 1;
    padding[d] = sizes[d + 2] -
                 ((word_along(input, d + 2) - 1) * stride[d] - SymbolicSize(pad[d]) * 2 + reach);
  }
  Tensor result = convolution_in_words(input, weight, strides, paddings, dilations, transposed,
                                       padding, groups);
  for (int64_t d = 0; d < slides && !transposed; ++d) {
    const SymbolicSize wanted = sizes[d + 2];
    if (word_along(result, d + 2) > wanted) {
      result = call_slice(result, d + 2, SymbolicSize(0), wanted);
    }
  }
  return result;
}

Tensor bias_gradient(const Tensor& grad) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      sum("aten::sum.dim_IntList");
  Dims dims{0};
  for (int64_t d = 2; d < grad.ndim(); ++d) dims.push_back(d);
  return sum(grad, Sizes(dims), false, std::nullopt);
}

}  // namespace

void convolution_meta(const Call& call) {
  Convolution plan = convolution_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void convolution_weight_meta(const Call& call) {
  ConvolutionWeight plan = convolution_weight_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void convolution_backward_input(const Call& call) {
  call.give(0, convolution_of_size(call.op(), *call.get<Tensor>(0), *call.get<Tensor>(2),
                                   sizes_argument(call, 1), call.get<Sizes>(3), call.get<Sizes>(4),
                                   call.get<Sizes>(5), !call.get<bool>(6), call.get<int64_t>(7)));
}

void convolution_from(const Call& call) {
  call.give(0, convolution_of_size(call.op(), *call.get<Tensor>(0), *call.get<Tensor>(1),
                                   sizes_argument(call, 2), call.get<Sizes>(3), call.get<Sizes>(4),
                                   call.get<Sizes>(5), call.get<bool>(6), call.get<int64_t>(7)));
}

void convolution_backward_bias(const Call& call) {
  const auto grad = call.get<Tensor>(0);
  if (grad->ndim() < 2)
    fail_argument(call.op(), "grad_output", "have at least 2 dims", text_of(words_of(*grad)));
  call.give(0, bias_gradient(*grad));
}

void convolution_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, Sizes, Sizes, Sizes, Sizes,
                                       bool, int64_t)>
      of_weight("tenon::convolution_backward_weight");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, const Tensor&, Sizes, Sizes, Sizes,
                                       bool, int64_t)>
      of_input("tenon::convolution_backward_input");
  const Tensor grad = *call.get<Tensor>(0), input = *call.get<Tensor>(1),
               weight = *call.get<Tensor>(2);
  const auto stride = call.get<Sizes>(4), padding = call.get<Sizes>(5),
             dilation = call.get<Sizes>(6);
  const bool transposed = call.get<bool>(7);
  const auto groups = call.get<int64_t>(9);
  const auto wanted = call.get<std::span<const uint8_t>>(10);
  if (wanted.size() != 3) {
    fail_argument(call.op(), "output_mask", "3 bools", static_cast<int64_t>(wanted.size()));
  }
  call.give(0, wanted[0] != 0 ? of_input(grad, input.sizes(), weight, stride, padding, dilation,
                                         transposed, groups)
                              : Tensor());
  call.give(1, wanted[1] != 0 ? of_weight(grad, input, weight.sizes(), stride, padding, dilation,
                                          transposed, groups)
                              : Tensor());
  call.give(2, wanted[2] != 0 ? bias_gradient(grad) : Tensor());
}

}  // namespace ops

}  // namespace tenon::kernels
