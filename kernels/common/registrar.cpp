// SPDX-License-Identifier: Apache-2.0
// Deriving schemas and kernels from facts, one for each form.
#include "kernels/common/registrar.h"

#include <string>
#include <string_view>

#include "kernels/common/batching/batching.h"
#include "kernels/common/check.h"
#include "kernels/common/entry.h"
#include "kernels/common/symbolic/symbolic.h"
#include "tenon/autocast.h"
#include "tenon/autograd.h"

namespace tenon::kernels {
namespace {

struct Name {
  std::string base;
  std::string overload;

  explicit Name(std::string_view name) {
    const size_t dot = name.find('.');
    base = name.substr(0, dot);
    if (dot != std::string_view::npos) overload = name.substr(dot + 1);
  }
  std::string with(std::string_view suffix, std::string_view other) const {
    return base + std::string(suffix) + (other.empty() ? "" : "." + std::string(other));
  }
};

std::string name_of_form(const Facts& facts, Forms form) {
  const Name name(facts.name);
  switch (form) {
    case kInPlace:
      return name.with("_", facts.in_place != nullptr ? facts.in_place : name.overload);
    case kOut:
      return name.with("", facts.out);
    case kCopy:
      return name.with("_copy", name.overload);
    case kCopyOut:
      return name.with("_copy", name.overload.empty() ? "out" : name.overload + "_out");
    default:
      return facts.name;
  }
}

constexpr std::string_view kOptions = "$options";
constexpr std::string_view kOptionsText =
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";

// For factories whose default dtype is int64.
constexpr std::string_view kLongOptions = "$long_options";
constexpr std::string_view kLongOptionsText =
    "ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None";

std::string params_of(const Facts& facts, Forms form) {
  std::string params = facts.params;
  // Only the functional view shares memory with its result.
  constexpr std::string_view kShared = "Tensor(a)";
  if (form != kFunctional && params.starts_with(kShared)) {
    params.replace(0, kShared.size(), "Tensor");
  }
  const bool is_long = params.find(kLongOptions) != std::string::npos;
  const std::string_view options = is_long ? kLongOptions : kOptions;
  const size_t at = params.find(options);
  if (at == std::string::npos) return params;
  if (form == kFunctional) {
    return params.replace(at, options.size(), is_long ? kLongOptionsText : kOptionsText);
  }
  return params.erase(at - 2, options.size() + 2);  // and the comma before
}

// Returns true if an in-place or out form writes tensors of a list and returns nothing.
bool writes_lists(const Facts& facts) {
  return std::string_view(facts.returns).starts_with("Tensor[]");
}

// "Tensor self" becomes "Tensor(a!) self".
std::string in_place_schema(const Facts& facts) {
  const std::string params = params_of(facts, kInPlace);
  if (writes_lists(facts)) {
    return "(Tensor(a!)" + params.substr(std::string_view("Tensor").size()) + ") -> ()";
  }
  return "(Tensor(a!)" + params.substr(std::string_view("Tensor").size()) + ") -> Tensor(a!)";
}

// Removes and returns the first name of a list such as "max, max_values".
std::string_view take_first(std::string_view& list) {
  const std::string_view first = list.substr(0, list.find(", "));
  list.remove_prefix(std::min(list.size(), first.size() + 2));
  return first;
}

std::string out_schema(const Facts& facts) {
  const std::string params = params_of(facts, kOut);
  std::string written, returned;
  std::string_view outs = facts.outs;
  // In "(Tensor values, Tensor indices)" results are named, and so are those of the out form.
  std::string_view results = facts.returns;
  if (results.starts_with('(')) results = results.substr(1, results.size() - 2);
  const std::string list = writes_lists(facts) ? "[]" : "";
  for (char set = 'a'; !outs.empty(); ++set) {
    const std::string type = std::string("Tensor(") + set + "!)" + list;
    written += (written.empty() ? "" : ", ") + type + " " + std::string(take_first(outs));
    const std::string_view result = take_first(results);
    const size_t name = result.find(' ');
    returned += (returned.empty() ? "" : ", ") + type;
    if (name != std::string_view::npos) returned += result.substr(name);
  }
  const bool several = returned.find(',') != std::string::npos;
  const bool has_star = params.find('*') != std::string::npos;
  if (writes_lists(facts)) returned = "()";
  return "(" + params + (has_star ? ", " : ", *, ") + written + ") -> " +
         (several ? "(" + returned + ")" : returned);
}

std::string schema_of_form(const Facts& facts, Forms form) {
  const std::string name = name_of_form(facts, form);
  if (form == kInPlace) return name + in_place_schema(facts);
  if (form == kOut || form == kCopyOut) return name + out_schema(facts);
  if (form == kCopy) return name + "(" + params_of(facts, kCopy) + ") -> Tensor";
  return name + "(" + params_of(facts, kFunctional) + ") -> " + facts.returns;
}

std::vector<std::string> tags_of(const Facts& facts, Forms form) {
  std::vector<std::string> tags;
  if (form == kInPlace) tags.push_back("inplace");
  if (form == kInPlace && facts.family == &kView) tags.push_back("inplace_view");
  if (form == kOut || form == kCopyOut) tags.push_back("out");
  if (form == kCopy || form == kCopyOut) tags.push_back("view_copy");
  std::string_view text = facts.tags;
  while (!text.empty()) {
    const std::string_view tag = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), tag.size() + 1));
    // The core set contains only functional forms, and only those have views to undo.
    const bool is_of_functional = tag == "core" || tag.starts_with("inverse=");
    if (form == kFunctional || !is_of_functional) tags.emplace_back(tag);
  }
  return tags;
}

// Returns the name of the operator that a form calls; empty for most forms.
std::string target_of(const Facts& facts, Forms form) {
  if (facts.tensor_form != nullptr) return name_of_form(*facts.tensor_form, form);
  if (facts.family != &kView || form == kFunctional || form == kInPlace) return {};
  return facts.view.copied != nullptr ? facts.view.copied : facts.name;
}

std::unique_ptr<OperatorForm> make_form(const Library& library, const Facts& facts, Forms form,
                                        const void* kernel) {
  const std::string ns = tenon_library_namespace(library.get());
  Schema schema = Schema::parse(ns + "::" + schema_of_form(facts, form));
  const auto arguments = static_cast<int>(schema.argument_count());
  const auto results = static_cast<int>(schema.return_count());
  const bool is_out = form == kOut || form == kCopyOut;
  // Tensor lists that are written are not results.
  const int outs = is_out && writes_lists(facts) ? 1 : results;
  const int written = is_out ? arguments - outs : form == kInPlace ? 0 : -1;
  if (arguments > OperatorForm::kMaxArguments) {
    fail_argument(facts.name, "params", "at most 16 arguments", arguments);
  }
  auto made = std::unique_ptr<OperatorForm>(
      new OperatorForm{&facts, kernel, ns + "::" + name_of_form(facts, form), schema, form,
                       arguments, results, 0, written});
  if (const std::string target = target_of(facts, form); !target.empty()) {
    check(tenon_op_find((ns + "::" + target).c_str(), &made->target));
    made->target_arguments = arguments - (facts.tensor_form == nullptr && is_out ? results : 0);
  }
  for (int k = 0; k < arguments; ++k) {
    const tenon_argument_info argument = made->schema.argument(k);
    made->names[k] = argument.name;
    const bool is_input = tenon_type_kind(argument.type) == TENON_TYPE_TENSOR &&
                          (argument.flags & TENON_ARGUMENT_OUT) == 0;
    if (is_input && made->inputs == k) ++made->inputs;
    const std::string_view name = argument.name;
    if (name == "dim") made->dim = k;
    if (name == "keepdim") made->keepdim = k;
    if (name == "dtype") made->dtype = k;
    if (name == "memory_format") made->memory_format = k;
    if (name == "pin_memory") made->options = k - 3;
  }
  if (facts.family == &kPointwise && made->inputs + results > kMaxOperands) {
    fail_argument(facts.name, "params", "at most 8 tensors, results included",
                  made->inputs + results);
  }
  made->is_small =
      !made->is_out() && results == 1 && made->inputs <= 2 && facts.pointwise.masks == 0;
  return made;
}

// Returns true if the kernel of a form without a device calls no operators.
bool is_leaf(const Facts& facts, Forms form) {
  return facts.family->leaf && target_of(facts, form).empty();
}

// Declines to bind, so that graph plans bind the operators that such a kernel calls instead.
tenon_status bind_calls(void*, const tenon_op*, tenon_keyset, tenon_stack*, tenon_bound*) {
  return TENON_DECLINED;
}

void register_form(Library& library, tenon_key key, const char* device, const Facts& facts,
                   Forms form, const void* kernel, int64_t quick_numel,
                   tenon_bind_fn bind = nullptr) {
  std::unique_ptr<OperatorForm> made = make_form(library, facts, form, kernel);
  const std::string function = std::string(device) + "::" + Name(name_of_form(facts, form)).base +
                               (form == kOut || form == kCopyOut ? "_out" : "");
  tenon_kernel description{};
  description.struct_size = sizeof(description);
  description.language = TENON_LANGUAGE_CPP;
  if (is_leaf(facts, form) || kernel != nullptr) description.flags |= TENON_KERNEL_LEAF;
  if (quick_numel >= 0) {
    description.flags |= TENON_KERNEL_NOBLOCK;
    description.noblock_max_numel = quick_numel;
  }
  description.bind = bind;
  description.name = function.c_str();
  description.file = facts.file;
  description.line = facts.line;
  description.boxed = &boxed_entry;
  if (kernel == nullptr) made->symbolic = symbolic_rule(facts, form);
  if (made->symbolic != nullptr) {
    description.boxed = &symbolic_entry;
    description.flags |= TENON_KERNEL_SYMBOLIC;
  }
  description.typed = typed_entry(made->name.c_str(), made->schema.signature());
  description.signature = tenon_schema_signature_hash(made->schema.get());
  description.deleter = [](void* ctx) { delete static_cast<OperatorForm*>(ctx); };
  const std::string name = made->name;
  description.ctx = made.release();  // taken over, also on failure
  check(tenon_library_impl(library.get(), name.c_str(), key, &description, nullptr));
}

// Returns true if there is a tangent formula. Without one, and with "derived", the tangent follows
// from the gradient formula.
bool has_tangent_text(const Facts& facts) {
  const std::string_view tangent = facts.tangent != nullptr ? facts.tangent : "derived";
  return tangent != "derived" && !tangent.starts_with("none:") && !tangent.starts_with("missing:");
}

// Registers the gradient formulas, which are text. "none" registers a fallthrough. Nothing is
// registered for an implicit composite, which is differentiated through the operators that it
// calls, nor for a missing formula, so that the policy for operators without one applies.
void register_gradient(Library& library, const Facts& facts, Forms form) {
  const std::string name =
      std::string(tenon_library_namespace(library.get())) + "::" + name_of_form(facts, form);
  if (facts.gradient == nullptr) return;  // not stated, as in some tests
  const std::string_view gradient = facts.gradient;
  if (facts.family->key == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD) return;
  if (gradient.starts_with("missing:")) return;
  if (gradient.starts_with("none:")) {
    tenon_kernel none{};
    none.struct_size = sizeof(none);
    none.flags = TENON_KERNEL_FALLTHROUGH;
    none.language = TENON_LANGUAGE_CPP;
    none.name = "not_differentiable";
    none.file = facts.file;
    none.line = facts.line;
    return check(
        tenon_library_impl(library.get(), name.c_str(), TENON_KEY_AUTOGRAD, &none, nullptr));
  }
  tenon_formula formula{};
  formula.struct_size = sizeof(formula);
  formula.flags = facts.node_number;
  formula.gradient = facts.gradient;
  if (has_tangent_text(facts)) formula.tangent = facts.tangent;
  formula.language = TENON_LANGUAGE_CPP;
  formula.file = facts.file;
  formula.line = facts.line;
  check(tenon_library_register_autograd(library.get(), name.c_str(), &formula, nullptr));
}

uint32_t cast_kind(Cast cast) {
  switch (cast) {
    case Cast::Lower:
      return TENON_CAST_LOWER;
    case Cast::Fp32:
      return TENON_CAST_FP32;
    case Cast::Fp32Dtype:
      return TENON_CAST_FP32_DTYPE;
    case Cast::Banned:
      return TENON_CAST_BANNED;
    default:
      return TENON_CAST_PROMOTE;
  }
}

void register_cast(const Library& library, const std::string& name, const Facts& facts, Cast cast,
                   int32_t device_type) {
  tenon_cast_rule rule{};
  rule.struct_size = sizeof(rule);
  rule.kind = cast_kind(cast);
  rule.device_type = device_type;
  rule.dtype = TENON_DTYPE_NONE;
  if (cast == Cast::Banned) rule.advice = facts.cast_advice;
  rule.language = TENON_LANGUAGE_CPP;
  rule.file = facts.file;
  rule.line = facts.line;
  check(tenon_library_register_autocast(library.get(), name.c_str(), &rule, nullptr));
}

// Registers the autocast rules. If the rule for CPU differs from that for other devices, CPU gets
// its own, or a fallthrough if it does not cast.
void register_casts(const Library& library, const Facts& facts) {
  const std::string name = std::string(tenon_library_namespace(library.get())) + "::" + facts.name;
  const bool differs = facts.cast_on_cpu != Cast::Unstated && facts.cast_on_cpu != facts.cast;
  const bool has_rule = facts.cast != Cast::None && facts.cast != Cast::Unstated;
  if (has_rule) register_cast(library, name, facts, facts.cast, -1);
  if (!differs) return;
  if (facts.cast_on_cpu != Cast::None) {
    return register_cast(library, name, facts, facts.cast_on_cpu, TENON_DEVICE_CPU);
  }
  tenon_kernel none{};
  none.struct_size = sizeof(none);
  none.flags = TENON_KERNEL_FALLTHROUGH;
  none.language = TENON_LANGUAGE_CPP;
  none.name = "not_cast";
  none.file = facts.file;
  none.line = facts.line;
  check(tenon_library_impl(library.get(), name.c_str(), TENON_KEY_AUTOCAST_CPU, &none, nullptr));
}

template <class Each>
void each_form(const Facts& facts, Each&& each) {
  for (const Forms form : {kFunctional, kInPlace, kOut, kCopy, kCopyOut}) {
    if ((facts.forms & form) != 0) each(form);
  }
}

}  // namespace

void define(Library& library, const Facts& facts) {
  const Family& family = *facts.family;
  each_form(facts, [&](Forms form) {
    const std::vector<std::string> tags = tags_of(facts, form);
    std::vector<const char*> texts;
    for (const std::string& tag : tags) texts.push_back(tag.c_str());
    library.def(schema_of_form(facts, form), texts, {facts.file, facts.line});
    const bool leaf = is_leaf(facts, form);
    register_form(library, family.key, family.name, facts, form, nullptr, leaf ? INT64_MAX : -1,
                  leaf ? nullptr : &bind_calls);
    register_gradient(library, facts, form);
    register_batching(
        library, facts, form,
        std::string(tenon_library_namespace(library.get())) + "::" + name_of_form(facts, form));
    if (form == kFunctional) register_casts(library, facts);
  });
}

void implement(Library& library, tenon_key key, const char* device, const Facts& facts,
               const void* kernel, int64_t quick_numel, tenon_bind_fn bind) {
  each_form(facts, [&](Forms form) {
    register_form(library, key, device, facts, form, kernel, quick_numel, bind);
  });
}

}  // namespace tenon::kernels
