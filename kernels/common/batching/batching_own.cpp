// SPDX-License-Identifier: Apache-2.0
// Batching rules of operators that no family's rule covers: indexing, joining, images.
#include <algorithm>

#include "kernels/common/batching/batching.h"
#include "kernels/common/check.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

namespace {

constinit const LazyOp<Tensor(const Tensor&, TensorList)> call_indexed("aten::index.Tensor");
constinit const LazyOp<Tensor(const Tensor&, Sizes)> in_order("aten::permute");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where_true(
    "aten::where.self");
constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy_into("aten::copy_");

// One of several indices, with the mapped dim in front.
struct Index {
  Tensor tensor;  // empty: the whole dim
  bool mapped = false;

  bool is_mask() const { return tensor && tensor.dtype() == Dtype::Bool; }
  // Returns the number of dims for each example, after masks are converted to positions.
  int64_t rank() const { return is_mask() ? 1 : tensor.ndim() - (mapped ? 1 : 0); }
  // Returns the number of dims that the index applies to.
  int64_t takes() const { return is_mask() ? tensor.ndim() : 1; }
};

struct Indices {
  std::vector<Index> all;
  bool any_mapped = false;
  int64_t rank = 0;      // number of dims of the shape that the indices broadcast to
  int64_t first = 0;     // first dim of the tensor that is indexed
  int64_t taken = 0;     // number of dims that are indexed
  bool together = true;  // the dims that are indexed are adjacent
};

Indices read(Batch& batch, const std::vector<Tensor>& tensors, std::span<const int64_t> dims) {
  Indices found;
  int64_t dim = 0;
  bool ended = false;
  bool begun = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Index index{tensors[i], dims[i] >= 0};
    if (index.tensor && index.mapped) index.tensor = move_dim(index.tensor, dims[i], 0);
    if (!index.tensor) {
      ended = ended || begun;
      ++dim;
    } else {
      if (index.mapped && index.is_mask()) {
        fail(TENON_ERROR_NOT_SUPPORTED,
             {batch.op(),
              ": indices must not be a mask that the vmap maps, as the shape of "
              "the result would depend on the data of each example; use where() instead"});
      }
      if (!begun) found.first = dim;
      found.together = found.together && !ended;
      begun = true;
      found.rank = std::max(found.rank, index.rank());
      found.taken += index.takes();
      dim += index.takes();
      found.any_mapped = found.any_mapped || index.mapped;
    }
    found.all.push_back(std::move(index));
  }
  return found;
}

// Returns 0 to batch size - 1 along the first of `rank` dims.
Tensor numbers_of_mapped(Batch& batch, std::optional<Device> device, int64_t rank) {
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      arange("aten::arange");
  const Scalar count(batch.size());
  return with_ones(arange(count, Dtype::I64, std::nullopt, device, std::nullopt), 1, rank);
}

// Returns the indices with the batch positions as an additional first index.
std::vector<Tensor> with_numbers(Batch& batch, const Indices& indices) {
  std::vector<Tensor> list;
  std::optional<Device> device;
  for (const Index& each : indices.all) {
    if (each.tensor) device = each.tensor.device();
  }
  list.push_back(numbers_of_mapped(batch, device, indices.rank + 1));
  for (const Index& each : indices.all) {
    list.push_back(each.mapped ? with_ones(each.tensor, 1, indices.rank + 1) : each.tensor);
  }
  return list;
}

std::vector<Tensor> plain_list(const Indices& indices, bool skips_first) {
  std::vector<Tensor> list;
  if (skips_first) list.emplace_back();
  for (const Index& each : indices.all) {
    list.push_back(each.mapped ? with_ones(each.tensor, 1, indices.rank + 1) : each.tensor);
  }
  return list;
}

// Indexes a tensor, whose mapped dim is in front if it has one, and returns the result.
void give_indexed(Batch& batch, const Tensor& self, bool is_mapped, const Indices& indices) {
  if (!is_mapped) {  // only the indices are mapped
    const Tensor found = call_indexed(self, plain_list(indices, false));
    return batch.give(found, indices.together ? indices.first : 0);
  }
  if (!indices.any_mapped) {
    const Tensor found = call_indexed(self, plain_list(indices, true));
    return batch.give(found, indices.together ? 0 : indices.rank);
  }
  const Tensor found = call_indexed(self, with_numbers(batch, indices));
  // The result has the mapped dim, then the dims of the indices, then all others. Moves those
  // others that precede the indexed dims to the front again.
  const int64_t before = indices.together ? indices.first : 0;
  if (before == 0) return batch.give(found);
  std::vector<int64_t> order{0};
  for (int64_t i = 0; i < before; ++i) order.push_back(1 + indices.rank + i);
  for (int64_t i = 0; i < indices.rank; ++i) order.push_back(1 + i);
  for (int64_t i = 1 + indices.rank + before; i < found.ndim(); ++i) order.push_back(i);
  batch.give(in_order(found, order));
}

}  // namespace

void batch_index(Batch& batch) {
  const Indices indices = read(batch, batch.list(1), batch.list_dims(1));
  give_indexed(batch, batch.front(0), batch.is_mapped(0), indices);
}

void batch_embedding(Batch& batch) {
  const int64_t dim = batch.is_mapped(1) ? batch.mapped_dim(1) : -1;
  const Tensor index = Tensor::retain(batch.arg(1).as.tensor);
  const Indices indices = read(batch, {index}, {&dim, 1});
  give_indexed(batch, batch.front(0), batch.is_mapped(0), indices);
}

void batch_take(Batch& batch) {
  const int64_t dim = batch.is_mapped(1) ? batch.mapped_dim(1) : -1;
  const Tensor index = Tensor::retain(batch.arg(1).as.tensor);
  const Indices indices = read(batch, {index}, {&dim, 1});
  const bool mapped = batch.is_mapped(0);
  const Tensor flat = mapped ? reshaped(batch.front(0), std::vector<int64_t>{batch.size(), -1})
                             : reshaped(batch.front(0), std::vector<int64_t>{-1});
  give_indexed(batch, flat, mapped, indices);
}

namespace {

// Handles a single mapped mask with one value per example as a where(), whose shape does not depend
// on the number of true elements. Returns false for other calls.
bool put_where(Batch& batch) {
  const std::vector<Tensor> list = batch.list(1);
  const bool accumulates = batch.arg(3).as.i != 0;
  if (accumulates || list.size() != 1 || !list[0] || list[0].dtype() != Dtype::Bool) return false;
  const int64_t dim = batch.list_dims(1)[0];
  if (dim < 0 || batch.rank(2) != 0) return false;
  const Tensor self = batch.repeated(0);
  const Tensor mask = move_dim(list[0], dim, 0);
  if (mask.ndim() > self.ndim()) return false;
  std::vector<int64_t> sizes(mask.sizes().begin(), mask.sizes().end());
  sizes.resize(static_cast<size_t>(self.ndim()), 1);
  Tensor value = batch.front(2);
  if (batch.is_mapped(2)) value = with_ones(value, 1, self.ndim());
  const Tensor put = where_true(reshaped(mask, sizes), value, self);
  if (!batch.is_in_place()) return batch.give(put), true;
  copy_into(self, put, false);
  batch.give(Tensor::retain(batch.arg(0).as.tensor), batch.mapped_dim(0));
  return true;
}

// Indices, with masks that are not mapped replaced by the positions of their true elements.
struct Places {
  std::vector<Tensor> tensors;
  std::vector<int64_t> dims;
};
Places places_of_masks(Batch& batch) {
  static constinit const LazyOp<std::vector<Tensor>(const Tensor&)> places("aten::where");
  const std::vector<Tensor> list = batch.list(1);
  const auto dims = batch.list_dims(1);
  Places found;
  for (size_t i = 0; i < list.size(); ++i) {
    const bool is_mask = list[i] && dims[i] < 0 && list[i].dtype() == Dtype::Bool;
    const std::vector<Tensor> tensors = is_mask ? places(list[i]) : std::vector{list[i]};
    found.tensors.insert(found.tensors.end(), tensors.begin(), tensors.end());
    found.dims.resize(found.tensors.size(), dims[i]);
  }
  return found;
}

}  // namespace

void batch_index_put(Batch& batch) {
  require_mapped_self(batch);
  if (put_where(batch)) return;
  const Places places = places_of_masks(batch);
  const Indices indices = read(batch, places.tensors, places.dims);
  const bool has_index = std::any_of(indices.all.begin(), indices.all.end(),
                                     [](const Index& each) { return bool(each.tensor); });
  if (!has_index) return batch.decline();
  const Tensor self = batch.repeated(0);
  Tensor values = batch.front(2);
  // Arranges the values like the elements that are written: the mapped dim, dims of the indices,
  // others.
  const int64_t rank = batch.rank(0) - indices.taken + indices.rank;
  if (batch.is_mapped(2)) values = with_ones(values, 1, rank + 1);
  const int64_t before = indices.together ? indices.first : 0;
  if (before != 0) {
    if (!batch.is_mapped(2)) values = with_ones(values, 0, rank);
    const int64_t front = batch.is_mapped(2) ? 1 : 0;
    std::vector<int64_t> order;
    if (front == 1) order.push_back(0);
    for (int64_t i = 0; i < indices.rank; ++i) order.push_back(front + before + i);
    for (int64_t i = 0; i < before; ++i) order.push_back(front + i);
    for (int64_t i = front + before + indices.rank; i < values.ndim(); ++i) order.push_back(i);
    values = in_order(values, order);
  }
  const std::vector<Tensor> list = with_numbers(batch, indices);
  std::vector<tenon_tensor*> handles;
  for (const Tensor& each : list) handles.push_back(each.get());
  batch.put(0, self);
  batch.put(2, values);
  batch.arg(1) = tenon_value_of_tensors(handles.data(), static_cast<uint32_t>(handles.size()));
  batch.call();
}

void batch_join(Batch& batch) {
  const std::vector<Tensor> tensors = batch.list(0);
  const auto dims = batch.list_dims(0);
  const bool is_stack = std::string_view(batch.form().facts->name) == "stack";
  std::vector<Tensor> wholes;
  int64_t rank = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool mapped = dims[i] >= 0;
    const int64_t its_rank = tensors[i].ndim() - (mapped ? 1 : 0);
    // cat() ignores empty vectors among tensors with any number of dims.
    const bool is_nothing = !is_stack && its_rank == 1 && tensors[i].numel() == 0;
    if (is_nothing && i + 1 != tensors.size()) continue;
    if (is_nothing && !wholes.empty()) continue;
    rank = std::max(rank, its_rank);
    std::vector<int64_t> sizes(tensors[i].sizes().begin(), tensors[i].sizes().end());
    sizes.insert(sizes.begin(), batch.size());
    wholes.push_back(mapped ? move_dim(tensors[i], dims[i], 0) : expanded(tensors[i], sizes));
  }
  std::vector<tenon_tensor*> handles;
  for (const Tensor& each : wholes) handles.push_back(each.get());
  batch.arg(0) = tenon_value_of_tensors(handles.data(), static_cast<uint32_t>(handles.size()));
  batch.arg(1) = tenon_value_of_int(batch.shifted(batch.arg(1).as.i, is_stack ? rank + 1 : rank));
  batch.call();
}

void batch_copy(Batch& batch) {
  require_mapped_self(batch);
  const int64_t rank = batch.rank(0);
  if (batch.rank(1) > rank) return batch.decline();  // the operator itself refuses it
  batch.put(0, batch.repeated(0));
  if (batch.is_mapped(1)) batch.put(1, with_ones(batch.front(1), 1, rank + 1));
  batch.call();
}

void batch_fill(Batch& batch) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool)> copy("aten::copy");
  require_mapped_self(batch);
  // The operator itself refuses it.
  if (batch.is_mapped(1) && batch.rank(1) != 0) return batch.decline();
  const Tensor self = batch.repeated(0);
  if (!batch.is_mapped(1)) {
    batch.put(0, self);
    return batch.call();
  }
  const Tensor value = with_ones(batch.front(1), 1, self.ndim());
  if (!batch.is_in_place()) return batch.give(copy(self, value, false));
  copy_into(self, value, false);
  batch.give(Tensor::retain(batch.arg(0).as.tensor), batch.mapped_dim(0));
}

namespace {

// Returns true if the source of index_add and similar operators has the sizes that they require.
bool has_source(Batch& batch, const Tensor& self, const Tensor& index, int64_t at) {
  const Tensor source = batch.repeated(3);
  if (source.ndim() != self.ndim() || source.dtype() != self.dtype()) return false;
  for (int64_t dim = 1; dim < self.ndim(); ++dim) {
    const auto d = static_cast<size_t>(dim);
    if (source.sizes()[d] != (dim == at ? index.sizes()[1] : self.sizes()[d])) return false;
  }
  return true;
}

// Implements index_add, index_copy and index_fill with mapped indices along dim `at` of self by
// index_put at pairs of batch position and index.
void put_at_lists(Batch& batch, int64_t at) {
  static constinit const LazyOp<Tensor(const Tensor&, TensorList, const Tensor&, bool)> put(
      "aten::index_put");
  static constinit const LazyOp<void(const Tensor&, TensorList, const Tensor&, bool)> put_in_place(
      "aten::index_put_");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scaled("aten::mul.Scalar");
  static constinit const LazyOp<Tensor(Sizes, const Scalar&, std::optional<Dtype>,
                                       std::optional<Layout>, std::optional<Device>,
                                       std::optional<bool>)>
      full("aten::full");
  const std::string_view name = batch.form().facts->name;
  const Tensor self = batch.repeated(0);
  const Tensor index = batch.repeated(2);
  Tensor values;
  if (name == "index_fill.int_Scalar") {
    values = full(Sizes(), Scalar(batch.arg(3)), self.dtype(), std::nullopt, self.device(),
                  std::nullopt);
  } else if (name == "index_fill.int_Tensor") {
    if (batch.rank(3) != 0) return batch.decline();  // the operator itself refuses it
    values = cast(with_ones(batch.repeated(3), 1, self.ndim()), self.dtype());
  } else {
    if (!has_source(batch, self, index, at)) return batch.decline();
    values = move_dim(batch.repeated(3), at, 1);
  }
  const bool adds = name == "index_add";
  if (adds && !(batch.arg(4).tag == TENON_TAG_INT && batch.arg(4).as.i == 1)) {
    values = scaled(values, Scalar(batch.arg(4)));
    if (values.dtype() != self.dtype()) return batch.decline();  // the operator itself refuses it
  }
  const Tensor numbers = numbers_of_mapped(batch, index.device(), 2);
  tenon_tensor* const places[] = {numbers.get(), index.get()};
  const Tensor along = move_dim(self, at, 1);
  if (!batch.is_in_place()) {
    return batch.give(move_dim(put(along, TensorList(places, 2), values, adds), 1, at));
  }
  put_in_place(along, TensorList(places, 2), values, adds);
  batch.give(Tensor::retain(batch.arg(0).as.tensor), batch.mapped_dim(0));
}

}  // namespace

void batch_along_dim(Batch& batch) {
  // Operators on index lists do not accept a different index for each example.
  const std::string_view name = batch.form().facts->name;
  if (batch.is_mapped(2) || batch.rank(0) == 0 || name == "index_fill.int_Tensor") {
    const bool selects = name == "index_select";
    const int64_t rank = batch.rank(0);
    if (rank == 0 || batch.rank(2) > 1) return batch.decline();
    if (!selects) {
      if (batch.rank(2) == 0 || (batch.is_in_place() && !batch.is_mapped(0))) {
        return batch.decline();
      }
      return put_at_lists(batch, batch.shifted(batch.arg(1).as.i, rank));
    }
    const int64_t at = batch.shifted(batch.arg(1).as.i, rank) - 1;
    std::vector<Tensor> list(static_cast<size_t>(at) + 1);
    std::vector<int64_t> dims(list.size(), -1);
    const Tensor index = with_ones(batch.front(2), 1, 2);
    list.back() = index;
    dims.back() = 0;
    const Indices indices = read(batch, list, dims);
    return give_indexed(batch, batch.front(0), batch.is_mapped(0), indices);
  }
  if (batch.is_in_place() && !batch.is_mapped(0)) return batch.decline();
  const int64_t rank = batch.rank(0);
  batch.put(0, batch.repeated(0));
  for (size_t k = 3; k < batch.count(); ++k) {
    if (!batch.is_tensor(k)) continue;
    if (batch.rank(k) != rank) return batch.decline();
    batch.put(k, batch.repeated(k));
  }
  batch.arg(1) = tenon_value_of_int(batch.shifted(batch.arg(1).as.i, rank));
  batch.call();
}

void batch_images(Batch& batch) {
  const int64_t rank = batch.rank(0);
  const Tensor self = batch.front(0);
  // The last dims are those of an image, or two for the columns of im2col.
  const bool columns = std::string_view(batch.form().facts->name) == "col2im";
  const int64_t of_one = columns ? 2 : 3;
  if (rank == of_one) {
    batch.put(0, self);
    return batch.call();
  }
  if (rank != of_one + 1) return batch.decline();
  std::vector<int64_t> sizes(self.sizes().begin(), self.sizes().end());
  const int64_t images = sizes[1];
  sizes.erase(sizes.begin());
  sizes[0] = batch.size() * images;
  batch.put(0, reshaped(self, sizes));
  batch.call();
  for (tenon_value& ret : batch.results()) {
    const Tensor whole(ret.as.tensor);
    ret = tenon_value{};
    std::vector<int64_t> parts(whole.sizes().begin(), whole.sizes().end());
    parts[0] = images;
    parts.insert(parts.begin(), batch.size());
    ret = tenon_value_give(tenon_value_of_tensor(reshaped(whole, parts).release()));
  }
}

void batch_strided_scatter(Batch& batch) {
  const auto ints = [&](size_t k) {
    const auto* const data = static_cast<const int64_t*>(batch.arg(k).as.list.data);
    return std::vector<int64_t>(data, data + batch.arg(k).count);
  };
  // Each example gets its own block of memory, which holds its base and its view. The blocks follow
  // one another.
  const auto end = [&](size_t geometry, size_t offset) {
    const int64_t elements = reach(ints(geometry), ints(geometry + 1));
    return (CheckedSize(batch.op(), batch.arg(offset).as.i) + elements).value();
  };
  const int64_t first = std::min(batch.arg(3).as.i, batch.arg(6).as.i);
  const CheckedSize last(batch.op(), std::max(end(1, 3), end(4, 6)));
  const int64_t each = std::max<int64_t>((last - first).value(), 1);
  const auto with = [&](size_t k, int64_t first) {
    std::vector<int64_t> list = ints(k);
    list.insert(list.begin(), first);
    batch.put(k, list);
  };
  batch.put(0, batch.front(0));
  with(1, batch.size());
  with(2, each);
  with(4, batch.size());
  with(5, each);
  batch.call();
}

void batch_masked_fill(Batch& batch) {
  const int64_t rank = std::max(batch.rank(0), batch.rank(1));
  if (batch.rank(2) != 0) return batch.decline();
  if (batch.is_in_place() && (!batch.is_mapped(0) || batch.rank(0) < rank)) return batch.decline();
  const auto aligned = [&](size_t k) {
    return batch.is_mapped(k) ? with_ones(batch.front(k), 1, rank + 1) : batch.front(k);
  };
  const Tensor self = aligned(0);
  Tensor value = aligned(2);
  if (value.dtype() != self.dtype()) value = cast(value, self.dtype());
  const Tensor filled = where_true(aligned(1), value, self);
  if (!batch.is_in_place()) return batch.give(filled);
  copy_into(batch.front(0), filled, false);
  batch.give(Tensor::retain(batch.arg(0).as.tensor), batch.mapped_dim(0));
}

// The source index of each written element is the number of written elements before it.
void batch_masked_scatter(Batch& batch) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> cumsum(
      "aten::cumsum");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> subtract(
      "aten::sub.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::clamp_min");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, bool)> gather(
      "aten::gather");
  const int64_t rank = std::max(batch.rank(0), batch.rank(1));
  if (batch.is_in_place() && (!batch.is_mapped(0) || batch.rank(0) < rank)) return batch.decline();
  const Tensor self = with_ones(batch.repeated(0), 1, rank + 1);
  const Tensor mask = with_ones(batch.repeated(1), 1, rank + 1);
  const std::vector<int64_t> rows{batch.size(), -1};
  const Dims sizes = broadcast(batch.op(), self.sizes(), mask.sizes());
  const bool is_good = mask.dtype() == Dtype::Bool && self.dtype() == batch.front(2).dtype();
  if (!is_good || batch.front(2).numel() == 0 || numel_of(sizes) == 0) return batch.decline();
  const Tensor source = reshaped(batch.repeated(2), rows);
  const Tensor wide = expanded(mask, sizes);
  const Tensor count = cumsum(reshaped(wide, rows), 1, std::nullopt);
  const Tensor places =
      at_least(subtract(count, Scalar(int64_t{1}), Scalar(int64_t{1})), Scalar(int64_t{0}));
  const Tensor picked = reshaped(gather(source, 1, places, false), sizes);
  const Tensor written = where_true(wide, picked, self);
  if (!batch.is_in_place()) return batch.give(written);
  copy_into(batch.front(0), written, false);
  batch.give(Tensor::retain(batch.arg(0).as.tensor), batch.mapped_dim(0));
}

void batch_new(Batch& batch) {
  batch.put(0, batch.front(0));
  const auto list = [&](size_t k, int64_t first) {
    const auto* const numbers = static_cast<const int64_t*>(batch.arg(k).as.list.data);
    std::vector<int64_t> all{first};
    all.insert(all.end(), numbers, numbers + batch.arg(k).count);
    return all;
  };
  std::vector<int64_t> sizes = list(1, batch.size());
  if (std::string_view(batch.form().facts->name) == "new_empty_strided") {
    // The tensors of the batch are stored one after another.
    std::vector<int64_t> strides = list(2, 0);
    const size_t rank = sizes.size() - 1;
    strides[0] = reach({sizes.data() + 1, rank}, {strides.data() + 1, rank});
    batch.put(2, strides);
  }
  batch.put(1, sizes);
  batch.call();
}

void batch_masked_select(Batch& batch) {
  // A mask that is not mapped selects the same number of elements from each example.
  if (batch.is_mapped(1)) return batch.decline();
  const int64_t rank = std::max<int64_t>({1, batch.rank(0), batch.rank(1)});
  const Tensor self = with_ones(batch.front(0), 1, rank + 1);
  const Tensor mask = with_ones(batch.front(1), 0, rank);
  if (mask.dtype() != Dtype::Bool) return batch.decline();  // the operator itself refuses it
  const Dims sizes = broadcast(batch.op(), self.sizes().subspan(1), mask.sizes());
  const Tensor wide = expanded(mask, sizes);
  std::vector<int64_t> whole{batch.size()};
  whole.insert(whole.end(), sizes.begin(), sizes.end());
  tenon_tensor* const indices[] = {nullptr, wide.get()};
  batch.give(call_indexed(expanded(self, whole), TensorList(indices, 2)));
}

}  // namespace tenon::kernels
