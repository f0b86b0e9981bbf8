// SPDX-License-Identifier: Apache-2.0
#include "introspect/dispatch_chain.h"

#include "base/error.h"
#include "dispatch/key_set.h"
#include "dispatch/registry.h"
#include "dispatch/slot_resolver.h"
#include "introspect/introspect.h"

namespace tenon::introspect {

namespace {

using base::concat;
using dispatch::Kernel;

std::string key_text(tenon_key key) { return dispatch::key_name(key); }

// Returns why a kernel serves a key.
std::string reason(tenon_key key, const Kernel& kernel, uint32_t provenance) {
  const std::string own = concat(key_text(key), " has no kernel of its own, and ");
  const std::string source = key_text(kernel.key);
  switch (provenance) {
    case TENON_PROVENANCE_KERNEL:
      return concat("a kernel is registered on ", key_text(key), " itself");
    case TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL:
      return concat(own, source, " serves every backend");
    case TENON_PROVENANCE_MATH_KERNEL:
      return concat(key_text(key), " has no kernel and no backend kernel replaces it, so ", source,
                    " serves it");
    case TENON_PROVENANCE_AUTOGRAD_KERNEL:
      return concat(own, "the alias ", source, " serves it");
    case TENON_PROVENANCE_BATCHED_KERNEL:
      return concat(own, source, " serves it");
    default:
      return concat("the operator has no kernel for ", key_text(key),
                    ", so the fallback for all operators serves it");
  }
}

// Explains what a kernel does if it belongs to a built-in fallback or to a layer's rule; otherwise
// returns an empty explanation.
dispatch::Explanation explain_step(const DispatchStep& step, const Arguments* arguments) {
  const Kernel& kernel = *step.kernel;
  for (const dispatch::ExplainedKernel& each : dispatch::layers().explained) {
    if (each.kernel == kernel.entry.boxed)
      return each.explain(kernel.entry.ctx, step.key, arguments);
  }
  const dispatch::BuiltIn* built_in = dispatch::Registry::get().find_built_in(kernel);
  if (built_in == nullptr || built_in->explain == nullptr) return {};
  return built_in->explain(arguments);
}

// Returns the older kernels of the same key that this one replaces, newest first.
std::string hidden_text(const Kernel& kernel) {
  std::string text;
  for (const Kernel* each = kernel.older; each != nullptr; each = each->older) {
    text += (text.empty() ? "" : ", ") + kernel_text(*each);
  }
  return text;
}

// Returns the keys that a set would dispatch to in these functionalities, highest first.
std::vector<tenon_key> keys_at(tenon_keyset keys, tenon_keyset functionalities) {
  std::vector<tenon_key> found;
  keys &= functionalities | dispatch::kBackendMask;
  for (tenon_key key; (key = dispatch::highest_key(keys)) != TENON_KEY_UNDEFINED;) {
    found.push_back(key);
    keys = dispatch::remove_key(keys, key);
  }
  return found;
}

std::string names_of(const std::vector<tenon_key>& keys) {
  std::string text;
  for (const tenon_key key : keys) text += (text.empty() ? "" : ", ") + key_text(key);
  return text;
}

// Appends the kernels that this one replaces, and what it does if that is known.
void describe_kernel(const DispatchStep& step, const Arguments* arguments, std::string* text) {
  if (const std::string hidden = hidden_text(*step.kernel); !hidden.empty()) {
    *text += concat("    in front of ", hidden, "\n");
  }
  const dispatch::Explanation explained = explain_step(step, arguments);
  if (!explained.text.empty()) *text += concat("    ", explained.text, "\n");
}

// Appends what a redispatch below the last key would do.
void describe_bottom(const DispatchStep& last, const DispatchStep& bottom, std::string* text) {
  const std::string nothing = concat("  nothing is below ", key_text(last.key), ": ");
  const dispatch::Explanation explained = explain_step(last, nullptr);
  if (explained.text.empty() || explained.calls_anew) {
    *text += nothing + "its kernel ends the call\n";
  } else if (bottom.kernel == nullptr) {
    *text += nothing + "redispatching from there fails\n";
  } else {
    *text += concat("  below it, no key is left: ", kernel_text(*bottom.kernel), " [",
                    provenance_name(bottom.provenance), "]\n");
  }
}

void describe_below(const tenon_op& op, DispatchStep step, const Arguments* arguments,
                    std::string* text) {
  while (true) {
    if (step.provenance == TENON_PROVENANCE_MATH_KERNEL) {
      *text +=
          "    it is a composite kernel: it calls other operators, each of which is dispatched "
          "anew\n";
      return;
    }
    if (step.key == TENON_KEY_UNDEFINED) return;
    if (explain_step(step, arguments).calls_anew) return;
    const DispatchStep above = step;
    step = find_step(op, step.keys & dispatch::keys_below(above.key));
    if (step.key == TENON_KEY_UNDEFINED) {
      describe_bottom(above, step, text);
      return;
    }
    if (step.kernel == nullptr) {
      *text +=
          concat("  below it, ", key_text(step.key), " has no kernel: redispatching there fails\n");
      return;
    }
    *text += concat("  below it, ", key_text(step.key), ": ", kernel_text(*step.kernel), " [",
                    provenance_name(step.provenance), "]\n    because ",
                    reason(step.key, *step.kernel, step.provenance), "\n");
    describe_kernel(step, arguments, text);
  }
}

}  // namespace

std::string kernel_text(const Kernel& kernel) {
  const std::string_view name = kernel.name.empty() ? "a kernel" : kernel.name.view();
  const std::string_view language = base::language_name(kernel.entry.language);
  std::string place;
  if (!kernel.file.empty()) {
    place =
        concat(language.empty() ? "at " : " at ", dispatch::place_text(kernel.file, kernel.line));
  }
  if (language.empty() && place.empty()) return std::string(name);
  return concat(name, " (", language, place, ")");
}

DispatchStep find_step(const tenon_op& op, tenon_keyset keys) {
  const dispatch::FallbackTable& fallbacks = dispatch::Registry::get().fallbacks();
  DispatchStep step;
  step.keys = keys;
  while (true) {
    step.key = dispatch::highest_key(step.keys);
    const dispatch::Resolved found = dispatch::resolve_slot(op, step.key, fallbacks);
    if (!found.fallthrough) {
      step.kernel = found.kernel;
      step.provenance = found.provenance;
      return step;
    }
    // Undefined is the lowest key.
    if (step.key == TENON_KEY_UNDEFINED) return step;
    step.keys = dispatch::remove_key(step.keys, step.key);
  }
}

tenon_keyset skipped_always(const tenon_op& op, tenon_keyset keys) {
  const dispatch::FallbackTable& fallbacks = dispatch::Registry::get().fallbacks();
  tenon_keyset skipped = 0;
  for (uint32_t number = 0; number < dispatch::kFunctionalityCount; ++number) {
    const tenon_keyset bit = dispatch::functionality_bit(number);
    if ((keys & bit) == 0 || !dispatch::is_functionality(number)) continue;
    const uint32_t backends = dispatch::is_per_backend(number) ? dispatch::kBackendCount : 1;
    uint32_t backend = 0;
    while (backend < backends &&
           dispatch::resolve_slot(op, dispatch::make_key(number, backend), fallbacks).fallthrough) {
      ++backend;
    }
    if (backend == backends) skipped |= bit;
  }
  return skipped;
}

std::string describe_chain(const tenon_op& op, tenon_keyset keys, tenon_keyset dropped,
                           const Arguments* arguments) {
  const DispatchStep step = find_step(op, keys);
  std::string text;
  if (const tenon_keyset skipped = dropped | (keys & ~step.keys); skipped != 0) {
    text +=
        concat("  skipped: ", names_of(keys_at(keys | dropped, skipped)), ", which fall through\n");
  }
  text += concat("  the call has ", dispatch::print_keys(step.keys), "\n  ");
  text += step.key == TENON_KEY_UNDEFINED ? "no key is left (no tensor brings one)"
                                          : concat("the highest key is ", key_text(step.key));
  if (step.kernel == nullptr) {
    std::vector<tenon_key> registered;
    for (const Kernel* each = op.kernels(); each != nullptr; each = each->next) {
      registered.push_back(each->key);
    }
    return concat(text, ", which has no kernel: the call fails\n  kernels of ", op.full_name(),
                  ": ", registered.empty() ? "none" : names_of(registered), "\n");
  }
  text += concat(": ", kernel_text(*step.kernel), " runs [", provenance_name(step.provenance),
                 "]\n    because ", reason(step.key, *step.kernel, step.provenance), "\n");
  describe_kernel(step, arguments, &text);
  describe_below(op, step, arguments, &text);
  return text;
}

}  // namespace tenon::introspect
