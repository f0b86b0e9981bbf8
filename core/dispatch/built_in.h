// SPDX-License-Identifier: Apache-2.0
// BuiltIn: a fallback that is there from the start. This layer has some; layers above hand in
// theirs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tenon/kernel.h"
#include "tenon/key.h"
#include "tenon/library.h"

namespace tenon::dispatch {

/// A call's arguments, for what depends on them and on the thread.
struct Arguments {
  const tenon_value* values;
  uint32_t count;
  const tenon_op& op;
};

/// What explain says of a built-in kernel in a call.
struct Explanation {
  std::string text;         // what it does; "" says nothing
  bool calls_anew = false;  // does not go on below with the same arguments, but by calls of its own
};

struct BuiltIn {
  const char* name;
  tenon_key key;                 // or alias; no other one has it
  tenon_kernel_fn kernel;        // NULL: falls through
  tenon_fallback_select select;  // NULL: concerns all operators
  /// NULL for what falls through. `arguments` is NULL where there is only a key set.
  Explanation (*explain)(const Arguments* arguments);
};

/// Kernels that a layer registers for operators, all with the same function: what explain says of
/// one with this context that serves this key.
struct ExplainedKernel {
  tenon_kernel_fn kernel;
  Explanation (*explain)(const void* ctx, tenon_key key, const Arguments* arguments);
};

/// The built-in fallbacks of this layer.
std::span<const BuiltIn> built_ins() noexcept;

/// Loads what is missed. Functions that find nothing to load do nothing.
struct Loader {
  /// After a failed lookup in a namespace, and before anything is registered in it: loads what
  /// ships for it, unless that was tried before. Returns the reason of an earlier or present
  /// failure. The caller holds no lock, is in no pick and looks again: another thread may have
  /// loaded it meanwhile.
  base::ErrorPtr (*for_namespace)(std::string_view ns);
  /// The same after a call of an operator found no kernel for a key. True when something new was
  /// loaded; `out_cause` gets the reason of a failure.
  bool (*for_kernel)(const tenon_op& op, tenon_key key, base::ErrorPtr* out_cause);
};

/// What layers above this one have for it.
struct Layers {
  std::span<const std::span<const BuiltIn>> built_ins;  // static memory
  std::span<const ExplainedKernel> explained;           // the same
  Loader loader;
};
/// Called once, when the library is loaded, before anything else.
void set_layers(const Layers& layers) noexcept;
/// Without layers, its functions find nothing.
const Layers& layers() noexcept;

}  // namespace tenon::dispatch
