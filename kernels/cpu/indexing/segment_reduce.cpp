// SPDX-License-Identifier: Apache-2.0
// aten::segment_reduce and its gradient on the CPU. Small floats are computed as float and rounded
// after each step, as in PyTorch.
#include "kernels/ops/indexing/segment_reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Rounds a float to a small float's dtype; other dtypes are unchanged.
float rounded(Dtype dtype, float value) {
  if (dtype == Dtype::F16) return static_cast<float>(Half(value));
  return dtype == Dtype::BF16 ? static_cast<float>(BFloat16(value)) : value;
}
double rounded(Dtype, double value) { return value; }

// Returns the offsets of all segments: `count` + 1 for each outer index.
std::vector<int64_t> offsets_of(const Call& call, const Segments& segments, bool is_whole) {
  const RowMajor wide(segments.bounds.info(), Dtype::I64);
  const int64_t* at = wide.data<int64_t>();
  const char* const name = segments.are_offsets ? "offsets" : "lengths";
  std::vector<int64_t> offsets;
  for (int64_t k = 0; k < segments.outer; ++k) {
    int64_t place = segments.are_offsets ? *at++ : 0;
    offsets.push_back(place);
    for (int64_t i = 0; i < segments.count; ++i) {
      // The sum cannot overflow.
      const int64_t bound = std::clamp<int64_t>(*at++, -1, segments.along + 1);
      const int64_t next = segments.are_offsets ? bound : place + bound;
      if (next < place) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": ", name, " must not go back, got ", next, " behind ", place});
      }
      offsets.push_back(place = next);
    }
    const int64_t first = offsets[offsets.size() - static_cast<size_t>(segments.count) - 1];
    if (first < 0 || place > segments.along ||
        (is_whole && !segments.are_offsets && place != segments.along)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": ", name, " must end at ", segments.along,
                                          " elements, got segments of ", first, " to ", place});
    }
  }
  return offsets;
}

template <class C>
C first_of(const Segments& segments) {
  if (segments.initial) return static_cast<C>(*segments.initial);
  switch (segments.word) {
    case SegmentWord::Max:
      return -std::numeric_limits<C>::infinity();
    case SegmentWord::Min:
      return std::numeric_limits<C>::infinity();
    case SegmentWord::Prod:
      return C(1);
    default:
      return C(0);
  }
}

template <class C>
C joined_element(SegmentWord word, C so_far, C element) {
  switch (word) {
    case SegmentWord::Max:
      return element != element || element > so_far ? element : so_far;
    case SegmentWord::Min:
      return element != element || element < so_far ? element : so_far;
    case SegmentWord::Prod:
      return so_far * element;
    default:
      return so_far + element;
  }
}

// Calls `see(place, first, length)` for each segment of each column: its index among the results,
// the index of its first element, and its number of elements.
template <class See>
void each_segment(const Segments& segments, const std::vector<int64_t>& offsets, const See& see) {
  for (int64_t k = 0; k < segments.outer; ++k) {
    const int64_t* const at = offsets.data() + k * (segments.count + 1);
    for (int64_t i = 0; i < segments.count; ++i) {
      for (int64_t column = 0; column < segments.inner; ++column) {
        see((k * segments.count + i) * segments.inner + column,
            (k * segments.along + at[i]) * segments.inner + column, at[i + 1] - at[i]);
      }
    }
  }
}

template <class C>
void reduce_segments(const Segments& segments, const std::vector<int64_t>& offsets, const C* data,
                     C* result) {
  const Dtype dtype = segments.data.dtype();
  each_segment(segments, offsets, [&](int64_t place, int64_t first, int64_t length) {
    C value = rounded(dtype, first_of<C>(segments));
    for (int64_t j = 0; j < length; ++j) {
      const C element = data[first + j * segments.inner];
      value = rounded(dtype, joined_element(segments.word, value, element));
      if (value != value && segments.word != SegmentWord::Sum) break;
    }
    if (segments.word == SegmentWord::Mean) {
      if (length > 0) {
        value /= static_cast<C>(length);
      } else if (!segments.initial) {
        value = std::numeric_limits<C>::quiet_NaN();
      }
    }
    result[place] = value;
  });
}

// Returns the product without element `but`, for a gradient that cannot divide by that element.
template <class C>
C rest_of_product(const Segments& segments, const C* elements, int64_t length, int64_t but) {
  C product = first_of<C>(segments);
  for (int64_t j = 0; j < length; ++j) {
    if (j != but) product *= elements[j * segments.inner];
  }
  return product;
}

template <class C>
void share_gradients(const Segments& segments, const std::vector<int64_t>& offsets, const C* grads,
                     const C* outputs, const C* data, C* result) {
  const Dtype dtype = segments.data.dtype();
  each_segment(segments, offsets, [&](int64_t place, int64_t first, int64_t length) {
    const C grad = grads[place], output = outputs[place];
    const C* const elements = data + first;
    const bool is_extreme = segments.word == SegmentWord::Max || segments.word == SegmentWord::Min;
    int64_t equal = 0;
    for (int64_t j = 0; j < length; ++j) {
      const C element = elements[j * segments.inner];
      C part = grad;
      if (is_extreme) {
        const bool counts = element != element || element == output;
        equal += counts ? 1 : 0;
        part = counts ? grad : C(0);
      } else if (segments.word == SegmentWord::Mean) {
        part = grad / static_cast<C>(length);
      } else if (segments.word == SegmentWord::Prod) {
        part = element != element || element == 0
                   ? grad * rest_of_product<C>(segments, elements, length, j)
                   : rounded(dtype, grad * output) / element;
      }
      result[first + j * segments.inner] = part;
    }
    if (equal < 2) return;
    for (int64_t j = 0; j < length; ++j) {
      result[first + j * segments.inner] /= static_cast<C>(equal);
    }
  });
}

void segment_reduce(const Call& call) {
  const Segments segments = ops::segments_of(call);
  const std::vector<int64_t> offsets = offsets_of(call, segments, !call.get<bool>(6));
  Tensor result = ops::segment_result(call, segments);
  const Dtype dtype = wide_of(result.dtype());
  const RowMajor data(segments.data.info(), dtype);
  const Tensor made = Tensor::empty(result.sizes(), dtype);  // out may be an input
  visit(call.op(), "data", dtype, ElementTypes<float, double>(), [&]<class T>(Element<T>) {
    auto* const to = static_cast<T*>(made.raw_data());
    reduce_segments<T>(segments, offsets, data.data<T>(), to);
  });
  cast(result.info(), made.info());
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void segment_reduce_backward(const Call& call) {
  const Segments segments = ops::segments_of_backward(call);
  const std::vector<int64_t> offsets = offsets_of(call, segments, false);
  const Dtype own = segments.data.dtype(), dtype = wide_of(own);
  Tensor result = result_for(call, segments.data.sizes(), own, segments.data.device());
  const RowMajor data(segments.data.info(), dtype), grads(call.get<Tensor>(0)->info(), dtype),
      outputs(call.get<Tensor>(1)->info(), dtype);
  const Tensor made = Tensor::empty(result.sizes(), dtype);  // out may be an input
  visit(call.op(), "data", dtype, ElementTypes<float, double>(), [&]<class T>(Element<T>) {
    auto* const to = static_cast<T*>(made.raw_data());
    std::fill(to, to + result.numel(), T(0));
    share_gradients<T>(segments, offsets, grads.data<T>(), outputs.data<T>(), data.data<T>(), to);
  });
  cast(result.info(), made.info());
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kSegmentReduce() { return routine_of<ops::kSegmentReduce, &segment_reduce>(); }
Operator operator_kSegmentReduceBackward() {
  return routine_of<ops::kSegmentReduceBackward, &segment_reduce_backward>();
}

}  // namespace tenon::kernels::cpu
