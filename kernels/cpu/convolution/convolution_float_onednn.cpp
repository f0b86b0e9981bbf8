// SPDX-License-Identifier: Apache-2.0
// Convolutions of floats from oneDNN, which uses its own memory layouts. The primitives for a shape
// are cached for later calls. Work is distributed over our own threads: each computes a part of the
// batch, or of the channels of one image.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/cpu/convolution/convolution_float.h"
#include "kernels/cpu/onednn.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {

#if DNNL_VERSION_MAJOR == 2
namespace {

#define TENON_LATE(name) \
  constinit const LazyFunction<decltype(dnnl_##name)> name(TENON_ONEDNN, "dnnl_" #name)
TENON_LATE(engine_create);
TENON_LATE(stream_create);
TENON_LATE(stream_destroy);
TENON_LATE(memory_desc_init_by_strides);
TENON_LATE(memory_desc_init_by_tag);
TENON_LATE(memory_desc_equal);
TENON_LATE(memory_desc_get_size);
TENON_LATE(memory_create);
TENON_LATE(memory_destroy);
TENON_LATE(dilated_convolution_forward_desc_init);
TENON_LATE(dilated_convolution_backward_data_desc_init);
TENON_LATE(dilated_convolution_backward_weights_desc_init);
TENON_LATE(primitive_attr_create);
TENON_LATE(primitive_attr_destroy);
TENON_LATE(primitive_attr_set_scratchpad_mode);
TENON_LATE(primitive_desc_create);
TENON_LATE(primitive_desc_destroy);
TENON_LATE(primitive_desc_query_md);
TENON_LATE(primitive_create);
TENON_LATE(primitive_destroy);
TENON_LATE(primitive_execute);
TENON_LATE(reorder_primitive_desc_create);
#undef TENON_LATE

dnnl_engine_t engine(const char* op) {
  static std::mutex mutex;
  static dnnl_engine_t made = nullptr;  // lives as long as the library, which is never closed
  const std::lock_guard lock(mutex);
  if (made == nullptr) require(op, engine_create(&made, dnnl_cpu, 0));
  return made;
}

struct Primitive {
  dnnl_primitive_t handle = nullptr;
  Primitive() = default;
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  ~Primitive() {
    if (handle != nullptr) primitive_destroy(handle);
  }
};

// Owns a oneDNN handle and destroys it.
template <class Handle, const auto& kDestroy>
struct Owned {
  Handle handle = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle != nullptr) kDestroy(handle);
  }
};
using Description = Owned<dnnl_primitive_desc_t, primitive_desc_destroy>;
using Attributes = Owned<dnnl_primitive_attr_t, primitive_attr_destroy>;
using Stream = Owned<dnnl_stream_t, stream_destroy>;
using Memory = Owned<dnnl_memory_t, memory_destroy>;

// One tensor of a step: its row-major layout, and the layout that oneDNN has chosen.
struct Operand {
  dnnl_memory_desc_t given;
  dnnl_memory_desc_t wanted;
  Primitive reorder;  // converts between both layouts; empty if they are equal
};

struct Prepared {
  bool is_served = false;
  Primitive step;
  Operand image, weight, bias, places;
  size_t scratch = 0;  // bytes
  dnnl_memory_desc_t scratch_description;
};

// The key of a cached step: the shape, the kind of step, and whether there is a bias.
using Key = std::array<int64_t, 24>;

Key key_of(const ConvolutionShape& shape, ConvolutionStep step, bool has_bias) {
  Key key{shape.batch,
          shape.groups,
          shape.image_channels,
          shape.place_channels,
          static_cast<int64_t>(step),
          has_bias ? 1 : 0};
  size_t at = 6;
  for (int d = 0; d < kMostSlides; ++d) {
    const Slide& slide = shape.along[d];
    for (const int64_t number : {shape.image[d], shape.places[d], slide.kernel, slide.stride,
                                 slide.padding, slide.dilation}) {
      key[at++] = number;
    }
  }
  return key;
}

using Lengths = std::vector<dnnl_dim_t>;

void describe(const char* op, const Lengths& sizes, dnnl_memory_desc_t* given,
              dnnl_memory_desc_t* any) {
  Lengths strides(sizes.size(), 1);
  for (size_t d = sizes.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * sizes[d];
  const auto ndim = static_cast<int>(sizes.size());
  require(op, memory_desc_init_by_strides(given, ndim, sizes.data(), dnnl_f32, strides.data()));
  require(op, memory_desc_init_by_tag(any, ndim, sizes.data(), dnnl_f32, dnnl_format_tag_any));
}

void make_reorder(const char* op, Operand& operand, bool is_result) {
  if (memory_desc_equal(&operand.given, &operand.wanted) != 0) return;
  const dnnl_memory_desc_t* from = is_result ? &operand.wanted : &operand.given;
  const dnnl_memory_desc_t* to = is_result ? &operand.given : &operand.wanted;
  Description description;
  require(op, reorder_primitive_desc_create(&description.handle, from, engine(op), to, engine(op),
                                            nullptr));
  require(op, primitive_create(&operand.reorder.handle, description.handle));
}

struct Window2 {
  Lengths strides, dilations, before, behind;
};

// Initializes the descriptor of the operation for one of the three steps.
dnnl_status_t init(ConvolutionStep step, bool has_bias, const Window2& window,
                   const dnnl_memory_desc_t& image, const dnnl_memory_desc_t& weight,
                   const dnnl_memory_desc_t& bias, const dnnl_memory_desc_t& places,
                   dnnl_convolution_desc_t* out) {
  const auto* strides = window.strides.data();
  const auto* dilations = window.dilations.data();
  const auto* before = window.before.data();
  const auto* behind = window.behind.data();
  switch (step) {
    case ConvolutionStep::Image:
      return dilated_convolution_backward_data_desc_init(out, dnnl_convolution_direct, &image,
                                                         &weight, &places, strides, dilations,
                                                         before, behind);
    case ConvolutionStep::Weight:
      return dilated_convolution_backward_weights_desc_init(out, dnnl_convolution_direct, &image,
                                                            &weight, nullptr, &places, strides,
                                                            dilations, before, behind);
    default:
      return dilated_convolution_forward_desc_init(
          out, dnnl_forward_inference, dnnl_convolution_direct, &image, &weight,
          has_bias ? &bias : nullptr, &places, strides, dilations, before, behind);
  }
}

// Creates the descriptor of the primitive. For gradients, oneDNN requires that of the forward step
// as a hint.
dnnl_status_t create(const char* op, ConvolutionStep step, bool has_bias, const Window2& window,
                     const dnnl_memory_desc_t* descriptions, Description& description) {
  Attributes attributes;
  require(op, primitive_attr_create(&attributes.handle));
  require(op, primitive_attr_set_scratchpad_mode(attributes.handle, dnnl_scratchpad_mode_user));
  dnnl_convolution_desc_t forward, wanted;
  Description hint;
  dnnl_status_t status = init(step, has_bias, window, descriptions[0], descriptions[1],
                              descriptions[2], descriptions[3], &wanted);
  if (status == dnnl_success && step != ConvolutionStep::Forward) {
    status = init(ConvolutionStep::Forward, false, window, descriptions[0], descriptions[1],
                  descriptions[2], descriptions[3], &forward);
    if (status == dnnl_success) {
      status = primitive_desc_create(&hint.handle, &forward, nullptr, engine(op), nullptr);
    }
  }
  if (status != dnnl_success) return status;
  return primitive_desc_create(&description.handle, &wanted, attributes.handle, engine(op),
                               hint.handle);
}

Window2 window_of(const ConvolutionShape& shape, int first) {
  Window2 window;
  for (int d = first; d < kMostSlides; ++d) {
    const Slide& slide = shape.along[d];
    window.strides.push_back(slide.stride);
    window.dilations.push_back(slide.dilation - 1);
    window.before.push_back(slide.padding);
    // Pads the end by as much as the window at the last place extends past it.
    window.behind.push_back((shape.places[d] - 1) * slide.stride + slide.reach() - slide.padding -
                            shape.image[d]);
  }
  return window;
}

std::shared_ptr<Prepared> prepare(const char* op, const ConvolutionShape& shape,
                                  ConvolutionStep step, bool has_bias) {
  const bool is_flat = shape.image[0] == 1 && shape.places[0] == 1 && shape.along[0].kernel == 1;
  const int first = is_flat ? 1 : 0;
  Lengths image{shape.batch, shape.image_channels}, places{shape.batch, shape.place_channels};
  Lengths weight{shape.place_channels / shape.groups, shape.image_channels / shape.groups};
  if (shape.groups > 1) weight.insert(weight.begin(), shape.groups);
  for (int d = first; d < kMostSlides; ++d) {
    image.push_back(shape.image[d]);
    places.push_back(shape.places[d]);
    weight.push_back(shape.along[d].kernel);
  }
  auto made = std::make_shared<Prepared>();
  dnnl_memory_desc_t any[4];
  describe(op, image, &made->image.given, &any[0]);
  describe(op, weight, &made->weight.given, &any[1]);
  describe(op, {shape.place_channels}, &made->bias.given, &any[2]);
  describe(op, places, &made->places.given, &any[3]);
  Description description;
  // Shapes that oneDNN does not support are left to the other loops.
  if (create(op, step, has_bias, window_of(shape, first), any, description) != dnnl_success) {
    return made;
  }
  const auto wanted = [&](dnnl_query_t what) {
    return *primitive_desc_query_md(description.handle, what, 0);
  };
  const bool of_image = step == ConvolutionStep::Image, of_weight = step == ConvolutionStep::Weight;
  made->image.wanted = wanted(of_image ? dnnl_query_diff_src_md : dnnl_query_src_md);
  made->weight.wanted = wanted(of_weight ? dnnl_query_diff_weights_md : dnnl_query_weights_md);
  made->places.wanted =
      wanted(step == ConvolutionStep::Forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md);
  made->bias.wanted = made->bias.given;
  made->scratch_description = wanted(dnnl_query_scratchpad_md);
  made->scratch = memory_desc_get_size(&made->scratch_description);
  make_reorder(op, made->image, of_image);
  make_reorder(op, made->weight, of_weight);
  make_reorder(op, made->places, step == ConvolutionStep::Forward);
  require(op, primitive_create(&made->step.handle, description.handle));
  made->is_served = true;
  return made;
}

std::shared_ptr<Prepared> prepared(const char* op, const ConvolutionShape& shape,
                                   ConvolutionStep step, bool has_bias) {
  using Map = std::map<Key, std::shared_ptr<Prepared>>;
  static constinit std::mutex mutex;
  static constinit LazyStatic<Map> made;
  Map& all = made.get([] { return Map(); });
  constexpr size_t kMost = 512;
  const Key key = key_of(shape, step, has_bias);
  const std::lock_guard lock(mutex);
  if (const auto found = all.find(key); found != all.end()) return found->second;
  if (all.size() >= kMost) all.clear();
  // oneDNN generates code for the number of OpenMP threads at this moment.
  const SingleOpenMpThread single(onednn_open_mp());
  return all[key] = prepare(op, shape, step, has_bias);
}

// One call of a step: the memory objects of its operands, with buffers for those that have another
// layout in oneDNN.
class Run {
 public:
  Run(const char* op, const Prepared& with) : op_(op), with_(with) {
    require(op, stream_create(&stream_.handle, engine(op), dnnl_stream_default_flags));
  }

  void add(int number, const Operand& operand, float* data, bool is_result) {
    Memory& given = new_memory(operand.given, data);
    Memory* taken = &given;
    if (operand.reorder.handle != nullptr) {
      taken = &new_memory(operand.wanted, buffer(memory_desc_get_size(&operand.wanted)));
      if (is_result) {
        result_ = {&operand, &given, taken};
      } else {
        execute(operand.reorder, {{DNNL_ARG_FROM, given.handle}, {DNNL_ARG_TO, taken->handle}});
      }
    }
    arguments_.push_back({number, taken->handle});
  }

  void run() {
    if (with_.scratch != 0) {
      Memory& scratch = new_memory(with_.scratch_description, buffer(with_.scratch));
      arguments_.push_back({DNNL_ARG_SCRATCHPAD, scratch.handle});
    }
    execute(with_.step, arguments_);
    if (result_.operand == nullptr) return;
    execute(result_.operand->reorder,
            {{DNNL_ARG_FROM, result_.taken->handle}, {DNNL_ARG_TO, result_.given->handle}});
  }

 private:
  void execute(const Primitive& primitive, const std::vector<dnnl_exec_arg_t>& arguments) {
    require(op_, primitive_execute(primitive.handle, stream_.handle,
                                   static_cast<int>(arguments.size()), arguments.data()));
  }
  Memory& new_memory(const dnnl_memory_desc_t& description, void* data) {
    memories_.push_back(std::make_unique<Memory>());
    require(op_, memory_create(&memories_.back()->handle, &description, engine(op_), data));
    return *memories_.back();
  }
  void* buffer(size_t bytes) {
    buffers_.push_back(Tensor::empty(std::vector<int64_t>{static_cast<int64_t>(bytes)}, Dtype::U8));
    return buffers_.back().raw_data();
  }

  const char* op_;
  const Prepared& with_;
  Stream stream_;
  std::vector<Tensor> buffers_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
  struct {
    const Operand* operand = nullptr;
    Memory* given = nullptr;
    Memory* taken = nullptr;
  } result_;
};

// With fewer multiplications than this, the other loops finish before the library has started. A
// kernel of one element is not worth a library call either, because it is a plain matrix product.
constexpr int64_t kFewProducts = 32768;

double products_of(const ConvolutionShape& shape) {
  return static_cast<double>(shape.batch * shape.place_channels) *
         static_cast<double>(shape.image_channels / shape.groups) *
         static_cast<double>(shape.kernel_numel() * shape.places_numel());
}

bool is_worth_it(const ConvolutionShape& shape) {
  if (products_of(shape) < static_cast<double>(kFewProducts)) return false;
  if (sees_one_element(shape)) return false;
  for (int d = 0; d < kMostSlides; ++d) {
    // oneDNN requires exactly as many places as fit into the image and its padding.
    const Slide& slide = shape.along[d];
    const int64_t room = shape.image[d] + 2 * slide.padding - slide.reach();
    if (room < 0 || room / slide.stride + 1 != shape.places[d]) return false;
  }
  return true;
}

// How a step is split into parts: by images of the batch, or by the channels of the places of one
// image. The parts depend on the shape only, so that results do not depend on the number of
// threads.
struct Split {
  bool by_batch = false;
  int64_t count = 1;  // number of images or channels that are split
  int64_t each = 1;   // number of them in a part

  Split(const ConvolutionShape& shape, ConvolutionStep step) {
    // Number of multiplications for which it is worth waking a thread, and number for which each
    // part may convert the image to the library's layout again.
    constexpr double kEnough = 2e6, kMany = 2e7;
    constexpr int64_t kChannels = 32;
    const double products = products_of(shape);
    if (step != ConvolutionStep::Weight && shape.batch > 1) {
      by_batch = true;
      count = shape.batch;
      const double images = kEnough * static_cast<double>(count) / products;
      each = std::clamp<int64_t>(static_cast<int64_t>(images), 1, count);
    } else if (step == ConvolutionStep::Forward && shape.groups == 1 && products >= kMany &&
               shape.place_channels >= 2 * kChannels) {
      count = shape.place_channels;
      each = std::max(kChannels, (count / 4 + 15) / 16 * 16);
    }
  }

  ConvolutionShape part(ConvolutionShape shape, int64_t size) const {
    if (count == 1) return shape;
    (by_batch ? shape.batch : shape.place_channels) = size;
    return shape;
  }
};

// The operands of a part: the addresses of their first elements.
struct Operands {
  float* image;
  float* weight;
  const float* bias;
  float* places;

  Operands at(const ConvolutionShape& shape, const Split& split, int64_t first) const {
    Operands part = *this;
    const int64_t kernel = shape.image_channels / shape.groups * shape.kernel_numel();
    if (split.by_batch) {
      part.image += first * shape.image_channels * shape.image_numel();
      part.places += first * shape.place_channels * shape.places_numel();
    } else {
      part.weight += first * kernel;
      part.places += first * shape.places_numel();
      if (bias != nullptr) part.bias += first;
    }
    return part;
  }
};

void run_part(const char* op, ConvolutionStep step, const Prepared& with, const Operands& on) {
  const SingleOpenMpThread single(onednn_open_mp());
  const bool forward = step == ConvolutionStep::Forward, to_image = step == ConvolutionStep::Image,
             to_weight = step == ConvolutionStep::Weight;
  Run run(op, with);
  run.add(to_image ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, with.image, on.image, to_image);
  run.add(to_weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, with.weight, on.weight, to_weight);
  if (on.bias != nullptr) {
    run.add(DNNL_ARG_BIAS, with.bias, const_cast<float*>(on.bias), false);
  }
  run.add(forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, with.places, on.places, forward);
  run.run();
}

}  // namespace

bool library_convolution(const char* op, ConvolutionStep step, const ConvolutionShape& shape,
                         float* image, float* weight, const float* bias, float* places) {
  if (!is_worth_it(shape)) return false;
  const Split split(shape, step);
  const int64_t rest = split.count % split.each;
  const auto with = [&](int64_t size) {
    return prepared(op, split.part(shape, size), step, bias != nullptr);
  };
  const std::shared_ptr<Prepared> whole = with(split.each);
  const std::shared_ptr<Prepared> last = rest != 0 ? with(rest) : whole;
  if (!whole->is_served || !last->is_served) return false;
  const Operands operands{image, weight, bias, places};
  parallel_for(split.count, split.each, [&](int64_t begin, int64_t end) {
    const Prepared& part = end - begin == split.each ? *whole : *last;
    run_part(op, step, part, operands.at(shape, split, begin));
  });
  return true;
}
#else
// Other versions of oneDNN than 2 create primitives with other functions.
bool library_convolution(const char*, ConvolutionStep, const ConvolutionShape&, float*, float*,
                         const float*, float*) {
  return false;
}
#endif

}  // namespace tenon::kernels::cpu
