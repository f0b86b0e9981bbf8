// SPDX-License-Identifier: Apache-2.0
// Batching rules of convolutions and of operators on images.
#include <string_view>

#include "kernels/common/batching/batching.h"
#include "kernels/common/check.h"
#include "kernels/common/checked_size.h"

namespace tenon::kernels {
namespace {

using Lengths = std::vector<int64_t>;

Lengths lengths_of(const Tensor& tensor) { return {tensor.sizes().begin(), tensor.sizes().end()}; }

// Merges the mapped dim, which is in front, into dim `dim` of the remaining dims, as its outer
// part. The caller checks that the tensor has that dim.
Tensor joined(const Tensor& tensor, int64_t dim) {
  const Tensor moved = move_dim(tensor, 0, dim);
  Lengths sizes = lengths_of(moved);
  const auto at = static_cast<size_t>(dim);
  sizes[at + 1] *= sizes[at];
  sizes.erase(sizes.begin() + dim);
  return reshaped(moved, sizes);
}

// Reverses joined(): splits off the mapped dim, of size `count`, and moves it to the front.
Tensor parted(const Tensor& tensor, int64_t dim, int64_t count) {
  Lengths sizes = lengths_of(tensor);
  const auto at = static_cast<size_t>(dim);
  sizes[at] = count == 0 ? 0 : sizes[at] / count;
  sizes.insert(sizes.begin() + dim, count);
  return move_dim(reshaped(tensor, sizes), dim, 0);
}

void give_parted(Batch& batch, int64_t dim) {
  const Tensor whole(batch.results()[0].as.tensor);
  batch.results()[0] = tenon_value{};
  batch.give(parted(whole, dim, batch.size()));
}

Lengths int_list(const tenon_value& value) {
  const auto* numbers = static_cast<const int64_t*>(value.as.list.data);
  return {numbers, numbers + value.count};
}

// Returns a number among the arguments times the size of the mapped dim.
int64_t times_batch(const Batch& batch, int64_t number) {
  return (CheckedSize(batch.op(), number) * batch.size()).value();
}

// Returns the number of dims of one image: its channels, and the dims in the operator's name.
int64_t dims_of_one(std::string_view name) {
  for (int64_t dims = 1; dims <= 3; ++dims) {
    const char text[] = {static_cast<char>('0' + dims), 'd', '\0'};
    if (name.find(text) != std::string_view::npos) return dims + 1;
  }
  return 3;
}

}  // namespace

// If weight and bias are not mapped, the mapped dim joins the batch. Otherwise the convolution is
// grouped, and each example has its own groups.
void batch_convolution(Batch& batch) {
  // The operator itself refuses tensors without channels.
  const bool has_bias = batch.is_tensor(2);
  if (batch.rank(0) < 2 || batch.rank(1) < 1 || (has_bias && batch.rank(2) < 1)) {
    return batch.decline();
  }
  if (!batch.is_mapped(1) && !(batch.is_tensor(2) && batch.is_mapped(2))) {
    batch.put(0, joined(batch.front(0), 0));
    batch.call();
    return give_parted(batch, 0);
  }
  const Tensor input = batch.repeated(0), weight = batch.repeated(1);
  batch.put(0, joined(input, 1));
  batch.put(1, joined(weight, 0));
  if (batch.is_tensor(2)) batch.put(2, joined(batch.repeated(2), 0));
  batch.arg(8) = tenon_value_of_int(times_batch(batch, batch.arg(8).as.i));
  batch.call();
  give_parted(batch, 1);
}

void batch_convolution_weight(Batch& batch) {
  Lengths sizes = int_list(batch.arg(2));
  if (sizes.empty() || batch.rank(0) < 2 || batch.rank(1) < 2) return batch.decline();
  batch.put(0, joined(batch.repeated(0), 1));
  batch.put(1, joined(batch.repeated(1), 1));
  sizes[0] = times_batch(batch, sizes[0]);
  batch.put(2, sizes);
  batch.arg(7) = tenon_value_of_int(times_batch(batch, batch.arg(7).as.i));
  batch.call();
  give_parted(batch, 0);
}

void batch_planes(Batch& batch) {
  const int64_t of_one = dims_of_one(batch.form().facts->name);
  const int64_t rank = batch.rank(0);
  if (rank != of_one && rank != of_one + 1) return batch.decline();
  for (size_t k = 0; k < batch.count(); ++k) {
    if (batch.is_tensor(k)) {
      if (batch.rank(k) != rank) return batch.decline();
      const Tensor all = batch.repeated(k);
      batch.put(k, rank == of_one ? all : joined(all, 0));
    } else if (batch.form().arguments[k] == "input_size") {
      Lengths sizes = int_list(batch.arg(k));
      if (static_cast<int64_t>(sizes.size()) != rank) return batch.decline();
      if (rank == of_one) {
        sizes.insert(sizes.begin(), batch.size());
      } else {
        sizes[0] = times_batch(batch, sizes[0]);
      }
      batch.put(k, sizes);
    }
  }
  batch.call();
  if (rank == of_one) return;
  for (tenon_value& ret : batch.results()) {
    const Tensor whole(ret.as.tensor);
    ret = tenon_value{};
    ret = tenon_value_give(tenon_value_of_tensor(parted(whole, 0, batch.size()).release()));
  }
}

}  // namespace tenon::kernels
