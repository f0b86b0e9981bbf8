// SPDX-License-Identifier: Apache-2.0
// aten::embedding_bag on the CPU. Sums of small floats are computed in float and rounded once.
#include "kernels/ops/embedding/embedding_bag.h"

#include <vector>

#include "kernels/common/overlap.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

int64_t integer_at(const tenon_tensor_info& info, int64_t i) {
  const char* data = static_cast<const char*>(info.data);
  if (dtype_of_info(info) == Dtype::I64) {
    return load<int64_t>(data + i * info.strides[0] * int64_t{sizeof(int64_t)});
  }
  return load<int32_t>(data + i * info.strides[0] * int64_t{sizeof(int32_t)});
}

void put_integer(const tenon_tensor_info& info, int64_t offset, int64_t number) {
  char* data = static_cast<char*>(info.data);
  if (dtype_of_info(info) == Dtype::I64) {
    store<int64_t>(data + offset * int64_t{sizeof(int64_t)}, number);
  } else {
    store<int32_t>(data + offset * int64_t{sizeof(int32_t)}, number);
  }
}

// Checked indices and offsets. `starts` includes the end of the last bag.
struct Bags {
  std::vector<int64_t> indices;
  std::vector<int64_t> starts;
};

Bags checked_bags(const Call& call, const EmbeddingBags& made) {
  const tenon_tensor_info weight = call.get<Tensor>(0)->info();
  const tenon_tensor_info indices = call.get<Tensor>(1)->info();
  const tenon_tensor_info offsets = call.get<Tensor>(2)->info();
  Bags bags;
  for (int64_t i = 0; i < indices.numel; ++i) {
    const int64_t index = integer_at(indices, i);
    if (index < 0 || index >= weight.sizes[0]) {
      fail(TENON_ERROR_INDEX, {call.op(), ": indices must be in [0, ", weight.sizes[0] - 1,
                               "] for a matrix of ", weight.sizes[0], " rows, got ", index});
    }
    bags.indices.push_back(index);
  }
  for (int64_t b = 0; b < offsets.numel; ++b) bags.starts.push_back(integer_at(offsets, b));
  if (!made.includes_last) bags.starts.push_back(indices.numel);
  if (offsets.numel > 0 && bags.starts.front() != 0) {
    fail_argument(call.op(), "offsets", "0 in its first element", bags.starts.front());
  }
  for (size_t b = 1; b < bags.starts.size(); ++b) {
    if (bags.starts[b] >= bags.starts[b - 1] && bags.starts[b] <= indices.numel) continue;
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": offsets must not decrease, nor exceed the number of indices, ",
          indices.numel, ", got ", bags.starts[b], " after ", bags.starts[b - 1]});
  }
  if (bags.starts.size() > 1 && bags.starts.back() != indices.numel) {
    fail_argument(call.op(), "offsets",
                  "the number of indices in its last element with include_last_offset, " +
                      std::to_string(indices.numel),
                  bags.starts.back());
  }
  return bags;
}

template <class T>
struct BagLoop {
  using C = Compute<T>;

  const Bags& bags;
  const EmbeddingBags& made;
  tenon_tensor_info weight;
  tenon_tensor_info sample_weights;  // without data if there are none
  int64_t padding;

  const char* row(int64_t index) const {
    return static_cast<const char*>(weight.data) + index * weight.strides[0] * int64_t{sizeof(T)};
  }
  C element(const char* row, int64_t d) const {
    return load<T>(row + d * weight.strides[1] * int64_t{sizeof(T)});
  }

  void add(std::vector<C>& sums, int64_t i) const {
    const char* from = row(bags.indices[static_cast<size_t>(i)]);
    C factor = 1;
    if (sample_weights.data != nullptr) {
      factor = load<T>(static_cast<const char*>(sample_weights.data) +
                       i * sample_weights.strides[0] * int64_t{sizeof(T)});
    }
    for (size_t d = 0; d < sums.size(); ++d) {
      sums[d] += factor * element(from, static_cast<int64_t>(d));
    }
  }

  void take_larger(std::vector<C>& best, int64_t i, bool is_first,
                   const tenon_tensor_info& max_indices, int64_t bag) const {
    const int64_t index = bags.indices[static_cast<size_t>(i)];
    const char* from = row(index);
    for (size_t d = 0; d < best.size(); ++d) {
      const C next = element(from, static_cast<int64_t>(d));
      if (!is_first && !(next > best[d])) continue;
      best[d] = next;
      put_integer(max_indices,
                  bag * max_indices.strides[0] + static_cast<int64_t>(d) * max_indices.strides[1],
                  index);
    }
  }

  void run(int64_t bag) const {
    const tenon_tensor_info rows = made.rows.info(), bag_of = made.bags.info();
    const tenon_tensor_info counts = made.counts.info(), max_indices = made.max_indices.info();
    std::vector<C> elements(static_cast<size_t>(weight.sizes[1]), C(0));
    const bool is_max = made.mode == BagMode::Max;
    if (is_max) {
      for (int64_t d = 0; d < weight.sizes[1]; ++d) {
        put_integer(max_indices, bag * max_indices.strides[0] + d * max_indices.strides[1], 0);
      }
    }
    int64_t count = 0;
    const auto at = static_cast<size_t>(bag);
    for (int64_t i = bags.starts[at]; i < bags.starts[at + 1]; ++i) {
      put_integer(bag_of, i * bag_of.strides[0], bag);
      if (bags.indices[static_cast<size_t>(i)] == padding) continue;
      if (is_max) {
        take_larger(elements, i, count == 0, max_indices, bag);
      } else {
        add(elements, i);
      }
      ++count;
    }
    const int64_t told = made.mode == BagMode::Sum ? 0 : count;
    put_integer(counts, bag * counts.strides[0], told);
    if (!is_max) put_integer(max_indices, bag * max_indices.strides[0], told);
    char* to = static_cast<char*>(rows.data) + bag * rows.strides[0] * int64_t{sizeof(T)};
    for (C& each : elements) {
      if (made.mode == BagMode::Mean && count > 0) each /= static_cast<C>(count);
      store<T>(to, each);
      to += rows.strides[1] * int64_t{sizeof(T)};
    }
  }
};

void embedding_bag(const Call& call) {
  EmbeddingBags made = embedding_bags(call);
  const Bags bags = checked_bags(call, made);
  const tenon_tensor_info weight = call.get<Tensor>(0)->info();
  tenon_tensor_info sample_weights{};
  if (const auto given = call.get<std::optional<Tensor>>(6)) sample_weights = given->info();
  const int64_t count = made.rows.sizes()[0];
  if (count == 0) {
    // Indices without a bag, which PyTorch accepts.
    const tenon_tensor_info bag_of = made.bags.info();
    for (int64_t i = 0; i < bag_of.numel; ++i) put_integer(bag_of, i * bag_of.strides[0], 0);
  }
  const int64_t each =
      weight.sizes[1] * std::max<int64_t>(made.bags.numel() / std::max<int64_t>(count, 1), 1);
  visit(call.op(), "weight", dtype_of_info(weight), FloatTypes(), [&]<class T>(Element<T>) {
    const BagLoop<T> loop{bags, made, weight, sample_weights, call.get<int64_t>(8)};
    parallel_for(count, std::max<int64_t>(kGrain / std::max<int64_t>(each, 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t bag = begin; bag < end; ++bag) loop.run(bag);
                 });
  });
  made.give(call);
}

}  // namespace

Operator operator_kEmbeddingBagDirect() {
  return routine_of<ops::kEmbeddingBagDirect, &embedding_bag>();
}
Operator operator_kEmbeddingBagForwardOnly() {
  return routine_of<ops::kEmbeddingBagForwardOnly, &embedding_bag>();
}

}  // namespace tenon::kernels::cpu
