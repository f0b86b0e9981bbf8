// SPDX-License-Identifier: Apache-2.0
#include "graph/bound_plan.h"

#include <cstring>

#include "base/check.h"
#include "base/small_vector.h"
#include "graph/graph.h"

namespace tenon::graph {

namespace {

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) noexcept { return (bytes + kAlignment - 1) & -kAlignment; }

// Allocates offsets in a block that grows as needed; freed ranges are reused.
class Block {
 public:
  int64_t take(int64_t bytes) {
    bytes = aligned(bytes);
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->bytes < bytes) continue;
      const int64_t offset = gap->offset;
      gap->offset += bytes;
      gap->bytes -= bytes;
      if (gap->bytes == 0) gaps_.erase(gap);
      return offset;
    }
    const int64_t offset = bytes_;
    bytes_ += bytes;
    return offset;
  }
  void give_back(int64_t offset, int64_t bytes) {
    if (bytes != 0) gaps_.push_back({offset, aligned(bytes)});
  }
  int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Gap {
    int64_t offset;
    int64_t bytes;
  };
  std::vector<Gap> gaps_;
  int64_t bytes_ = 0;
};

}  // namespace

// Assigns memory to intermediate results, which is reused after a result's last use.
void BoundPlan::plan_memory() {
  Block block;
  std::vector<bool> placed(roots_.size());
  const auto place_root = [&](uint32_t number) {
    Root& root = roots_[number];
    if (root.source != Source::kScratch || placed[number]) return;
    root.offset = block.take(root.bytes);
    placed[number] = true;
  };
  for (uint32_t number = 0; number < roots_.size(); ++number) {
    if (roots_[number].address != nullptr) place_root(number);  // live from the start
  }
  uint32_t place = 0;
  for (uint32_t step = 0; step < steps_.size(); ++step) {
    const uint32_t first = place;
    for (; place < steps_[step].places_end; ++place) place_root(places_[place].root);
    for (uint32_t i = first; i < place; ++i) {
      const uint32_t number = places_[i].root;
      Root& root = roots_[number];
      if (root.source != Source::kScratch || root.last_step != step || !placed[number]) continue;
      block.give_back(root.offset, root.bytes);
      root.last_step = kNone;
    }
  }
  block_bytes_ = block.bytes();
  plan_addresses();
}

// Indices of a run's base addresses: its block, 0 for absolute addresses, then the data of the
// inputs and of the tensors that the run allocates.
constexpr uint32_t kScratch = 0, kNowhere = 1, kBases = 2;

BoundPlan::RunAddress BoundPlan::run_address(const MemoryLocation& place) const noexcept {
  const Root& root = roots_[place.root];
  const auto inputs = static_cast<uint32_t>(graph_.inputs().size());
  switch (root.source) {
    case Source::kInput:
      return {kBases + root.number, place.offset};
    case Source::kOutput:
      return {kBases + inputs + root.number, place.offset};
    case Source::kScratch:
      return {kScratch, root.offset + place.offset};
    default:
      return {kNowhere, reinterpret_cast<int64_t>(root.address) + place.offset};
  }
}

void BoundPlan::plan_addresses() {
  for (const MemoryLocation& place : places_) addresses_.push_back(run_address(place));
  for (uint32_t number = 0; number < roots_.size(); ++number) {
    const Root& root = roots_[number];
    if (root.filled > 0 && root.source != Source::kConstant) filled_.push_back(number);
  }
}

void BoundPlan::release() noexcept {
  for (const Step& step : steps_) {
    if (step.bound.deleter != nullptr) step.bound.deleter(step.bound.state);
  }
  steps_.clear();
}

BoundPlan::~BoundPlan() { release(); }

bool BoundPlan::is_apart(const Root& written, const tenon_value* inputs, uint32_t from,
                         uint32_t to) const noexcept {
  const auto begin_of = [&](const Root& root) {
    const char* begin = root.address;
    if (root.source == Source::kInput) {
      begin = static_cast<const char*>(inputs[root.number].as.tensor->data());
    }
    return reinterpret_cast<uintptr_t>(begin);
  };
  const uintptr_t begin = begin_of(written);
  for (uint32_t i = from; i < to; ++i) {
    const Root& root = roots_[i];
    if (&root == &written || root.bytes == 0) continue;
    const uintptr_t other = begin_of(root);
    if (begin < other + static_cast<uintptr_t>(root.bytes) &&
        other < begin + static_cast<uintptr_t>(written.bytes)) {
      return false;
    }
  }
  return true;
}

// Overlaps between attributes are checked once, in Binder::finish().
bool BoundPlan::may_run(const tenon_value* inputs) const noexcept {
  const auto count = static_cast<uint32_t>(graph_.inputs().size());
  for (const CountedWrite& write : writes_) {
    const Root& root = roots_[write.root];
    const bool is_input = root.source == Source::kInput;
    if (is_input && inputs[root.number].as.tensor->storage()->is_read_only()) return false;
    if (!is_apart(root, inputs, 0, is_input ? given_ : count)) return false;
  }
  return true;
}

tensor::Tensor& BoundPlan::tensor_of(const Root& root, const tenon_value* inputs,
                                     const MadeTensors& made) const noexcept {
  if (root.source == Source::kInput) return *inputs[root.number].as.tensor;
  return root.source == Source::kConstant ? *root.tensor : *made[root.number];
}

void BoundPlan::run(tenon_stack* stack) const {
  tensor::TensorPtr block;
  if (block_bytes_ != 0) block = tensor::new_tensor(TENON_DTYPE_U8, nullptr, {&block_bytes_, 1});
  MadeTensors made(made_.size());
  for (size_t i = 0; i < made.size(); ++i) {
    made[i] = tensor::new_tensor(made_[i].dtype, nullptr, made_[i].sizes, made_[i].strides.data());
  }
  for (const CountedWrite& write : writes_) {
    tensor::Tensor& written = tensor_of(roots_[write.root], stack->args, made);
    for (uint32_t i = 0; i < write.calls; ++i) written.count_write();
  }
  base::SmallVector<uintptr_t, 32> bases(kBases + graph_.inputs().size() + made.size());
  const auto word_of = [](const void* data) { return reinterpret_cast<uintptr_t>(data); };
  bases[kScratch] = block ? word_of(block->data()) : 0;
  bases[kNowhere] = 0;
  size_t base = kBases;
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    bases[base++] = word_of(stack->args[i].as.tensor->data());
  }
  for (const tensor::TensorPtr& each : made) bases[base++] = word_of(each->data());
  const auto at = [&](const RunAddress& address) {
    return reinterpret_cast<void*>(bases[address.base] + static_cast<uintptr_t>(address.offset));
  };
  for (const uint32_t number : filled_) {
    const Root& root = roots_[number];
    std::memcpy(at(run_address({number, 0})), root.address, static_cast<size_t>(root.filled));
  }
  base::SmallVector<void*, 192> data(addresses_.size());
  for (size_t i = 0; i < addresses_.size(); ++i) data[i] = at(addresses_[i]);
  uint32_t first = 0;
  for (const Step& step : steps_) {
    const tenon_status status = step.bound.run(step.bound.state, &data[first]);
    if (status != TENON_OK) [[unlikely]] {
      const char* name = graph_.nodes()[step.node].op->name();
      base::ErrorPtr error = base::adopt_current_error(name, "kernel", status, true);
      error->add_note(base::concat("in node ", step.node, " of a graph, ", name));
      throw Error(std::move(error));
    }
    first = step.places_end;
  }
  give_outputs(stack, made);
}

void BoundPlan::give_outputs(tenon_stack* stack, const MadeTensors& made) const {
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    tensor::TensorPtr given;
    if (output.kind == Kind::kSame) {
      given = tensor::TensorPtr::share(stack->rets[output.number].as.tensor);
    } else {
      tensor::Tensor& whole = tensor_of(roots_[output.number], stack->args, made);
      if (output.kind == Kind::kWhole) {
        given = tensor::TensorPtr::share(&whole);
      } else if (output.is_detached) {
        given = tensor::TensorPtr::adopt(tensor::Tensor::make_detached(
            whole, output.sizes, output.strides, whole.offset() + output.offset));
      } else {
        given =
            tensor::new_alias(whole, output.sizes, output.strides, whole.offset() + output.offset);
        given->set_view_origin(output.origin);
      }
    }
    stack->rets[i] = tenon_value_give(tenon_value_of_tensor(given.detach()));
  }
}

}  // namespace tenon::graph
