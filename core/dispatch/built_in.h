// SPDX-License-Identifier: Apache-2.0
// BuiltIn: a fallback that exists from the start. This layer has some; layers above pass theirs to
// set_layers().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tenon/kernel.h"
#include "tenon/key.h"
#include "tenon/library.h"

namespace tenon::dispatch {

/// A call's arguments, for explanations that depend on them and on the thread.
struct Arguments {
  const tenon_value* values;
  uint32_t count;
  const tenon_op& op;
};

/// The explanation of what a built-in kernel does in a call.
struct Explanation {
  std::string text;         // empty if there is nothing to say
  bool calls_anew = false;  // starts new calls instead of redispatching the same arguments
};

struct BuiltIn {
  const char* name;
  tenon_key key;                 // or alias; no other built-in fallback has it
  tenon_kernel_fn kernel;        // NULL if it falls through
  tenon_fallback_select select;  // NULL if it concerns all operators
  /// NULL if the fallback falls through. `arguments` is NULL if only a key set is known.
  Explanation (*explain)(const Arguments* arguments);
};

/// A kernel function that a layer registers for many operators. `explain` describes a kernel with
/// that function, its context and the key that it serves.
struct ExplainedKernel {
  tenon_kernel_fn kernel;
  Explanation (*explain)(const void* ctx, tenon_key key, const Arguments* arguments);
};

/// Returns the built-in fallbacks of this layer.
std::span<const BuiltIn> built_ins() noexcept;

/// Loads missing libraries on demand. The functions do nothing if there is nothing to load.
struct Loader {
  /// Called after a failed lookup in a namespace, and before the first registration in it. Loads
  /// what ships for the namespace, unless that was tried before. Returns the reason of an earlier
  /// or present failure. The caller holds no lock, is in no pick, and looks again: another thread
  /// may have loaded it in the meantime.
  base::ErrorPtr (*for_namespace)(std::string_view ns);
  /// Like for_namespace(), but called after a call of an operator found no kernel for a key.
  /// Returns true if something new was loaded; stores the reason of a failure in `out_cause`.
  bool (*for_kernel)(const tenon_op& op, tenon_key key, base::ErrorPtr* out_cause);
};

/// The services that the layers above provide to this one.
struct Layers {
  std::span<const std::span<const BuiltIn>> built_ins;  // static memory
  std::span<const ExplainedKernel> explained;           // static memory
  Loader loader;
};
/// Sets the layers. Called once, when the library is loaded, before anything else.
void set_layers(const Layers& layers) noexcept;
/// Returns the layers. Unless they have been set, the functions of their loader find nothing.
const Layers& layers() noexcept;

}  // namespace tenon::dispatch
