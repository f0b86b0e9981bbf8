// SPDX-License-Identifier: Apache-2.0
#include "graph/bound_plan.h"

#include "base/check.h"
#include "base/small_vector.h"
#include "graph/graph.h"

namespace tenon::graph {

namespace {

constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t bytes) noexcept { return (bytes + kAlignment - 1) & -kAlignment; }

// Pieces of a block that grows as needed; what was given back is given out again.
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

// Intermediate results whose last use is behind share their memory with later ones.
void BoundPlan::plan_memory() {
  Block block;
  std::vector<bool> placed(roots_.size());
  uint32_t place = 0;
  for (uint32_t step = 0; step < steps_.size(); ++step) {
    const uint32_t first = place;
    for (; place < steps_[step].places_end; ++place) {
      const uint32_t number = places_[place].root;
      Root& root = roots_[number];
      if (root.source != Source::kScratch || placed[number]) continue;
      root.offset = block.take(root.bytes);
      placed[number] = true;
    }
    for (uint32_t i = first; i < place; ++i) {
      const uint32_t number = places_[i].root;
      Root& root = roots_[number];
      if (root.source != Source::kScratch || root.last_step != step || !placed[number]) continue;
      block.give_back(root.offset, root.bytes);
      root.last_step = kNone;
    }
  }
  block_bytes_ = block.bytes();
}

void BoundPlan::release() noexcept {
  for (const Step& step : steps_) {
    if (step.bound.deleter != nullptr) step.bound.deleter(step.bound.state);
  }
  steps_.clear();
}

BoundPlan::~BoundPlan() { release(); }

void BoundPlan::run(tenon_stack* stack) const {
  tensor::TensorPtr block;
  if (block_bytes_ != 0) block = tensor::new_tensor(TENON_DTYPE_U8, nullptr, {&block_bytes_, 1});
  char* const scratch = block ? static_cast<char*>(block->data()) : nullptr;
  std::vector<tensor::TensorPtr> made(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    if (output.input != kNone || roots_[output.root].number != i) continue;
    made[i] = tensor::new_tensor(output.dtype, nullptr, output.sizes, output.strides.data());
  }
  base::SmallVector<char*, 64> bases(roots_.size());
  for (size_t i = 0; i < roots_.size(); ++i) {
    const Root& root = roots_[i];
    switch (root.source) {
      case Source::kInput:
        bases[i] = static_cast<char*>(stack->args[root.number].as.tensor->data());
        break;
      case Source::kConstant:
        bases[i] = root.address;
        break;
      case Source::kScratch:
        bases[i] = scratch + root.offset;
        break;
      case Source::kOutput:
        bases[i] = static_cast<char*>(made[root.number]->data());
        break;
    }
  }
  base::SmallVector<void*, 192> data(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) data[i] = bases[places_[i].root] + places_[i].offset;
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
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    if (output.input != kNone) {
      stack->rets[i] = value::copy(stack->args[output.input]);
      continue;
    }
    const uint32_t owner = roots_[output.root].number;
    if (owner < i) made[i] = tensor::TensorPtr::share(stack->rets[owner].as.tensor);
    stack->rets[i] = tenon_value_of_tensor(made[i].detach());
    stack->rets[i].flags = TENON_VALUE_OWNED;
  }
}

}  // namespace tenon::graph
