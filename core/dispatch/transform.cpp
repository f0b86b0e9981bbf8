// SPDX-License-Identifier: Apache-2.0
#include "dispatch/transform.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/own_arguments.h"

namespace tenon::dispatch {

namespace {

using tensor::Content;
using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset kFront = functionality_bit(TENON_FUNCTIONALITY_TRANSFORM_FRONT);
constexpr tenon_keyset kBack = functionality_bit(TENON_FUNCTIONALITY_TRANSFORM_BACK);
constexpr tenon_keyset kTracer = functionality_bit(TENON_FUNCTIONALITY_TRACER);
// Keys of the layers that everyone knows; kinds on the stack add theirs.
constexpr tenon_keyset kLayerKeys = functionality_bit(TENON_FUNCTIONALITY_BATCHED) |
                                    functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD) |
                                    functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

// Layers that ended stay on the stacks of threads that they were carried to: not their turn.
size_t live_layers(const ThreadStacks& stacks) noexcept {
  size_t count = stacks.layers.size();
  while (count != 0 && !stacks.layers.at(count - 1).layer->is_alive()) --count;
  return count;
}

LayerEntry* top_entry() noexcept {
  ThreadStacks* stacks = thread_stacks();
  const size_t count = stacks != nullptr ? live_layers(*stacks) : 0;
  return count != 0 ? &stacks->layers.at(count - 1) : nullptr;
}

// Words with TransformFront included exactly while there are layers.
KeyWords with_front(KeyWords words) noexcept {
  if (top_entry() == nullptr)
    return {words.include & ~kFront, words.exclude, words.known, words.grad_mode};
  return {words.include | kFront, words.exclude & ~kFront, words.known, words.grad_mode};
}

// Words for calls that a layer serves.
KeyWords words_of(const Layer& layer, const KeyWords& outer) noexcept {
  tenon_keyset others = kLayerKeys;
  const ThreadStacks& stacks = *thread_stacks();
  for (size_t i = 0; i < stacks.layers.size(); ++i) {
    others |= stacks.layers.at(i).layer->kind().keys;
  }
  const LayerKind& kind = layer.kind();
  others &= ~kind.keys;
  return {(outer.include & ~kFront & ~others) | kind.include | kBack,
          (outer.exclude & ~kind.keys & ~kBack) | others | kFront | kTracer, outer.known,
          outer.grad_mode};
}

// Sets words for one call, and puts back what was.
class ForWords {
 public:
  explicit ForWords(KeyWords words) noexcept : before_(key_words()) { set_key_words(words); }
  ~ForWords() { set_key_words(before_); }
  ForWords(const ForWords&) = delete;
  ForWords& operator=(const ForWords&) = delete;

 private:
  const KeyWords before_;
};

// The tensor that one of a layer that ended stands for; the tensor itself where its layer lives.
Tensor& settle_dead(const tenon_op* op, Tensor& tensor) {
  Tensor* at = &tensor;
  for (const LevelTensor* level = level_tensor(*at); level != nullptr; level = level_tensor(*at)) {
    const Layer& layer = *level->layer;
    if (layer.is_alive()) break;
    TENON_CHECK(layer.kind().dead_unwraps, TENON_ERROR_STATE, op->name(),
                ": tensor must not outlive its transform, got one of a ", layer.kind().name,
                " that has ended (level ", layer.level(), ")");
    at = level->below.get();
  }
  return *at;
}

// A tensor as the layer's calls see it: empty where it is that already.
TensorPtr lift(const tenon_op* op, Layer& layer, Tensor& tensor) {
  Tensor& now = settle_dead(op, tensor);
  const LevelTensor* level = level_tensor(now);
  if (level != nullptr && level->layer.get() == &layer) {
    return &now == &tensor ? TensorPtr() : TensorPtr::share(&now);
  }
  TENON_CHECK(level == nullptr || level->layer->level() < layer.level(), TENON_ERROR_STATE,
              op->name(), ": tensor must be of level ", layer.level(), " or lower, got one of a ",
              level->layer->kind().name, " of level ", level->layer->level(),
              " that is not running here");
  if (now.is_undefined() || layer.kind().lift == nullptr) {
    return &now == &tensor ? TensorPtr() : TensorPtr::share(&now);
  }
  return layer.kind().lift(layer, now);
}

// The argument's own handle where a result is the tensor below it: what is returned is an alias of
// it at every level. `below` has the tensors that the arguments were replaced with.
using Replaced = std::vector<std::pair<Tensor*, Tensor*>>;  // argument, tensor below
TensorPtr rewrap(Layer& layer, const Replaced& replaced, Tensor& result) {
  for (const auto& [argument, below] : replaced) {
    if (below == &result) return TensorPtr::share(argument);
  }
  return layer.kind().lift != nullptr && !result.is_undefined() ? layer.kind().lift(layer, result)
                                                                : TensorPtr();
}

void rewrap_results(Layer& layer, const Replaced& replaced, tenon_stack* stack) {
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    tenon_value& ret = stack->rets[i];
    if (ret.tag == TENON_TAG_TENSOR) {
      if (TensorPtr wrapped = rewrap(layer, replaced, *ret.as.tensor)) {
        value::clear(&ret);
        ret.tag = TENON_TAG_TENSOR;
        ret.flags = TENON_VALUE_OWNED;
        ret.as.tensor = wrapped.detach();
      }
    } else if (ret.tag == TENON_TAG_TENSOR_LIST) {
      std::vector<TensorPtr> owners;
      std::vector<Tensor*> tensors(value::tensors(ret), value::tensors(ret) + ret.count);
      for (Tensor*& tensor : tensors) {
        if (tensor == nullptr) continue;
        if (TensorPtr wrapped = rewrap(layer, replaced, *tensor)) {
          tensor = wrapped.get();
          owners.push_back(std::move(wrapped));
        }
      }
      const tenon_value list = value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(),
                                               static_cast<int64_t>(tensors.size()));
      value::clear(&ret);
      ret = list;
    }
  }
}

}  // namespace

LevelTensor::LevelTensor(LayerPtr its_layer, TensorPtr tensor_below, void* its_content,
                         tenon_deleter drop_content) noexcept
    : layer(std::move(its_layer)),
      below(std::move(tensor_below)),
      content(its_content),
      drop(drop_content) {}

LevelTensor::~LevelTensor() {
  if (drop != nullptr) drop(content);
}

LayerPtr enter_layer(const LayerKind& kind, void* content) {
  ThreadStacks& stacks = require_thread_stacks();
  const LayerEntry* top = top_entry();
  auto layer =
      base::make_intrusive<Layer>(kind, top != nullptr ? top->layer->level() + 1 : 1, content);
  stacks.layers.push({layer, key_words()});
  set_key_words(with_front(key_words()));
  return layer;
}

void leave_layer(Layer& layer) {
  ThreadStacks* stacks = thread_stacks();
  const bool is_top =
      stacks != nullptr && !stacks->layers.empty() && stacks->layers.top().layer.get() == &layer;
  TENON_CHECK(is_top, TENON_ERROR_STATE, "transform: layer to leave must be the innermost, got ",
              layer.kind().name, " of level ", layer.level());
  layer.end();
  const KeyWords before = stacks->layers.pop().outer;
  const KeyWords now = key_words();
  set_key_words({(now.include & ~kFront) | (before.include & kFront),
                 (now.exclude & ~kFront) | (before.exclude & kFront), now.known, now.grad_mode});
}

LayerPtr top_layer() noexcept {
  const LayerEntry* top = top_entry();
  return top != nullptr ? top->layer : LayerPtr();
}

TensorPtr new_level_tensor(Layer& layer, Tensor& below, tenon_keyset keys, tensor::Dims sizes,
                           void* content, tenon_deleter drop) {
  struct Owner {
    void* content;
    tenon_deleter drop;
    ~Owner() {
      if (drop != nullptr) drop(content);
    }
  } owner{content, drop};
  auto level = std::make_unique<LevelTensor>(LayerPtr::share(&layer), TensorPtr::share(&below),
                                             content, drop);
  owner.drop = nullptr;
  const tenon_keyset all = (keys & kFunctionalityMask) | kBack | (below.keys() & kBackendMask);
  return TensorPtr::adopt(Tensor::make_hollow(
      all, below.dtype(), below.device(), sizes, Content::kLevel, level.release(),
      [](void* dead) { delete static_cast<LevelTensor*>(dead); }));
}

const LevelTensor* level_tensor(const Tensor& tensor) noexcept {
  return static_cast<const LevelTensor*>(tensor.content(Content::kLevel));
}

const LevelTensor* level_tensor(const Tensor& tensor, const Layer& layer) noexcept {
  const LevelTensor* level = level_tensor(tensor);
  return level != nullptr && level->layer.get() == &layer ? level : nullptr;
}

BelowLayer::BelowLayer() noexcept : words_(key_words()) {
  const LayerEntry* top = top_entry();
  if (top == nullptr) return;
  hides_ = true;
  const KeyWords outer = top->outer;
  ThreadStacks& stacks = *thread_stacks();
  hidden_ = stacks.layers.hide_from(live_layers(stacks) - 1);
  set_key_words(with_front(outer));
}

BelowLayer::~BelowLayer() {
  if (!hides_) return;
  thread_stacks()->layers.show(hidden_);
  set_key_words(words_);
}

tenon_status transform_front(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return guard_kernel(stack, [&]() -> tenon_status {
    LayerEntry* entry = top_entry();
    // The last layer has ended on another thread.
    if (entry == nullptr) {
      return redispatch(op, keys & keys_below(TENON_KEY_TRANSFORM_FRONT), stack);
    }
    const LayerPtr layer = entry->layer;
    OwnArguments arguments(*stack);
    arguments.replace_tensors([&](Tensor& tensor) { return lift(op, *layer, tensor); });
    // Calls nest: an outer call of the same layer may be waiting for this one.
    struct OuterWords {
      KeyWords before;
      LayerPtr layer;
      ~OuterWords() {
        if (LayerEntry* top = top_entry(); top != nullptr && top->layer == layer) {
          top->outer = before;
        }
      }
    } restore{std::exchange(entry->outer, key_words()), layer};
    const ForWords words(words_of(*layer, entry->outer));
    tenon_stack inner = arguments.stack_for(*stack);
    return call(op, &inner);
  });
}

tenon_status transform_back(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return guard_kernel(stack, [&]() -> tenon_status {
    const LayerPtr layer = top_layer();
    OwnArguments arguments(*stack);
    Replaced replaced;
    bool any = false;
    arguments.replace_tensors([&](Tensor& tensor) -> TensorPtr {
      Tensor& now = settle_dead(op, tensor);
      const LevelTensor* level = layer ? level_tensor(now, *layer) : nullptr;
      Tensor* below = level != nullptr ? level->below.get() : &now;
      if (below == &tensor) return {};
      any = true;
      replaced.emplace_back(level != nullptr ? &now : &tensor, below);
      return TensorPtr::share(below);
    });
    tenon_stack inner = arguments.stack_for(*stack);
    // Nothing to take off and no layer to leave: what carries Back belongs to nobody here.
    if (!any && !layer) {
      return redispatch(op, keys & keys_below(TENON_KEY_TRANSFORM_BACK), stack);
    }
    {
      const BelowLayer below;
      const tenon_status status = call(op, &inner);
      if (status != TENON_OK) return status;
    }
    if (layer && any) rewrap_results(*layer, replaced, stack);
    return TENON_OK;
  });
}

}  // namespace tenon::dispatch
