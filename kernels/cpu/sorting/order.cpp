// SPDX-License-Identifier: Apache-2.0
// Elements are converted to unsigned keys with the same order, where NaN is the largest and both
// zeros are equal; for descending order all bits of a key are flipped. Long lines are sorted by a
// stable radix sort. If only a few elements are kept, a heap holds the best so far, and most
// elements are rejected by one comparison.
#include "kernels/cpu/sorting/order.h"

#include <algorithm>
#include <vector>

#include "kernels/common/checked_size.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kShortLine = 160;  // up to this length comparison sorts are faster
constexpr int64_t kMostInHeap = 256;

// ---- Keys ---------------------------------------------------------------------------------------

template <int kBytes>
struct KeyOfBytes {
  using type = uint64_t;
};
template <>
struct KeyOfBytes<1> {
  using type = uint8_t;
};
template <>
struct KeyOfBytes<2> {
  using type = uint16_t;
};
template <>
struct KeyOfBytes<4> {
  using type = uint32_t;
};
template <class T>
using Key = typename KeyOfBytes<sizeof(T)>::type;

template <class T>
[[gnu::always_inline]] inline Key<T> key_of(const char* at) {
  using K = Key<T>;
  constexpr K kSign = static_cast<K>(K(1) << (8 * sizeof(K) - 1));
  const K bits = *reinterpret_cast<const K*>(at);
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;  // a bool in imported memory may be any byte
  } else if constexpr (std::is_unsigned_v<T>) {
    return bits;
  } else if constexpr (std::is_integral_v<T>) {
    return bits ^ kSign;
  } else {
    constexpr K kInfinity = std::is_same_v<T, double>     ? K(0x7FF0000000000000)
                            : std::is_same_v<T, float>    ? K(0x7F800000)
                            : std::is_same_v<T, BFloat16> ? K(0x7F80)
                                                          : K(0x7C00);
    const K size = static_cast<K>(bits & ~kSign);
    const K positive = static_cast<K>(bits | kSign);
    const K signed_key = (bits & kSign) != 0 && size != 0 ? static_cast<K>(~bits) : positive;
    return size > kInfinity ? static_cast<K>(~K(0)) : signed_key;
  }
}

// A key and the index of its element, ordered by both. If there is room, they share a single word
// instead.
struct KeyAndIndex {
  uint64_t key;
  uint64_t index;
  bool operator<(const KeyAndIndex& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};
inline uint64_t key_in(uint64_t item) { return item >> 32; }
inline uint64_t key_in(const KeyAndIndex& item) { return item.key; }
inline int64_t index_in(uint64_t item) { return static_cast<int64_t>(item & 0xFFFFFFFF); }
inline int64_t index_in(const KeyAndIndex& item) { return static_cast<int64_t>(item.index); }
template <class Item>
[[gnu::always_inline]] inline Item item_of(uint64_t key, uint64_t index) {
  if constexpr (std::is_same_v<Item, KeyAndIndex>) {
    return {key, index};
  } else {
    return key << 32 | index;
  }
}

// ---- All elements in order ----------------------------------------------------------------------

// Sorts by the lower kBytes of the keys. `other` is a buffer of the same size. Returns the one of
// both that holds the result.
template <int kBytes, class Item>
Item* sort_by_radix(Item* items, Item* other, int64_t size) {
  uint32_t counts[kBytes][256] = {};
  for (int64_t i = 0; i < size; ++i) {
    const uint64_t key = key_in(items[i]);
    for (int b = 0; b < kBytes; ++b) ++counts[b][key >> (8 * b) & 255];
  }
  for (int b = 0; b < kBytes; ++b) {
    uint32_t* const count = counts[b];
    // This byte is the same in all keys.
    if (count[key_in(items[0]) >> (8 * b) & 255] == static_cast<uint64_t>(size)) continue;
    uint32_t before = 0;
    for (int digit = 0; digit < 256; ++digit) {
      const uint32_t here = count[digit];
      count[digit] = before;
      before += here;
    }
    for (int64_t i = 0; i < size; ++i) {
      other[count[key_in(items[i]) >> (8 * b) & 255]++] = items[i];
    }
    std::swap(items, other);
  }
  return items;
}

// ---- The first few ------------------------------------------------------------------------------

// Returns true if any key is below `bound`.
template <class K>
[[gnu::always_inline]] inline bool any_below(const K* keys, int64_t count, K bound) {
  K any = 0;
  for (int64_t i = 0; i < count; ++i) any |= keys[i] < bound ? 1 : 0;
  return any != 0;
}

constexpr int64_t kLook = 64;

// Leaves the first `kept` elements of the sorted line in `heap`, in order.
template <class K, class Item>
[[gnu::always_inline]] inline void keep_first(const K* keys, int64_t count, size_t kept,
                                              std::vector<Item>& heap) {
  heap.clear();
  int64_t i = 0;
  for (; heap.size() < kept; ++i) heap.push_back(item_of<Item>(keys[i], static_cast<uint64_t>(i)));
  std::make_heap(heap.begin(), heap.end());
  auto bound = static_cast<K>(key_in(heap.front()));
  while (i < count) {
    const int64_t look = std::min(kLook, count - i);
    // Later elements with an equal key rank after earlier ones.
    if (any_below(keys + i, look, bound)) {
      for (int64_t k = i; k < i + look; ++k) {
        if (keys[k] >= bound) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = item_of<Item>(keys[k], static_cast<uint64_t>(k));
        std::push_heap(heap.begin(), heap.end());
        bound = static_cast<K>(key_in(heap.front()));
      }
    }
    i += look;
  }
  std::sort_heap(heap.begin(), heap.end());
}

// Leaves the first `kept` elements in front, in order. Elements with equal keys are chosen and
// ordered as the standard algorithms leave them, as in PyTorch, which uses the same algorithms.
template <class Item>
void order_partly(Item* items, int64_t size, int64_t kept) {
  const auto is_before = [](const Item& a, const Item& b) { return key_in(a) < key_in(b); };
  if (kept <= size / 64) {
    std::partial_sort(items, items + kept, items + size, is_before);
  } else {
    std::nth_element(items, items + kept - 1, items + size, is_before);
    std::sort(items, items + kept - 1, is_before);
  }
}

// ---- For several instruction sets ---------------------------------------------------------------

template <class T>
[[gnu::always_inline]] inline void make_keys(const char* from, int64_t stride, int64_t count,
                                             Key<T> flip, Key<T>* keys) {
  if (stride == sizeof(T)) {
    for (int64_t i = 0; i < count; ++i) {
      keys[i] = key_of<T>(from + i * int64_t{sizeof(T)}) ^ flip;
    }
  } else {
    for (int64_t i = 0; i < count; ++i) keys[i] = key_of<T>(from + i * stride) ^ flip;
  }
}

template <class T, class Item>
struct Loops {
  static void keys(const char* from, int64_t stride, int64_t count, Key<T> flip, Key<T>* to) {
#if defined(TENON_AVX2)
    if (vector_level > 0) return keys_avx2(from, stride, count, flip, to);
#endif
    make_keys<T>(from, stride, count, flip, to);
  }
  static void first(const Key<T>* from, int64_t count, size_t kept, std::vector<Item>& heap) {
#if defined(TENON_AVX2)
    if (vector_level > 0) return first_avx2(from, count, kept, heap);
#endif
    keep_first(from, count, kept, heap);
  }

 private:
#if defined(TENON_AVX2)
  TENON_AVX2 static void keys_avx2(const char* from, int64_t stride, int64_t count, Key<T> flip,
                                   Key<T>* to) {
    make_keys<T>(from, stride, count, flip, to);
  }
  TENON_AVX2 static void first_avx2(const Key<T>* from, int64_t count, size_t kept,
                                    std::vector<Item>& heap) {
    keep_first(from, count, kept, heap);
  }
#endif
};

// ---- Lines --------------------------------------------------------------------------------------

// Strides along the dim, in bytes: of values, indices and self.
struct LineStrides {
  int64_t values;
  int64_t indices;
  int64_t self;
};

// A buffer that is allocated as a tensor, because large allocations of tensors are cached.
template <class E>
class ScratchBuffer {
 public:
  E* of(int64_t count) {
    if (!tensor_) {
      const int64_t sizes[] = {count * int64_t{sizeof(E)}};
      tensor_ = Tensor::empty(sizes, Dtype::U8);
    }
    return static_cast<E*>(tensor_.raw_data());
  }

 private:
  Tensor tensor_;
};

// Buffers for a line, reused for each one.
template <class T, class Item>
class Line {
 public:
  Line(int64_t size, const Ordered& ordered, const LineStrides& steps)
      : size_(size), kept_(ordered.kept), is_stable_(ordered.is_stable), steps_(steps) {
    if (ordered.descending) flip_ = static_cast<Key<T>>(~flip_);
    // Wide unsigned integers are read as signed ones of their size: flip the sign bit of the keys.
    if (has(kWideUnsigned, ordered.self.dtype)) {
      flip_ ^= static_cast<Key<T>>(Key<T>(1) << (8 * sizeof(T) - 1));
    }
  }

  void order(char* const* data) {
    Key<T>* const keys = keys_.of(size_);
    Loops<T, Item>::keys(data[2], steps_.self, size_, flip_, keys);
    const Item* items;
    if (kept_ < size_ / 2 && kept_ <= kMostInHeap && size_ > kShortLine) {
      Loops<T, Item>::first(keys, size_, static_cast<size_t>(kept_), heap_);
      items = heap_.data();
    } else {
      items = order_all(keys);
    }
    if (!is_stable_ && has_ties(keys, items)) items = order_unstable(keys);
    // Reads all values before writing any: the caller's out may be self's memory.
    Key<T>* const picked = keys;
    for (int64_t i = 0; i < kept_; ++i) {
      const char* const from = data[2] + index_in(items[i]) * steps_.self;
      picked[i] = *reinterpret_cast<const Key<T>*>(from);
      if constexpr (std::is_same_v<T, bool>) picked[i] = picked[i] != 0;
    }
    for (int64_t i = 0; i < kept_; ++i) {
      store<Key<T>>(data[0] + i * steps_.values, picked[i]);
      store<int64_t>(data[1] + i * steps_.indices, index_in(items[i]));
    }
  }

 private:
  const Item* order_all(const Key<T>* keys) {
    Item* const items = items_.of(size_);
    for (int64_t i = 0; i < size_; ++i) items[i] = item_of<Item>(keys[i], static_cast<uint64_t>(i));
    if (kept_ < size_ / 2) {
      std::nth_element(items, items + kept_, items + size_);
      std::sort(items, items + kept_);
    } else if (size_ <= kShortLine || size_ > int64_t{UINT32_MAX}) {
      std::sort(items, items + size_);
    } else {
      return sort_by_radix<static_cast<int>(sizeof(T))>(items, other_.of(size_), size_);
    }
    return items;
  }

  // Returns true if an element that is kept is equal to another one.
  bool has_ties(const Key<T>* keys, const Item* items) const {
    if (kept_ == 0) return false;
    for (int64_t i = 1; i < kept_; ++i) {
      if (key_in(items[i]) == key_in(items[i - 1])) return true;
    }
    const auto last = static_cast<Key<T>>(key_in(items[kept_ - 1]));
    return std::count(keys, keys + size_, last) > 1;
  }

  const Item* order_unstable(const Key<T>* keys) {
    Item* const items = items_.of(size_);
    for (int64_t i = 0; i < size_; ++i) items[i] = item_of<Item>(keys[i], static_cast<uint64_t>(i));
    order_partly(items, size_, kept_);
    return items;
  }

  const int64_t size_;
  const int64_t kept_;
  const bool is_stable_;
  Key<T> flip_ = 0;
  const LineStrides steps_;
  ScratchBuffer<Key<T>> keys_;
  ScratchBuffer<Item> items_;
  ScratchBuffer<Item> other_;
  std::vector<Item> heap_;
};

template <class T, class Item>
void order_walk(const Walk& lines, int64_t size, const Ordered& ordered, const LineStrides& steps) {
  // Weighted, since each element is visited several times.
  parallel_walk(lines, lines.raw_data(), 4 * size, [&](const Walk& part, char* const* first) {
    Line<T, Item> line(size, ordered, steps);
    part.steps<0, 3>(first, [&](char* const* data) { line.order(data); });
  });
}

int64_t step_of(const tenon_tensor_info& info, int64_t dim) {
  return info.ndim == 0 ? 0 : wrapped_product(info.strides[dim], size_of(dtype_of_info(info)));
}

// Returns the dtype that elements are sorted as.
Dtype sorted_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::U16:
      return Dtype::I16;
    case Dtype::U32:
      return Dtype::I32;
    case Dtype::U64:
      return Dtype::I64;
    default:
      return dtype;
  }
}

void order_lines(const char* op, const Ordered& ordered) {
  const tenon_tensor_info values = ordered.values.info();
  const tenon_tensor_info indices = ordered.indices.info();
  const tenon_tensor_info& self = ordered.self;
  if (values.numel == 0) return;
  Walk lines;
  Dims sizes(sizes_of(values));
  if (!sizes.empty()) sizes.erase(ordered.dim);
  int64_t perm[kMaxDims];
  row_major_order(sizes.size(), perm);
  lines.begin(sizes, perm, 3);
  int k = 0;
  for (const tenon_tensor_info* info : {&values, &indices, &self}) {
    Dims strides(strides_of(*info));
    if (!strides.empty()) strides.erase(ordered.dim);
    lines.set(k++, info->data, size_of(dtype_of_info(*info)), strides.begin());
  }
  const LineStrides steps{step_of(values, ordered.dim), step_of(indices, ordered.dim),
                          step_of(self, ordered.dim)};
  const int64_t size = size_along(self, ordered.dim);
  visit(op, "self", sorted_dtype(dtype_of_info(self)), Joined<BoolType, RealTypes>(),
        [&]<class T>(Element<T>) {
          if constexpr (sizeof(T) < 8) {
            if (size <= int64_t{UINT32_MAX}) {
              return order_walk<T, uint64_t>(lines, size, ordered, steps);
            }
          }
          order_walk<T, KeyAndIndex>(lines, size, ordered, steps);
        });
}

}  // namespace

void run_ordered(const Call& call, Ordered ordered) {
  order_lines(call.op(), ordered);
  ordered.give(call);
}

}  // namespace tenon::kernels::cpu
