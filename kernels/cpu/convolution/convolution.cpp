// SPDX-License-Identifier: Apache-2.0
// aten::convolution on the CPU, and the gradient of its weight. Floats use a library if the build
// found one. Otherwise a convolution is a matrix product (im2col): one factor has a column for each
// place of the window, with the elements that the window sees there. Depthwise convolutions have
// their own loops: depthwise.h.
#include "kernels/ops/convolution/convolution.h"

#include <optional>

#include "kernels/cpu/convolution/convolution_float.h"
#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/matmul/gemm.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// One element of the kernel: its index along each dim of an image.
struct Tap {
  int64_t at[kMostSlides];
  Tap(const ConvolutionShape& shape, int64_t k) {
    for (int d = kMostSlides - 1; d >= 0; --d) {
      at[d] = k % shape.along[d].kernel;
      k /= shape.along[d].kernel;
    }
  }
};

int64_t image_at(const Slide& slide, int64_t place, int64_t tap) {
  return place * slide.stride - slide.padding + tap * slide.dilation;
}

// The range of places, within 0 to `count`, at which a tap meets an element of the image instead of
// its padding.
struct PlaceRange {
  int64_t begin;
  int64_t end;
  PlaceRange(const Slide& slide, int64_t tap, int64_t size, int64_t count) {
    const int64_t first = image_at(slide, 0, tap);
    begin = first >= 0 ? 0 : (-first + slide.stride - 1) / slide.stride;
    end = size <= first ? 0 : (size - 1 - first) / slide.stride + 1;
    end = std::min(end, count);
    begin = std::min(begin, end);
  }
};

// Calls `row(line, places)` for each row of places: the index of the image's line that a tap meets
// there, or -1 if that is padding, and the index of the row.
template <class Row>
void each_row(const ConvolutionShape& shape, const Tap& tap, Row&& row) {
  for (int64_t z = 0; z < shape.places[0]; ++z) {
    const int64_t at_z = image_at(shape.along[0], z, tap.at[0]);
    for (int64_t y = 0; y < shape.places[1]; ++y) {
      const int64_t at_y = image_at(shape.along[1], y, tap.at[1]);
      const bool is_inside =
          at_z >= 0 && at_z < shape.image[0] && at_y >= 0 && at_y < shape.image[1];
      row(is_inside ? at_z * shape.image[1] + at_y : -1, z * shape.places[1] + y);
    }
  }
}

// ---- Columns ------------------------------------------------------------------------------------

// Returns a shape whose first `slides` dims are moved to the end, because the loops here expect the
// window to slide along the last dims. All other dims have size 1.
ConvolutionShape with_last_dims(ConvolutionShape shape, int64_t slides) {
  for (int64_t d = kMostSlides - 1; d >= 0; --d) {
    const int64_t from = d - (kMostSlides - slides);
    shape.image[d] = from >= 0 ? shape.image[from] : 1;
    shape.places[d] = from >= 0 ? shape.places[from] : 1;
    shape.along[d] = from >= 0 ? shape.along[from] : Slide{};
  }
  return shape;
}

// Fills one row of the columns: the element that a tap meets in one channel, for each place.
template <class T>
void column_row(const ConvolutionShape& shape, const T* plane, const Tap& tap, T* out) {
  const Slide& across = shape.along[2];
  const PlaceRange inside(across, tap.at[2], shape.image[2], shape.places[2]);
  const int64_t first = image_at(across, inside.begin, tap.at[2]);
  each_row(shape, tap, [&](int64_t line, int64_t places) {
    T* const to = out + places * shape.places[2];
    if (line < 0) {
      std::fill_n(to, shape.places[2], T(0));
      return;
    }
    const T* const from = plane + line * shape.image[2] + first;
    std::fill_n(to, inside.begin, T(0));
    const int64_t count = inside.end - inside.begin;
    if (across.stride == 1) {
      std::copy_n(from, count, to + inside.begin);
    } else {
      for (int64_t x = 0; x < count; ++x) to[inside.begin + x] = from[x * across.stride];
    }
    std::fill_n(to + inside.end, shape.places[2] - inside.end, T(0));
  });
}

// Fills the columns for the channels of one group of one image.
template <class T>
void columns_of(const ConvolutionShape& shape, const T* image, T* columns) {
  const int64_t taps = shape.kernel_numel(), places = shape.places_numel();
  const int64_t rows = shape.image_channels / shape.groups * taps;
  parallel_for(rows, std::max<int64_t>(kGrain / places, 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      column_row(shape, image + r / taps * shape.image_numel(), Tap(shape, r % taps),
                 columns + r * places);
    }
  });
}

// Reverses columns_of(): adds each element of the columns to the image's element that it is from.
template <class T>
void add_columns(const ConvolutionShape& shape, const T* columns, T* image) {
  const int64_t taps = shape.kernel_numel(), places = shape.places_numel();
  const int64_t channels = shape.image_channels / shape.groups;
  const Slide& across = shape.along[2];
  const int64_t grain = std::max<int64_t>(kGrain / (places * taps), 1);
  parallel_for(channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin * taps; r < end * taps; ++r) {
      const Tap tap(shape, r % taps);
      const PlaceRange inside(across, tap.at[2], shape.image[2], shape.places[2]);
      const int64_t first = image_at(across, inside.begin, tap.at[2]);
      T* const plane = image + r / taps * shape.image_numel();
      each_row(shape, tap, [&](int64_t line, int64_t row) {
        if (line < 0) return;
        T* const to = plane + line * shape.image[2] + first;
        const T* const from = columns + r * places + row * shape.places[2] + inside.begin;
        for (int64_t x = 0; x < inside.end - inside.begin; ++x) {
          to[x * across.stride] = static_cast<T>(to[x * across.stride] + from[x]);
        }
      });
    }
  });
}

// ---- Products -----------------------------------------------------------------------------------

// Return row-major data as a matrix, and as the transpose of that matrix.
template <class T>
Matrix matrix(const T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns, columns, 1};
}
template <class T>
Matrix turned(const T* data, int64_t rows, int64_t columns) {
  return {data, columns, rows, 1, columns};
}

template <class T>
void add_bias(const ConvolutionShape& shape, const T* bias, int64_t channels, int64_t numel,
              T* result) {
  parallel_for(shape.batch * channels, std::max<int64_t>(kGrain / numel, 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   T* const row = result + r * numel;
                   const T added = bias[r % channels];
                   for (int64_t i = 0; i < numel; ++i) row[i] = static_cast<T>(row[i] + added);
                 }
               });
}

// Sizes of one group's part of the tensors.
struct GroupSizes {
  int64_t image;   // elements of one image
  int64_t places;  // elements at the places of one image
  int64_t weight;
  int64_t channels;  // channels of the image
  int64_t outputs;   // channels at the places
  int64_t seen;      // elements that the window sees at one place
  explicit GroupSizes(const ConvolutionShape& shape)
      : image(shape.image_channels / shape.groups * shape.image_numel()),
        places(shape.place_channels / shape.groups * shape.places_numel()),
        weight(shape.place_channels / shape.groups * shape.image_channels / shape.groups *
               shape.kernel_numel()),
        channels(shape.image_channels / shape.groups),
        outputs(shape.place_channels / shape.groups),
        seen(channels * shape.kernel_numel()) {}
};

template <class T>
void forward(const char* op, const ConvolutionShape& shape, const T* image, const T* weight,
             T* places) {
  const GroupSizes sizes(shape);
  const bool is_plain = sees_one_element(shape);
  const Buffer<T> columns(is_plain ? 0 : sizes.seen * shape.places_numel());
  for (int64_t i = 0; i < shape.batch * shape.groups; ++i) {
    const int64_t group = i % shape.groups;
    const T* seen = image + i * sizes.image;
    if (!is_plain) {
      columns_of(shape, seen, columns.data());
      seen = columns.data();
    }
    gemm(op, element_dtype<T>, matrix(weight + group * sizes.weight, sizes.outputs, sizes.seen),
         matrix(seen, sizes.seen, shape.places_numel()), places + i * sizes.places);
  }
}

template <class T>
void to_image(const char* op, const ConvolutionShape& shape, const T* places, const T* weight,
              T* image) {
  const GroupSizes sizes(shape);
  const bool is_plain = sees_one_element(shape);
  const Buffer<T> columns(is_plain ? 0 : sizes.seen * shape.places_numel());
  if (!is_plain) std::fill_n(image, shape.batch * shape.groups * sizes.image, T(0));
  for (int64_t i = 0; i < shape.batch * shape.groups; ++i) {
    const int64_t group = i % shape.groups;
    T* const product = is_plain ? image + i * sizes.image : columns.data();
    gemm(op, element_dtype<T>, turned(weight + group * sizes.weight, sizes.outputs, sizes.seen),
         matrix(places + i * sizes.places, sizes.outputs, shape.places_numel()), product);
    if (!is_plain) add_columns(shape, product, image + i * sizes.image);
  }
}

template <class T>
void to_weight(const char* op, const ConvolutionShape& shape, const T* image, const T* places,
               T* weight) {
  const GroupSizes sizes(shape);
  const bool is_plain = sees_one_element(shape);
  const Buffer<T> columns(is_plain ? 0 : sizes.seen * shape.places_numel());
  const Buffer<T> product(shape.batch > 1 ? sizes.weight : 0);
  for (int64_t i = 0; i < shape.batch * shape.groups; ++i) {
    const int64_t group = i % shape.groups;
    const T* seen = image + i * sizes.image;
    if (!is_plain) {
      columns_of(shape, seen, columns.data());
      seen = columns.data();
    }
    T* const sum = weight + group * sizes.weight;
    T* const out = i < shape.groups ? sum : product.data();
    gemm(op, element_dtype<T>,
         matrix(places + i * sizes.places, sizes.outputs, shape.places_numel()),
         turned(seen, sizes.seen, shape.places_numel()), out);
    for (int64_t k = 0; out != sum && k < sizes.weight; ++k) {
      sum[k] = static_cast<T>(sum[k] + out[k]);
    }
  }
}

// ---- Tensors ------------------------------------------------------------------------------------

template <class T>
constexpr bool is_real_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Computes the places from an image, without the bias.
template <class T>
void run_forward(const char* op, const ConvolutionShape& shape, T* image, T* weight, T* places) {
  if constexpr (is_real_float<T>) {
    if (is_depthwise(shape)) return depthwise_to_places(shape, image, weight, places);
  }
  forward<T>(op, shape, image, weight, places);
}

// Computes an image from the places, without the bias.
template <class T>
void run_to_image(const char* op, const ConvolutionShape& shape, T* image, T* weight, T* places) {
  if constexpr (is_real_float<T>) {
    if (is_depthwise(shape) && depthwise_to_image(shape, places, weight, image)) return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (library_convolution(op, ConvolutionStep::Image, shape, image, weight, nullptr, places)) {
      return;
    }
  }
  to_image<T>(op, shape, places, weight, image);
}

template <class T>
void run(const char* op, const Convolution& plan, const ConvolutionShape& shape, T* input,
         T* weight, const T* bias, T* result) {
  if (plan.transposed) {
    run_to_image<T>(op, shape, result, weight, input);
    if (bias != nullptr) add_bias(shape, bias, shape.image_channels, shape.image_numel(), result);
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (!is_depthwise(shape) &&
        library_convolution(op, ConvolutionStep::Forward, shape, input, weight, bias, result)) {
      return;
    }
  }
  run_forward<T>(op, shape, input, weight, result);
  if (bias != nullptr) add_bias(shape, bias, shape.place_channels, shape.places_numel(), result);
}

using WideTypes = Joined<IntegerTypes, ElementTypes<float, double>, ComplexTypes>;

void convolution(const Call& call) {
  Convolution plan = convolution_plan(call);
  const tenon_tensor_info result = plan.result.info();
  const Dtype wide = wide_of(dtype_of_info(result));
  const ConvolutionShape shape = with_last_dims(plan.shape, plan.input.ndim - 2);
  if (result.numel != 0) {
    visit(call.op(), "input", wide, WideTypes(), [&]<class T>(Element<T>) {
      const RowMajor input(plan.input, wide), weight(plan.weight, wide);
      std::optional<RowMajor> bias;
      if (plan.has_bias) bias.emplace(plan.bias, wide);
      const RowMajorResult target(result, wide);
      run<T>(call.op(), plan, shape, input.data<T>(), weight.data<T>(),
             bias ? bias->data<T>() : nullptr, target.data<T>());
      target.finish();
    });
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void convolution_weight(const Call& call) {
  ConvolutionWeight plan = convolution_weight_plan(call);
  const tenon_tensor_info result = plan.result.info();
  const Dtype wide = wide_of(dtype_of_info(result));
  const ConvolutionShape shape = with_last_dims(plan.shape, plan.image.ndim - 2);
  if (result.numel != 0) {
    visit(call.op(), "input", wide, WideTypes(), [&]<class T>(Element<T>) {
      const RowMajor image(plan.image, wide), places(plan.at_places, wide);
      const RowMajorResult target(result, wide);
      T* const weight = target.data<T>();
      bool is_done = plan.at_places.numel == 0;
      if (is_done) std::fill_n(weight, result.numel, T(0));
      if constexpr (is_real_float<T>) {
        is_done = is_done || (is_depthwise(shape) && depthwise_to_weight(shape, image.data<T>(),
                                                                         places.data<T>(), weight));
      }
      if constexpr (std::is_same_v<T, float>) {
        is_done =
            is_done || library_convolution(call.op(), ConvolutionStep::Weight, shape,
                                           image.data<T>(), weight, nullptr, places.data<T>());
      }
      if (!is_done) to_weight<T>(call.op(), shape, image.data<T>(), places.data<T>(), weight);
      target.finish();
    });
  }
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace

Operator operator_kConvolution() { return routine_of<ops::kConvolution, &convolution>(); }
Operator operator_kConvolutionBackwardWeight() {
  return routine_of<ops::kConvolutionBackwardWeight, &convolution_weight>("tenon");
}

}  // namespace tenon::kernels::cpu
