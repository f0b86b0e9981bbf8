// SPDX-License-Identifier: Apache-2.0
// Connects the layers: passes built-in fallbacks and functions of upper layers to the lower layers
// that call them. No other file depends on all layers.
#include "autocast/cast.h"
#include "autocast/rule.h"
#include "autograd/record/built_in.h"
#include "autograd/tensor_state.h"
#include "dispatch/built_in.h"
#include "fake/fake_kernel.h"
#include "fake/fallback.h"
#include "graph/recording.h"
#include "override/overrides.h"
#include "plugin/auto_load.h"
#include "symbol/fallback.h"
#include "tensor/device_provider.h"
#include "transform/built_in.h"

/// The link options of tenon_core require this symbol, so that the linker includes this object file
/// of the static library in every program.
extern "C" {
extern const char tenon_core_init;
const char tenon_core_init = 0;
}

namespace tenon {
namespace {

bool is_asking_leaf(const tensor::Tensor& tensor) noexcept {
  return autograd::requires_grad(tensor) && autograd::is_leaf(tensor);
}

// Runs before the constructors of any program that uses the library.
[[gnu::constructor(101)]] void connect_layers() {
  static std::span<const dispatch::BuiltIn> built_ins[6];
  built_ins[0] = override::built_ins();
  built_ins[1] = autograd::built_ins();
  built_ins[2] = transform::built_ins();
  built_ins[3] = graph::built_ins();
  built_ins[4] = symbol::built_ins();
  built_ins[5] = fake::built_ins();
  static dispatch::ExplainedKernel explained[2];
  explained[0] = autocast::explained_kernel();
  explained[1] = fake::explained_kernel();
  dispatch::set_layers({built_ins, explained, plugin::loader()});
  autocast::set_gradients({&is_asking_leaf, &autograd::requires_grad});
  tensor::set_provider_loader(&plugin::load_provider);
}

}  // namespace
}  // namespace tenon
