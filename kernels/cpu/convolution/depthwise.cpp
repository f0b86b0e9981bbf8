// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions in tiles that stay in the L1 cache.
//
// The part of the image that a tile needs is copied into a buffer, with its padding. The buffer has
// one sub-plane for each combination of remainders of row and column modulo the strides. The
// elements that a tap of the kernel meets at adjacent places are then adjacent in a sub-plane,
// whatever the stride, so that one loop over the whole tile adds up all taps without testing for
// borders. At the end of each row the loop also computes elements that belong to no place; these
// are not copied to the result.
#include "kernels/cpu/convolution/depthwise.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kTileElements = 4096;  // 16 KiB of floats
constexpr int64_t kLongestRow = 2048;
constexpr int64_t kMostStride = 4;
// Size of the largest vector. Loops read up to kTogether such vectors beyond a buffer's end.
constexpr int64_t kMostBytes = 64;
constexpr int kTogether = 4;  // number of vectors of results that are computed at once

// One plane's convolution: the last two dims of a shape, or of its transpose.
struct DepthwisePlane {
  int64_t image[2];   // rows, columns
  int64_t places[2];  // rows, columns
  Slide along[2];

  explicit DepthwisePlane(const ConvolutionShape& shape) {
    for (int d = 0; d < 2; ++d) {
      image[d] = shape.image[d + 1];
      places[d] = shape.places[d + 1];
      along[d] = shape.along[d + 1];
    }
  }

  int64_t taps() const { return along[0].kernel * along[1].kernel; }
  int64_t image_numel() const { return image[0] * image[1]; }
  int64_t places_numel() const { return places[0] * places[1]; }
};

// Maximum number of elements of a buffer. Kernels that reach so far that they need more are left to
// other loops.
constexpr int64_t kMostElements = 1 << 20;

// The layout of the part of the image that a tile needs, in the buffer. All tiles of a plane have
// this layout; those at the end of the plane leave some of it unused.
struct TileLayout {
  int64_t rows;                  // rows of places in a tile
  int64_t columns;               // columns of places in a tile
  int64_t sub_rows;              // rows of a sub-plane
  int64_t sub_row;               // elements of a sub-plane's row
  int64_t sub_planes;            // elements of all sub-planes
  std::vector<int64_t> offsets;  // buffer index of each tap's element for the first place

  // Returns true if a plane's tiles fit the buffers.
  static bool fits(const DepthwisePlane& plane) {
    if (plane.image_numel() == 0 || plane.places_numel() == 0) return false;
    for (const Slide& slide : plane.along) {
      if (slide.stride > kMostStride || slide.reach() > kMostElements) return false;
    }
    return TileLayout(plane, /*with_offsets=*/false).sub_planes <= kMostElements;
  }

  explicit TileLayout(const DepthwisePlane& plane, bool with_offsets = true) {
    const Slide &down = plane.along[0], &across = plane.along[1];
    columns = std::min(plane.places[1], kLongestRow);
    rows = std::clamp<int64_t>(kTileElements / (columns * down.stride * across.stride), 1,
                               plane.places[0]);
    sub_row = columns - 1 + (across.reach() - 1) / across.stride + 1;
    sub_rows = rows - 1 + (down.reach() - 1) / down.stride + 1;
    sub_planes = down.stride * across.stride * sub_rows * sub_row;
    for (int64_t tap = 0; with_offsets && tap < plane.taps(); ++tap) {
      const int64_t y = tap / across.kernel * down.dilation;
      const int64_t x = tap % across.kernel * across.dilation;
      const int64_t sub_plane = y % down.stride * across.stride + x % across.stride;
      offsets.push_back((sub_plane * sub_rows + y / down.stride) * sub_row + x / across.stride);
    }
  }

  // Returns the number of elements of results, whose rows are as far apart as those of sub-planes.
  int64_t result_length(int64_t tile_rows, int64_t tile_columns) const {
    return (tile_rows - 1) * sub_row + tile_columns;
  }
};

// A tile's first place and size.
struct Tile {
  int64_t row, column, rows, columns;
};

// Calls `body(tile)` for each tile of a plane.
template <class Body>
void each_tile(const DepthwisePlane& plane, const TileLayout& layout, Body&& body) {
  for (int64_t row = 0; row < plane.places[0]; row += layout.rows) {
    for (int64_t column = 0; column < plane.places[1]; column += layout.columns) {
      body(Tile{row, column, std::min(layout.rows, plane.places[0] - row),
                std::min(layout.columns, plane.places[1] - column)});
    }
  }
}

// Copies the elements that a tile's places see into the sub-planes; padding becomes 0.
template <class T>
void copy_tile(const DepthwisePlane& plane, const TileLayout& layout, const Tile& tile,
               const T* image, T* sub_planes) {
  const Slide &down = plane.along[0], &across = plane.along[1];
  for (int64_t part = 0; part < down.stride * across.stride; ++part) {
    const int64_t first_row = tile.row * down.stride - down.padding + part / across.stride;
    const int64_t first = tile.column * across.stride - across.padding + part % across.stride;
    // Columns of the sub-plane whose elements lie in the image: from `begin` to `end`.
    const auto reached = [&](int64_t bound) {  // the first column at or beyond an image's column
      const int64_t away = bound - first;
      return away <= 0 ? 0 : std::min((away + across.stride - 1) / across.stride, layout.sub_row);
    };
    const int64_t begin = reached(0), end = std::max(begin, reached(plane.image[1]));
    for (int64_t r = 0; r < layout.sub_rows; ++r) {
      T* const to = sub_planes + (part * layout.sub_rows + r) * layout.sub_row;
      const int64_t row = first_row + r * down.stride;
      if (row < 0 || row >= plane.image[0]) {
        std::fill_n(to, layout.sub_row, T(0));
        continue;
      }
      const T* const from = image + row * plane.image[1] + first;
      std::fill_n(to, begin, T(0));
      if (across.stride == 1) {
        std::copy_n(from + begin, end - begin, to + begin);
      } else {
        for (int64_t x = begin; x < end; ++x) to[x] = from[x * across.stride];
      }
      std::fill_n(to + end, layout.sub_row - end, T(0));
    }
  }
}

// ---- Loops, for each instruction set ------------------------------------------------------------

template <class T, int kBytes>
struct Packs {
  // A vector may begin at any element.
  using Pack [[gnu::vector_size(kBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  using Int = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Mask [[gnu::vector_size(kBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = Int;
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
};

// result[i] = the sum over taps of weight[tap] * image[offsets[tap] + i], for all i below `count`
// rounded up to the elements that are computed at once.
template <class T, int kBytes>
[[gnu::always_inline]] inline void correlate(const T* image, const int64_t* offsets,
                                             const T* weight, int64_t taps, int64_t count,
                                             T* result) {
  using Pack = typename Packs<T, kBytes>::Pack;
  constexpr int64_t kLanes = Packs<T, kBytes>::kLanes;
  for (int64_t i = 0; i < count; i += kTogether * kLanes) {
    Pack sums[kTogether] = {};
    for (int64_t tap = 0; tap < taps; ++tap) {
      const T* const from = image + offsets[tap] + i;
      const T factor = weight[tap];
      for (int k = 0; k < kTogether; ++k) {
        sums[k] += factor * *reinterpret_cast<const Pack*>(from + k * kLanes);
      }
    }
    for (int k = 0; k < kTogether; ++k) {
      *reinterpret_cast<Pack*>(result + i + k * kLanes) = sums[k];
    }
  }
}

// Returns the sum of a[i] * b[i] over `rows` rows of `count` elements. Reads whole vectors, but
// leaves out products beyond a row's end, which may be NaN, as infinity times 0 is.
template <class T, int kBytes>
[[gnu::always_inline]] inline T dot_rows(const T* a, int64_t a_pitch, const T* b, int64_t b_pitch,
                                         int64_t rows, int64_t count) {
  using Pack = typename Packs<T, kBytes>::Pack;
  using Mask = typename Packs<T, kBytes>::Mask;
  constexpr int64_t kLanes = Packs<T, kBytes>::kLanes;
  Mask lanes = {};
  for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = lane;
  const int64_t whole = count / kLanes * kLanes;
  const Mask is_inside = lanes < static_cast<typename Packs<T, kBytes>::Int>(count - whole);
  Pack sums = {}, ends = {};
  for (int64_t r = 0; r < rows; ++r, a += a_pitch, b += b_pitch) {
    for (int64_t i = 0; i < whole; i += kLanes) {
      sums += *reinterpret_cast<const Pack*>(a + i) * *reinterpret_cast<const Pack*>(b + i);
    }
    if (whole == count) continue;
    const Pack end =
        *reinterpret_cast<const Pack*>(a + whole) * *reinterpret_cast<const Pack*>(b + whole);
    ends += __builtin_bit_cast(Pack, __builtin_bit_cast(Mask, end) & is_inside);
  }
  sums += ends;
  T sum = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

template <class T>
struct DepthwiseLoops {
  decltype(&correlate<T, 16>) correlate;
  decltype(&dot_rows<T, 16>) dot;
};

template <class T>
void correlate_base(const T* image, const int64_t* offsets, const T* weight, int64_t taps,
                    int64_t count, T* result) {
  correlate<T, 16>(image, offsets, weight, taps, count, result);
}
template <class T>
T dot_rows_base(const T* a, int64_t a_pitch, const T* b, int64_t b_pitch, int64_t rows,
                int64_t count) {
  return dot_rows<T, 16>(a, a_pitch, b, b_pitch, rows, count);
}
#if defined(TENON_AVX2)
template <class T>
TENON_AVX2 void correlate_avx2(const T* image, const int64_t* offsets, const T* weight,
                               int64_t taps, int64_t count, T* result) {
  correlate<T, 32>(image, offsets, weight, taps, count, result);
}
template <class T>
TENON_AVX2 T dot_rows_avx2(const T* a, int64_t a_pitch, const T* b, int64_t b_pitch, int64_t rows,
                           int64_t count) {
  return dot_rows<T, 32>(a, a_pitch, b, b_pitch, rows, count);
}
template <class T>
TENON_AVX512 void correlate_avx512(const T* image, const int64_t* offsets, const T* weight,
                                   int64_t taps, int64_t count, T* result) {
  correlate<T, 64>(image, offsets, weight, taps, count, result);
}
template <class T>
TENON_AVX512 T dot_rows_avx512(const T* a, int64_t a_pitch, const T* b, int64_t b_pitch,
                               int64_t rows, int64_t count) {
  return dot_rows<T, 64>(a, a_pitch, b, b_pitch, rows, count);
}
#endif

template <class T>
DepthwiseLoops<T> depthwise_loops() {
#if defined(TENON_AVX2)
  if (vector_level == 2) return {&correlate_avx512<T>, &dot_rows_avx512<T>};
  if (vector_level == 1) return {&correlate_avx2<T>, &dot_rows_avx2<T>};
#endif
  return {&correlate_base<T>, &dot_rows_base<T>};
}

// The buffers of one thread. Loops read past the sub-planes; the sums of these elements are unused.
template <class T>
struct TileBuffers {
  static constexpr int64_t kBeyond = kTogether * kMostBytes / static_cast<int64_t>(sizeof(T));
  Buffer<T> image;
  Buffer<T> result;
  TileBuffers(int64_t image_numel, int64_t result_numel)
      : image(image_numel + kBeyond), result(result_numel + kBeyond) {
    std::fill_n(image.data() + image_numel, kBeyond, T(0));
    std::fill_n(result.data(), result_numel + kBeyond, T(0));
  }
  explicit TileBuffers(const TileLayout& layout)
      : TileBuffers(layout.sub_planes, layout.result_length(layout.rows, layout.columns)) {}
};

// Computes a plane of places from a plane of the image.
template <class T>
void correlate_plane(const DepthwisePlane& plane, const TileLayout& layout,
                     const DepthwiseLoops<T>& loops, const TileBuffers<T>& buffers, const T* image,
                     const T* weight, T* places) {
  each_tile(plane, layout, [&](const Tile& tile) {
    copy_tile(plane, layout, tile, image, buffers.image.data());
    loops.correlate(buffers.image.data(), layout.offsets.data(), weight, plane.taps(),
                    layout.result_length(tile.rows, tile.columns), buffers.result.data());
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T* const from = buffers.result.data() + r * layout.sub_row;
      T* const to = places + (tile.row + r) * plane.places[1] + tile.column;
      std::copy_n(from, tile.columns, to);
    }
  });
}

// Returns the minimum number of planes that a thread computes at a time.
int64_t planes_at_once(const DepthwisePlane& plane) {
  return std::max<int64_t>(kGrain / std::max<int64_t>(plane.places_numel() * plane.taps(), 1), 1);
}

template <class T>
void planes_to_places(const ConvolutionShape& shape, const T* image, const T* weight, T* places) {
  const DepthwisePlane plane(shape);
  const TileLayout layout(plane);
  const DepthwiseLoops<T> chosen = depthwise_loops<T>();
  const int64_t outputs = shape.place_channels, each = outputs / shape.groups;
  parallel_for(shape.batch * outputs, planes_at_once(plane), [&](int64_t begin, int64_t end) {
    const TileBuffers<T> buffers(layout);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t output = i % outputs;
      const int64_t channel = i / outputs * shape.groups + output / each;
      correlate_plane(plane, layout, chosen, buffers, image + channel * plane.image_numel(),
                      weight + output * plane.taps(), places + i * plane.places_numel());
    }
  });
}

// The layout for computing an image from places. Rows and columns of the image that have the same
// remainder modulo the stride, counted from the start of the padding, are met by the same taps;
// they form a phase. Element number `q` of a phase is at q * stride + phase - padding in the image.
// Its taps belong to adjacent places, the last of which is place q.
struct BackLayout {
  struct Phase {
    int64_t at[2];                 // remainder of rows and of columns
    std::vector<int64_t> offsets;  // buffer index of each tap's place, for the first element
    std::vector<int64_t> taps;     // positions of the taps in the kernel
  };
  int64_t first[2];   // number of the first element of each phase
  int64_t behind[2];  // distance from place `q` back to the first place that its taps belong to
  int64_t count[2];
  int64_t rows;     // rows of a tile
  int64_t columns;  // columns of a tile
  int64_t pitch;    // elements of a row of the buffer
  std::vector<Phase> phases;

  explicit BackLayout(const DepthwisePlane& plane) {
    for (int d = 0; d < 2; ++d) {
      const Slide& slide = plane.along[d];
      // (padding + 1 - stride) / stride, rounded down even if it is negative.
      first[d] = (slide.padding + 1) / slide.stride - 1;
      behind[d] = (slide.reach() - 1) / slide.stride;
      count[d] = (plane.image[d] - 1 + slide.padding) / slide.stride + 1 - first[d];
    }
    columns = std::min(count[1], kLongestRow);
    rows = std::clamp<int64_t>(kTileElements / columns, 1, count[0]);
    pitch = columns + behind[1];
  }

  int64_t buffer_numel() const { return (rows + behind[0]) * pitch; }

  void find_phases(const DepthwisePlane& plane) {
    const Slide &down = plane.along[0], &across = plane.along[1];
    for (int64_t y = 0; y < down.stride; ++y) {
      for (int64_t x = 0; x < across.stride; ++x) {
        Phase& phase = phases.emplace_back(Phase{{y, x}, {}, {}});
        for (int64_t tap = 0; tap < plane.taps(); ++tap) {
          const int64_t tap_y = tap / across.kernel * down.dilation;
          const int64_t tap_x = tap % across.kernel * across.dilation;
          if (tap_y % down.stride != y || tap_x % across.stride != x) continue;
          phase.taps.push_back(tap);
          phase.offsets.push_back((behind[0] - tap_y / down.stride) * pitch + behind[1] -
                                  tap_x / across.stride);
        }
      }
    }
  }
};

// Copies the places that contribute to a tile of elements, with zeros beyond the borders.
template <class T>
void copy_places(const DepthwisePlane& plane, const BackLayout& layout, const Tile& tile,
                 const T* places, T* buffer) {
  const int64_t first = layout.first[1] + tile.column - layout.behind[1];
  const int64_t begin = std::clamp<int64_t>(-first, 0, layout.pitch);
  const int64_t end = std::clamp<int64_t>(plane.places[1] - first, begin, layout.pitch);
  for (int64_t r = 0; r < layout.rows + layout.behind[0]; ++r) {
    const int64_t row = layout.first[0] + tile.row - layout.behind[0] + r;
    T* const to = buffer + r * layout.pitch;
    const bool is_inside = row >= 0 && row < plane.places[0];
    std::fill_n(to, is_inside ? begin : layout.pitch, T(0));
    if (!is_inside) continue;
    std::copy_n(places + row * plane.places[1] + first + begin, end - begin, to + begin);
    std::fill_n(to + end, layout.pitch - end, T(0));
  }
}

// Writes a tile's elements of one phase to their positions in the image, or adds them there.
template <class T>
void scatter_phase(const DepthwisePlane& plane, const BackLayout& layout, const Tile& tile,
                   const BackLayout::Phase& phase, const T* result, T* image, bool adds) {
  const Slide &down = plane.along[0], &across = plane.along[1];
  const int64_t first =
      (layout.first[1] + tile.column) * across.stride + phase.at[1] - across.padding;
  const auto reached = [&](int64_t bound) {  // the first element at or beyond an image's column
    const int64_t away = bound - first;
    return away <= 0 ? 0 : std::min((away + across.stride - 1) / across.stride, tile.columns);
  };
  const int64_t begin = reached(0), end = std::max(begin, reached(plane.image[1]));
  for (int64_t r = 0; r < tile.rows; ++r) {
    const int64_t row = (layout.first[0] + tile.row + r) * down.stride + phase.at[0] - down.padding;
    if (row < 0 || row >= plane.image[0]) continue;
    const T* const from = result + r * layout.pitch;
    T* const to = image + row * plane.image[1] + first;
    for (int64_t x = begin; x < end; ++x) {
      T& element = to[x * across.stride];
      element = adds ? element + from[x] : from[x];
    }
  }
}

template <class T>
bool planes_to_image(const ConvolutionShape& shape, const T* places, const T* weight, T* image) {
  const DepthwisePlane plane(shape);
  BackLayout layout(plane);
  if (layout.buffer_numel() > kMostElements) return false;
  layout.find_phases(plane);
  const DepthwiseLoops<T> chosen = depthwise_loops<T>();
  const int64_t each = shape.place_channels / shape.groups;
  const int64_t grain = planes_at_once(plane);
  parallel_for(shape.batch * shape.groups, grain, [&](int64_t begin, int64_t end) {
    const TileBuffers<T> buffers(layout.buffer_numel(), layout.rows * layout.pitch);
    std::vector<T> factors(static_cast<size_t>(plane.taps()));
    for (int64_t i = begin * each; i < end * each; ++i) {
      const int64_t channel = i / each, k = i % each;
      const int64_t output = channel % shape.groups * each + k;
      const int64_t from = channel / shape.groups * shape.place_channels + output;
      for (int64_t row = 0; row < layout.count[0]; row += layout.rows) {
        for (int64_t column = 0; column < layout.count[1]; column += layout.columns) {
          const Tile tile{row, column, std::min(layout.rows, layout.count[0] - row),
                          std::min(layout.columns, layout.count[1] - column)};
          copy_places(plane, layout, tile, places + from * plane.places_numel(),
                      buffers.image.data());
          for (const BackLayout::Phase& phase : layout.phases) {
            const size_t taps = phase.taps.size();
            for (size_t t = 0; t < taps; ++t) {
              factors[t] = weight[output * plane.taps() + phase.taps[t]];
            }
            chosen.correlate(buffers.image.data(), phase.offsets.data(), factors.data(),
                             static_cast<int64_t>(taps),
                             (tile.rows - 1) * layout.pitch + tile.columns, buffers.result.data());
            scatter_phase(plane, layout, tile, phase, buffers.result.data(),
                          image + channel * plane.image_numel(), k > 0);
          }
        }
      }
    }
  });
  return true;
}

template <class T>
bool planes_to_weight(const ConvolutionShape& shape, const T* image, const T* places, T* weight) {
  // Only channels are distributed over threads, so that fewer are left to the other loops.
  constexpr int64_t kFewChannels = 8;
  if (shape.groups < kFewChannels) return false;
  const DepthwisePlane plane(shape);
  const TileLayout layout(plane);
  const DepthwiseLoops<T> chosen = depthwise_loops<T>();
  const int64_t each = shape.place_channels / shape.groups;
  const int64_t taps = plane.taps();
  std::fill_n(weight, shape.place_channels * taps, T(0));
  const int64_t grain = std::max<int64_t>(planes_at_once(plane) / shape.batch, 1);
  parallel_for(shape.groups, grain, [&](int64_t begin, int64_t end) {
    const TileBuffers<T> buffers(layout);
    for (int64_t i = begin * shape.batch; i < end * shape.batch; ++i) {
      const int64_t channel = i / shape.batch, sample = i % shape.batch;
      const T* const from = image + (sample * shape.groups + channel) * plane.image_numel();
      each_tile(plane, layout, [&](const Tile& tile) {
        copy_tile(plane, layout, tile, from, buffers.image.data());
        for (int64_t output = channel * each; output < (channel + 1) * each; ++output) {
          const T* const at =
              places + (sample * shape.place_channels + output) * plane.places_numel();
          for (int64_t r = 0; r < tile.rows; ++r) {
            std::copy_n(at + (tile.row + r) * plane.places[1] + tile.column, tile.columns,
                        buffers.result.data() + r * layout.sub_row);
          }
          for (int64_t tap = 0; tap < taps; ++tap) {
            weight[output * taps + tap] +=
                chosen.dot(buffers.image.data() + layout.offsets[tap], layout.sub_row,
                           buffers.result.data(), layout.sub_row, tile.rows, tile.columns);
          }
        }
      });
    }
  });
  return true;
}

}  // namespace

bool is_depthwise(const ConvolutionShape& shape) {
  if (shape.image_channels != shape.groups) return false;
  const Slide& depth = shape.along[0];
  const bool is_plane =
      shape.image[0] == 1 && shape.places[0] == 1 && depth.kernel == 1 && depth.padding == 0;
  return is_plane && TileLayout::fits(DepthwisePlane(shape));
}

#define TENON_DEPTHWISE(T)                                                                 \
  void depthwise_to_places(const ConvolutionShape& shape, const T* image, const T* weight, \
                           T* places) {                                                    \
    planes_to_places(shape, image, weight, places);                                        \
  }                                                                                        \
  bool depthwise_to_image(const ConvolutionShape& shape, const T* places, const T* weight, \
                          T* image) {                                                      \
    return planes_to_image(shape, places, weight, image);                                  \
  }                                                                                        \
  bool depthwise_to_weight(const ConvolutionShape& shape, const T* image, const T* places, \
                           T* weight) {                                                    \
    return planes_to_weight(shape, image, places, weight);                                 \
  }
TENON_DEPTHWISE(float)
TENON_DEPTHWISE(double)
#undef TENON_DEPTHWISE

}  // namespace tenon::kernels::cpu
