// SPDX-License-Identifier: Apache-2.0
#include "dispatch/transform.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/lookup.h"
#include "dispatch/own_arguments.h"
#include "dispatch/replace_results.h"

namespace tenon::dispatch {

namespace {

using tensor::HollowKind;
using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset kFront = functionality_bit(TENON_FUNCTIONALITY_TRANSFORM_FRONT);
constexpr tenon_keyset kBack = functionality_bit(TENON_FUNCTIONALITY_TRANSFORM_BACK);
constexpr tenon_keyset kTracer = functionality_bit(TENON_FUNCTIONALITY_TRACER);
// Keys of the built-in layers; layer kinds on the stack add their own.
constexpr tenon_keyset kLayerKeys = functionality_bit(TENON_FUNCTIONALITY_BATCHED) |
                                    functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD) |
                                    functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

// Returns the number of layers without ended ones on top. An ended layer can remain on the stack of
// a thread that its state was carried to.
size_t live_layers(const ThreadStacks& stacks) noexcept {
  size_t count = stacks.layers.size();
  while (count != 0 && !stacks.layers.at(count - 1).layer->is_alive()) --count;
  return count;
}

StackedLayer* top_of_stack() noexcept {
  ThreadStacks* stacks = thread_stacks();
  const size_t count = stacks != nullptr ? live_layers(*stacks) : 0;
  return count != 0 ? &stacks->layers.at(count - 1) : nullptr;
}

// Returns the key state with TransformFront included if there are layers, and without it otherwise.
KeyState with_transform_front(KeyState state) noexcept {
  if (top_of_stack() == nullptr) {
    state.include &= ~kFront;
  } else {
    state.include |= kFront;
    state.exclude &= ~kFront;
  }
  return state;
}

// Returns the key state for calls that a layer serves.
KeyState key_state_in(const Layer& layer, const KeyState& outer) noexcept {
  tenon_keyset others = kLayerKeys;
  const ThreadStacks& stacks = *thread_stacks();
  for (size_t i = 0; i < stacks.layers.size(); ++i) {
    others |= stacks.layers.at(i).layer->kind().keys;
  }
  const LayerKind& kind = layer.kind();
  others &= ~kind.keys;
  return {(outer.include & ~kFront & ~others) | kind.include | kBack,
          (outer.exclude & ~kind.keys & ~kBack) | others | kFront | kTracer, outer.known,
          outer.grad_mode, kind.follows_tangents && outer.follows_tangents};
}

// Returns the key state for calls below a layer: that from before the call that it serves, except
// that gradients which were off outside of the layer stay off.
KeyState key_state_below(const StackedLayer& top) noexcept {
  KeyState state = top.outer;
  const Layer& layer = *top.layer;
  const bool was_off = layer.grad_mode() != TENON_GRAD_MODE_ON;
  if (layer.kind().opens_grad_mode && was_off) state.grad_mode = layer.grad_mode();
  return state;
}

// Returns `outer` with the changes that a kernel has made to its own keys since it was called, from
// `at_call` to `now`.
tenon_keyset changed(tenon_keyset outer, tenon_keyset at_call, tenon_keyset now) noexcept {
  return (outer & ~(at_call & ~now)) | (now & ~at_call);
}

// Returns the key state for calls that begin at TransformFront. A kernel that the innermost layer
// serves runs with that key excluded. Inside such a kernel, the state is that from before the call,
// with the changes that the kernel has made.
KeyState key_state_outside_layer() noexcept {
  const KeyState now = key_state();
  const StackedLayer* top = top_of_stack();
  if (top == nullptr || (now.exclude & kFront) == 0) return with_transform_front(now);
  const KeyState& outer = top->outer;
  const KeyState at_call = key_state_in(*top->layer, outer);
  return with_transform_front({changed(outer.include, at_call.include, now.include),
                               changed(outer.exclude, at_call.exclude, now.exclude), now.known,
                               now.grad_mode, outer.follows_tangents});
}

// RAII: sets the thread's key state for one call, then restores it.
class KeyStateScope {
 public:
  explicit KeyStateScope(KeyState state) noexcept : before_(key_state()) { set_key_state(state); }
  ~KeyStateScope() { set_key_state(before_); }
  KeyStateScope(const KeyStateScope&) = delete;
  KeyStateScope& operator=(const KeyStateScope&) = delete;

 private:
  const KeyState before_;
};

// RAII: a call that the innermost layer serves. Such calls nest: an outer call of the same layer
// may be waiting for this one.
class ActiveLayerScope {
 public:
  explicit ActiveLayerScope(StackedLayer& top) noexcept
      : number_(top.number),
        waiting_(std::exchange(top.outer, key_state())),
        state_(key_state_in(*top.layer, top.outer)) {}
  ~ActiveLayerScope() {
    StackedLayer* top = top_of_stack();
    if (top != nullptr && top->number == number_) top->outer = waiting_;
  }
  ActiveLayerScope(const ActiveLayerScope&) = delete;
  ActiveLayerScope& operator=(const ActiveLayerScope&) = delete;

 private:
  const uint64_t number_;
  const KeyState waiting_;
  const KeyStateScope state_;
};

// Returns a tensor as the layer's calls see it; empty if it stays unchanged.
TensorPtr lift(const tenon_op* op, Layer& layer, Tensor& tensor) {
  Tensor& now = unwrap_ended_levels(op->name(), tensor);
  const LevelTensor* level = level_tensor(now);
  if (level != nullptr && level->layer.get() == &layer) {
    return &now == &tensor ? TensorPtr() : TensorPtr::share(&now);
  }
  TENON_CHECK(level == nullptr || level->layer->level() < layer.level(), TENON_ERROR_STATE,
              op->name(), ": tensor must be of level ", layer.level(), " or lower, got one of ",
              level->layer->kind().name, " of level ", level->layer->level(),
              " , which is not active here");
  if (now.is_undefined() || layer.kind().lift == nullptr) {
    return &now == &tensor ? TensorPtr() : TensorPtr::share(&now);
  }
  return layer.kind().lift(layer, now, nullptr);
}

// Returns true if all tensors of a call are at the layer's level already, so that the call can go
// on with its own arguments.
bool is_lifted(const Layer& layer, const tenon_stack& stack) noexcept {
  const auto is_of_layer = [&](const Tensor* tensor) {
    return tensor == nullptr || level_tensor(*tensor, layer) != nullptr ||
           (layer.kind().lift == nullptr && level_tensor(*tensor) == nullptr);
  };
  return std::all_of(stack.args, stack.args + stack.nargs, [&](const tenon_value& arg) {
    if (arg.tag == TENON_TAG_TENSOR) return is_of_layer(arg.as.tensor);
    if (arg.tag != TENON_TAG_TENSOR_LIST) return !value::is_value_list(arg.tag);
    return std::all_of(value::tensors(arg), value::tensors(arg) + arg.count, is_of_layer);
  });
}

// Destroys `content` unless its ownership has been transferred by setting `drop` to NULL.
struct ContentOwner {
  void* content;
  tenon_deleter drop;
  ~ContentOwner() {
    if (drop != nullptr) drop(content);
  }
};

// Returns the tensor that owns the memory: the base of a view, otherwise the tensor itself.
const Tensor* root_of(const Tensor& tensor) noexcept {
  return tensor.base() != nullptr ? tensor.base() : &tensor;
}

bool has_one_holder(const Tensor& tensor) noexcept {
  return tensor.use_count() == 1 && tensor.base() == nullptr;
}

// Refuses in-place writes to tensors captured from outside of the layer: neither a rerun of the
// layer nor its derivative would see them.
void check_written(const tenon_op* op, const Layer& layer, const tenon_stack& stack) {
  if (layer.kind().lift == nullptr || layer.kind().may_write_lower) return;
  const auto check = [&](Tensor* tensor, uint32_t position) {
    if (tensor == nullptr || tensor->is_undefined()) return;
    if (level_tensor(unwrap_ended_levels(op->name(), *tensor), layer) != nullptr) return;
    const schema::SchemaPtr schema = schema_of_call(*op, stack);
    const auto& arguments = schema->arguments();
    fail(TENON_ERROR_STATE, op->name(), ": ",
         position < arguments.size() ? arguments[position].name.view() : "argument",
         " must be a tensor of the ", layer.kind().name, " of level ", layer.level(),
         " to be modified inplace there, got one captured from outside; pass it to the transformed "
         "function as an argument");
  };
  for (uint64_t left = op->written.load(std::memory_order_relaxed); left != 0; left &= left - 1) {
    const auto position = static_cast<uint32_t>(__builtin_ctzll(left));
    if (position >= stack.nargs) return;
    const tenon_value& arg = stack.args[position];
    if (arg.tag == TENON_TAG_TENSOR) check(arg.as.tensor, position);
    if (arg.tag != TENON_TAG_TENSOR_LIST) continue;
    for (uint32_t i = 0; i < arg.count; ++i) check(value::tensors(arg)[i], position);
  }
}

}  // namespace

Tensor& unwrap_ended_levels(const char* who, Tensor& tensor) {
  Tensor* at = &tensor;
  for (const LevelTensor* level = level_tensor(*at); level != nullptr; level = level_tensor(*at)) {
    const Layer& layer = *level->layer;
    if (layer.is_alive()) break;
    TENON_CHECK(layer.kind().dead_unwraps, TENON_ERROR_STATE, who,
                ": tensor must not outlive its transform, got one of a ", layer.kind().name,
                " that has ended (level ", layer.level(), ")");
    at = level->below.get();
  }
  return *at;
}

const Tensor* viewed_argument(const Replacements& replacements, const Layer& layer,
                              const Tensor& result) noexcept {
  if (result.base() == nullptr) return nullptr;
  for (const Replacement& each : replacements) {
    const bool shows = root_of(*each.replaced_by) == result.base();
    if (shows && level_tensor(*each.argument, layer) != nullptr) return root_of(*each.argument);
  }
  return nullptr;
}

TensorPtr map_back(const Replacements& replacements, const Tensor& result) {
  for (const Replacement& each : replacements) {
    if (each.replaced_by == &result) return TensorPtr::share(each.argument);
  }
  return {};
}

LevelTensor::LevelTensor(LayerPtr its_layer, TensorPtr tensor_below, void* its_content,
                         tenon_deleter drop_content) noexcept
    : layer(std::move(its_layer)),
      below(std::move(tensor_below)),
      content(its_content),
      drop(drop_content) {}

LevelTensor::~LevelTensor() {
  if (drop != nullptr) drop(content);
}

LayerPtr enter_layer(const LayerKind& kind, void* content, tenon_deleter drop) {
  ContentOwner owner{content, drop};
  ThreadStacks& stacks = require_thread_stacks();
  const StackedLayer* top = top_of_stack();
  const int64_t level = top != nullptr ? top->layer->level() + 1 : 1;
  const KeyState outer = key_state_outside_layer();
  auto layer = base::make_intrusive<Layer>(kind, level, outer.grad_mode, content, drop);
  owner.drop = nullptr;
  static std::atomic<uint64_t> entered{0};
  stacks.layers.push({layer, outer, key_state(), entered.fetch_add(1, std::memory_order_relaxed)});
  KeyState state = with_transform_front(outer);
  if (kind.opens_grad_mode) state.grad_mode = TENON_GRAD_MODE_ON;
  // Says only that some layer follows tangents. The layer that is active in a call owns them.
  state.follows_tangents = state.follows_tangents || kind.follows_tangents;
  set_key_state(state);
  return layer;
}

void leave_layer(Layer& layer) {
  ThreadStacks* stacks = thread_stacks();
  const bool is_top =
      stacks != nullptr && !stacks->layers.empty() && stacks->layers.top().layer.get() == &layer;
  TENON_CHECK(is_top, TENON_ERROR_STATE, "transform: only the innermost layer can be left, got ",
              layer.kind().name, " of level ", layer.level());
  layer.end();
  const KeyState before = stacks->layers.pop().before;
  const KeyState now = key_state();
  // Key changes since the layer was entered are kept, except of TransformFront. If the layer was
  // entered inside a call that another layer serves, all keys are restored instead.
  const tenon_keyset put_back = (before.exclude & kFront) != 0 ? ~tenon_keyset{0} : kFront;
  set_key_state({(now.include & ~put_back) | (before.include & put_back),
                 (now.exclude & ~put_back) | (before.exclude & put_back), now.known,
                 layer.kind().opens_grad_mode ? layer.grad_mode() : now.grad_mode,
                 before.follows_tangents});
}

LayerPtr top_layer() noexcept { return LayerPtr::share(peek_top_layer()); }

Layer* peek_top_layer() noexcept {
  const StackedLayer* top = top_of_stack();
  return top != nullptr ? top->layer.get() : nullptr;
}

TensorPtr new_level_tensor(Layer& layer, Tensor& below, tenon_keyset keys,
                           const tensor::Geometry& geometry, void* content, tenon_deleter drop,
                           const Tensor* view_of) {
  ContentOwner owner{content, drop};
  auto level = std::make_unique<LevelTensor>(LayerPtr::share(&layer), TensorPtr::share(&below),
                                             content, drop);
  owner.drop = nullptr;
  // Front is included so that a tensor that has outlived its layer is unwrapped before anything
  // else.
  const tenon_keyset all =
      (keys & kFunctionalityMask) | kFront | kBack | (below.keys() & kBackendMask);
  const tensor::HollowMetadata metadata{"transform", all,    below.dtype(), below.device(),
                                        geometry,    &below, view_of};
  return TensorPtr::adopt(
      Tensor::make_hollow(metadata, HollowKind::kLevel, level.release(),
                          [](void* dead) { delete static_cast<LevelTensor*>(dead); }));
}

void replace_below(Tensor& tensor, Tensor& below, const tensor::Geometry& geometry, void* content) {
  auto* const level = static_cast<LevelTensor*>(tensor.content(HollowKind::kLevel));
  TENON_DCHECK(level != nullptr && level->drop == nullptr);
  tensor.claim_geometry(geometry);
  level->below = TensorPtr::share(&below);
  level->content = content;
}

const LevelTensor* level_tensor(const Tensor& tensor) noexcept {
  return static_cast<const LevelTensor*>(tensor.content(HollowKind::kLevel));
}

const LevelTensor* level_tensor(const Tensor& tensor, const Layer& layer) noexcept {
  const LevelTensor* level = level_tensor(tensor);
  return level != nullptr && level->layer.get() == &layer ? level : nullptr;
}

bool is_alone(const Tensor& tensor) noexcept {
  const Tensor* at = &tensor;
  uint64_t layers = 0;  // number of layers, whose tensors share one version counter
  for (const LevelTensor* level; (level = level_tensor(*at)) != nullptr; ++layers) {
    if (!has_one_holder(*at) || !at->storage()->is_alone_sharing_version()) return false;
    at = level->below.get();
  }
  return has_one_holder(*at) && at->has_storage() && at->storage()->is_alone(layers);
}

BelowLayer::BelowLayer() noexcept : state_(key_state()) {
  const StackedLayer* top = top_of_stack();
  if (top == nullptr) return;
  hides_ = true;
  const KeyState outer = key_state_below(*top);
  ThreadStacks& stacks = *thread_stacks();
  hidden_ = stacks.layers.hide_from(live_layers(stacks) - 1);
  set_key_state(with_transform_front(outer));
}

BelowLayer::~BelowLayer() {
  if (!hides_) return;
  thread_stacks()->layers.show(hidden_);
  set_key_state(state_);
}

DispatchFromFront::DispatchFromFront() noexcept : state_(key_state()) {
  set_key_state(key_state_outside_layer());
}

DispatchFromFront::~DispatchFromFront() { set_key_state(state_); }

namespace {

// Serves a call without a layer: unwraps tensors of layers that have ended, possibly on another
// thread.
tenon_status call_settled(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  OwnArguments arguments(*stack);
  Replacements replacements;
  arguments.replace_tensors([&](Tensor& tensor) -> Tensor* {
    Tensor& now = unwrap_ended_levels(op->name(), tensor);
    if (&now == &tensor) return nullptr;
    replacements.push_back({&tensor, &now});
    return &now;
  });
  if (replacements.empty()) {
    return redispatch(op, keys & keys_below(TENON_KEY_TRANSFORM_FRONT), stack);
  }
  tenon_stack inner = arguments.stack_for(*stack);
  const tenon_status status = call(op, &inner);
  if (status != TENON_OK) return status;
  replace_results(stack, [&](Tensor& result) { return map_back(replacements, result); });
  return TENON_OK;
}

// Updates the geometry of tensors after an operator such as t_ has changed that of the tensors
// below.
void follow_shapes(const Replacements& replacements) {
  for (const Replacement& each : replacements) {
    Tensor& tensor = *each.argument;
    const Tensor& below = *each.replaced_by;
    const LevelTensor* level = level_tensor(tensor);
    if (level == nullptr || level->layer->kind().lift == nullptr || below.is_symbolic()) continue;
    const bool same = tensor.offset() == below.offset() &&
                      std::ranges::equal(tensor.size_span(), below.size_span()) &&
                      std::ranges::equal(tensor.stride_span(), below.stride_span());
    if (!same) tensor.claim_geometry({below.size_span(), below.strides(), below.offset()});
  }
}

}  // namespace

tenon_status transform_front(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return guard_kernel(stack, [&]() -> tenon_status {
    StackedLayer* top = top_of_stack();
    if (top == nullptr) return call_settled(op, keys, stack);
    Layer& layer = *top->layer;
    check_written(op, layer, *stack);
    if (is_lifted(layer, *stack)) {
      const ActiveLayerScope scope(*top);
      return call(op, stack);
    }
    OwnArguments arguments(*stack);
    Replacements replacements;
    arguments.replace_tensors([&](Tensor& tensor) {
      TensorPtr lifted = lift(op, layer, tensor);
      if (lifted) replacements.push_back({&tensor, lifted.get()});
      return lifted;
    });
    tenon_stack inner = arguments.stack_for(*stack);
    {
      const ActiveLayerScope scope(*top);
      const tenon_status status = call(op, &inner);
      if (status != TENON_OK) return status;
    }
    replace_results(stack, [&](Tensor& result) { return map_back(replacements, result); });
    return TENON_OK;
  });
}

tenon_status transform_back(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return guard_kernel(stack, [&]() -> tenon_status {
    Layer* const layer = peek_top_layer();  // hidden during the call, visible again after it
    OwnArguments arguments(*stack);
    Replacements replacements;  // of all arguments, including unchanged ones
    bool any = false;
    arguments.replace_tensors([&](Tensor& tensor) -> Tensor* {
      Tensor& now = unwrap_ended_levels(op->name(), tensor);
      const LevelTensor* level = layer != nullptr ? level_tensor(now, *layer) : nullptr;
      Tensor* below = level != nullptr ? level->below.get() : &now;
      replacements.push_back({&tensor, below});
      if (below == &tensor) return nullptr;
      any = true;
      return below;
    });
    tenon_stack inner = arguments.stack_for(*stack);
    // No tensor to unwrap and no layer to hide: there is nothing to do at this key.
    if (!any && layer == nullptr) {
      return redispatch(op, keys & keys_below(TENON_KEY_TRANSFORM_BACK), stack);
    }
    {
      const BelowLayer below;
      const tenon_status status = call(op, &inner);
      if (status != TENON_OK) return status;
    }
    if (op->written.load(std::memory_order_relaxed) != 0) follow_shapes(replacements);
    replace_results(stack, [&](Tensor& result) -> TensorPtr {
      if (TensorPtr own = map_back(replacements, result)) return own;
      if (layer == nullptr || layer->kind().lift == nullptr || result.is_undefined()) return {};
      return layer->kind().lift(*layer, result, viewed_argument(replacements, *layer, result));
    });
    return TENON_OK;
  });
}

namespace {

std::string layer_text(const Arguments* arguments) {
  const LayerPtr layer = arguments != nullptr ? top_layer() : LayerPtr();
  if (!layer) return "the innermost layer";
  return base::concat("the innermost layer, ", layer->kind().name, " of level ", layer->level());
}

}  // namespace

Explanation explain_transform_front(const Arguments* arguments) {
  return {base::concat("it wraps tensors at the level of ", layer_text(arguments),
                       ", and redispatches with the keys of that layer only"),
          true};
}

Explanation explain_transform_back(const Arguments* arguments) {
  return {base::concat("it unwraps tensors of ", layer_text(arguments),
                       ", and redispatches with the keys outside of it"),
          true};
}

}  // namespace tenon::dispatch
