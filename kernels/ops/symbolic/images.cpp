// SPDX-License-Identifier: Apache-2.0
// Symbolic rules of operators that slide a window or transform along dims.
#include "kernels/common/allocation.h"
#include "kernels/common/resampling.h"
#include "kernels/ops/symbolic/marks.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {

namespace {

// A call whose tensors have size 1 in their first dims, and concrete sizes in all further dims.
class NumberedCall {
 public:
  explicit NumberedCall(const Call& call)
      : call_(call), args_(call.args, call.args + call.form.arguments) {
    for (tenon_value& arg : args_) arg.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  }

  void replace_tensor(int k, int64_t first) {
    if (args_[static_cast<size_t>(k)].tag != TENON_TAG_TENSOR) return;
    const SymbolicTensor words(call_.tensor(k));
    if (words.ndim() == 0) return;
    Dims sizes;
    for (int64_t d = 0; d < words.ndim(); ++d) {
      sizes.push_back(d < first ? 1 : number_of(words.sizes()[static_cast<size_t>(d)]));
    }
    tensors_.push_back(
        allocate(sizes, dtype_of_info(words.info), Device(words.info.device), nullptr));
    args_[static_cast<size_t>(k)].as.tensor = tensors_.back().get();
  }

  void replace_sizes(int k, int64_t first) {
    const SymbolicDims words = sizes_argument(call_, k);
    std::vector<int64_t> sizes;
    for (int64_t d = 0; d < words.size(); ++d) sizes.push_back(d < first ? 1 : number_of(words[d]));
    lists_.push_back(std::move(sizes));
    args_[static_cast<size_t>(k)] =
        tenon_value_of_ints(lists_.back().data(), static_cast<uint32_t>(lists_.back().size()));
  }

  // Returns results whose first dims are those of argument 0, or of a list of sizes.
  void run(const SymbolicDims& first) const {
    std::vector<tenon_value> results(static_cast<size_t>(call_.form.results),
                                     tenon_value_of_none());
    call_.facts().family->run(Call{call_.form, args_.data(), results.data()});
    for (size_t k = 0; k < results.size(); ++k) {
      const Tensor made(results[k].as.tensor);
      SymbolicDims sizes(SymbolicTensor(made.get()).sizes());
      for (int64_t d = 0; d < first.size(); ++d) sizes[d] = first[d];
      call_.give(static_cast<int>(k), new_symbolic(made, sizes));
    }
  }

 private:
  const Call& call_;
  std::vector<tenon_value> args_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<int64_t>> lists_;
};

SymbolicDims first_dims(tenon_tensor* tensor, int64_t count) {
  SymbolicDims sizes(SymbolicTensor(tensor).sizes());
  sizes.resize(std::clamp<int64_t>(count, 0, sizes.size()));
  return sizes;
}

// Returns an argument's number for one of several dims; a single number applies to all.
SymbolicSize number_for(const SymbolicDims& numbers, int64_t d) {
  return numbers[numbers.size() == 1 ? 0 : d];
}

// See Slide::places().
SymbolicSize places_of(const Slide& slide, SymbolicSize size, bool ceil) {
  const SymbolicSize padding = SymbolicSize(slide.padding) * SymbolicSize(2);
  const SymbolicSize reach =
      SymbolicSize(slide.kernel - 1) * SymbolicSize(slide.dilation) + SymbolicSize(1);
  const SymbolicSize room = size + (padding - reach);
  const SymbolicSize count = (room + SymbolicSize(ceil ? slide.stride - 1 : 0)) / slide.stride + 1;
  const bool begins_behind =
      ceil && slide.stride > 1 && (count - 1) * slide.stride >= size + SymbolicSize(slide.padding);
  return begins_behind ? count - 1 : count;
}

// The positions of the arguments of a window.
struct WindowArguments {
  int stride, padding, dilation, ceil;  // -1 if the operator does not have it
};

void pooled(const Call& call, const WindowArguments& at) {
  const int slides = slides_by_name(call);
  const Window window = Window::of(call, 1, at.stride, at.padding, at.dilation, slides);
  const SymbolicTensor self(call.tensor(0));
  if (self.ndim() < slides) return run_with_numbers(call);
  std::vector<MarkedCall::KnownSize> known;
  for (int64_t d = 0; d < slides; ++d) {
    const SymbolicSize size = self.sizes()[static_cast<size_t>(self.ndim() - slides + d)];
    const SymbolicSize places = places_of(window.along[d], size, call.get<bool>(at.ceil));
    if (places < 1) return run_with_numbers(call);
    known.push_back({d - slides, places});
  }
  if (!MarkedCall(call).run(known)) run_with_numbers(call);
}
void max_pool(const Call& call) { pooled(call, {2, 3, 4, 5}); }
void avg_pool(const Call& call) { pooled(call, {2, 3, -1, 4}); }

void im2col(const Call& call) {
  const Window window = Window::of(call, 1, 4, 3, 2);
  const SymbolicTensor self(call.tensor(0));
  if (self.ndim() < 3) return run_with_numbers(call);
  const auto first = static_cast<size_t>(self.ndim() - 3);
  SymbolicSize rows = self.sizes()[first], columns = 1;
  for (size_t d = 0; d < 2; ++d) {
    const SymbolicSize places = places_of(window.along[d], self.sizes()[first + 1 + d], false);
    if (places < 1) return run_with_numbers(call);
    columns *= places;
    rows *= window.along[d].kernel;
  }
  const MarkedCall::KnownSize known[] = {{-2, rows}, {-1, columns}};
  if (!MarkedCall(call).run(known)) run_with_numbers(call);
}

// Only the batch is symbolic: channels must match those of the weight.
void convolution_of_batch(const Call& call) {
  NumberedCall numbered(call);
  numbered.replace_tensor(0, 1);
  for (const int k : {1, 2}) numbered.replace_tensor(k, 0);
  for (const int k : {3, 4, 5, 7}) numbered.replace_sizes(k, 0);
  numbered.run(first_dims(call.tensor(0), 1));
}

void convolution(const Call& call) {
  const SymbolicTensor input(call.tensor(0)), weight(call.tensor(1));
  const int64_t slides = weight.ndim() - 2;
  const SymbolicDims stride = sizes_argument(call, 3), padding = sizes_argument(call, 4),
                     dilation = sizes_argument(call, 5), added = sizes_argument(call, 7);
  const bool fits = slides >= 1 && input.ndim() == weight.ndim() && !stride.empty() &&
                    !padding.empty() && !dilation.empty() && !added.empty();
  if (!fits) return convolution_of_batch(call);
  std::vector<MarkedCall::KnownSize> known;
  for (int64_t d = 0; d < slides; ++d) {
    const auto at = static_cast<size_t>(d + 2);
    const SymbolicSize size = input.sizes()[at], step = number_for(stride, d);
    const SymbolicSize reach = number_for(dilation, d) * (weight.sizes()[at] - 1);
    const SymbolicSize both_sides = number_for(padding, d) * 2;
    const SymbolicSize places =
        call.get<bool>(6) ? (size - 1) * step - both_sides + reach + number_for(added, d) + 1
                          : (size + both_sides - reach - 1) / step + 1;
    if (places < 1) return convolution_of_batch(call);
    known.push_back({d - slides, places});
  }
  // `known` includes the output padding already. The routine is run without it, so that it is not
  // compared with marks.
  std::vector<tenon_value> args(call.args, call.args + call.form.arguments);
  const std::vector<int64_t> none(static_cast<size_t>(added.size()), 0);
  if (call.get<bool>(6)) args[7] = tenon_value_of_ints(none.data(), args[7].count);
  if (!MarkedCall(Call{call.form, args.data(), call.results}).run(known)) {
    convolution_of_batch(call);
  }
}

// Makes a tensor like the gradient, with the sizes in argument 2.
void convolution_of_weight(const Call& call) {
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes_argument(call, 2)));
}

// Transforms of real numbers: half of the spectrum along the last given dim.
void fft_r2c(const Call& call) {
  const SymbolicTensor self(call.tensor(0));
  const auto dims = call.get<Sizes>(1);
  if (dims.empty() || !call.get<bool>(3) || self.ndim() == 0) return sized_by_arguments(call);
  const int64_t last = wrap_dim(call.op(), dims.back(), self.ndim());
  const SymbolicSize half = self.sizes()[static_cast<size_t>(last)] / 2 + 1;
  const MarkedCall::KnownSize known[] = {{last - self.ndim(), half}};
  if (!MarkedCall(call).run(known)) run_with_numbers(call);
}

void constant_pad(const Call& call) {
  SymbolicDims sizes(SymbolicTensor(call.tensor(0)).sizes());
  const SymbolicDims pad = sizes_argument(call, 1);
  if (pad.size() % 2 != 0 || pad.size() > 2 * sizes.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": pad must be an even number of numbers, at most ", 2 * sizes.size(),
          ", got ", text_of(pad)});
  }
  for (int64_t k = 0; k < pad.size(); ++k) sizes[sizes.size() - 1 - k / 2] += pad[k];
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes));
}

constexpr NamedRule kImageRules[] = {
    {"convolution", &convolution},
    {"convolution_backward_weight", &convolution_of_weight},
    {"avg_pool2d", &avg_pool},
    {"avg_pool3d", &avg_pool},
    {"max_pool2d_with_indices", &max_pool},
    {"max_pool3d_with_indices", &max_pool},
    {"im2col", &im2col},
    {"_fft_r2c", &fft_r2c},
    {"constant_pad_nd", &constant_pad},
};

}  // namespace

SymbolicRule symbolic_image_rule(const Facts& facts, Forms form) {
  return find_rule(kImageRules, facts, form);
}

}  // namespace tenon::kernels
