// SPDX-License-Identifier: Apache-2.0
#include "introspect/explain.h"

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/key_tls.h"
#include "dispatch/registry.h"
#include "dispatch/transform.h"
#include "introspect/dispatch_chain.h"
#include "value/carrier.h"
#include "value/value.h"

namespace tenon::introspect {

namespace {

using base::concat;
using dispatch::kBackendMask;
using dispatch::kFunctionalityMask;

constexpr int kMaxNesting = 64;  // the depth that key extraction searches, too

// Prints the functionalities in `bits` as keys, without a backend.
std::string words_text(tenon_keyset bits) {
  const tenon_keyset functionalities = bits & kFunctionalityMask;
  return functionalities != 0 ? dispatch::print_keys(functionalities | kBackendMask) : "nothing";
}

// Collects one line for each tensor and overriding object among the arguments.
class ArgumentLines {
 public:
  void add(const std::string& name, const tenon_value& value) { look(name, value, 0); }
  std::string take() { return std::move(text_); }

 private:
  void look(const std::string& name, const tenon_value& value, int depth) {
    if (value.tag == TENON_TAG_TENSOR) {
      if (value.as.tensor != nullptr) add_tensor(name, *value.as.tensor);
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t i = 0; i < value.count; ++i) {
        const tenon_tensor* tensor = value::tensors(value)[i];
        if (tensor != nullptr) add_tensor(concat(name, "[", i, "]"), *tensor);
      }
    } else if (value::is_value_list(value.tag) && depth < kMaxNesting) {
      for (uint64_t i = 0; i < value::element_count(value); ++i) {
        look(concat(name, "[", i, "]"), value::elements(value)[i], depth + 1);
      }
    } else if (const tenon_keyset keys = dispatch::scan_value(value); keys != 0) {
      add_line(name, concat("an object of ", value::object_in(value)->type()->name), keys);
    }
  }

  void add_tensor(const std::string& name, const tenon_tensor& tensor) {
    std::string what;
    if (const tenon_value* carried = value::carried(tensor)) {
      const value::Object* object = value::object_in(*carried);
      what = object != nullptr ? concat("a carrier of an object of ", object->type()->name)
                               : concat("a carrier of ", value::print(*carried));
    } else if (const value::Object* object = value::wrapped(tensor)) {
      what = concat("a wrapper tensor of ", object->type()->name);
    } else if (const dispatch::LevelTensor* level = dispatch::level_tensor(tensor)) {
      what = concat("a tensor of ", level->layer->kind().name, " level ", level->layer->level());
    }
    add_line(name, what, tensor.keys());
  }

  void add_line(const std::string& name, const std::string& what, tenon_keyset keys) {
    text_ += concat("  ", name, what.empty() ? "" : ", ", what, what.empty() ? "" : ",", " has ",
                    dispatch::print_keys(keys), "\n");
  }

  std::string text_;
};

// Returns which backend the built-in BackendSelect fallback chooses for a call without tensors.
std::string choice_text(tenon_keyset keys, const Arguments& arguments, bool takes_device) {
  constexpr tenon_keyset kSelect = dispatch::functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT);
  if ((keys & kSelect) == 0) return {};
  for (uint32_t i = 0; takes_device && i < arguments.count; ++i) {
    const tenon_value& value = arguments.values[i];
    if (value.tag != TENON_TAG_DEVICE) continue;
    return concat("  no argument can be a tensor: BackendSelect chooses the backend of the device ",
                  value::print(value), "\n");
  }
  return "  no argument can be a tensor and no device is given: BackendSelect chooses CPU\n";
}

// A call's key set, and lines that explain it.
struct Keys {
  tenon_keyset carried = 0;
  tenon_keyset dropped = 0;  // functionalities that fall through for every backend
  tenon_keyset call = 0;
  std::string text;
};

Keys describe_keys(const tenon_op& op, const dispatch::Snapshot& snapshot,
                   const Arguments& arguments) {
  Keys found;
  ArgumentLines lines;
  const auto& named = snapshot.schema->arguments();
  for (uint32_t i = 0; i < arguments.count; ++i) {
    lines.add(i < named.size() ? std::string(named[i].name.view()) : concat("argument ", i),
              arguments.values[i]);
  }
  found.text = lines.take();
  TENON_CHECK(dispatch::extract_keys<dispatch::Checks::kAll>(snapshot, arguments.values,
                                                             arguments.count, &found.carried),
              TENON_ERROR_TYPE, op.name(), ": arguments must match the schema, got others");
  const base::ThreadRecord& thread = *base::current_thread();
  found.text += concat("  the thread adds ", words_text(thread.include), " and excludes ",
                       words_text(thread.exclude), "\n");
  if (thread.grad_mode != TENON_GRAD_MODE_ON) {
    found.text += concat("  grad mode ",
                         base::makes_inference_tensors(thread.grad_mode) ? "INFERENCE" : "OFF",
                         snapshot.include != 0 ? ": the operator's own Autograd kernel runs\n"
                         : (thread.keep & base::kAutogradBit) != 0
                             ? " keeps Autograd: a forward AD level is active\n"
                             : " excludes Autograd\n");
  }
  if (snapshot.include != 0) {
    found.text += concat("  the operator adds ", words_text(snapshot.include),
                         ", for which it has a kernel\n");
  }
  // Computed without the operator's mask, so that skipped keys can be named.
  const tenon_keyset keys = ((found.carried | snapshot.include | thread.include) & thread.keep) |
                            dispatch::user_autograd_key(snapshot, thread);
  found.dropped = skipped_always(op, keys);
  found.call = keys & ~found.dropped;
  if ((snapshot.flags & dispatch::kSelectsBackend) != 0) {
    const bool takes_device = (snapshot.traits & dispatch::kHasDevice) != 0;
    found.text += choice_text(found.call, arguments, takes_device);
    found.call =
        dispatch::choose_backend(found.call, arguments.values, takes_device ? arguments.count : 0);
  }
  return found;
}

}  // namespace

std::string explain_call(const tenon_op& op, const tenon_value* args, int64_t nargs) {
  if (dispatch::check_arguments(&op, args, nargs) != TENON_OK) {
    throw Error(base::take_current_error());
  }
  const Arguments arguments{args, static_cast<uint32_t>(nargs), op};
  const auto lock = dispatch::Registry::get().lock();
  const dispatch::Snapshot& snapshot = *op.snapshot.load(std::memory_order_acquire);
  TENON_CHECK(snapshot.schema != nullptr, TENON_ERROR_NOT_FOUND, op.name(),
              ": operator must be defined, got none");
  const Keys keys = describe_keys(op, snapshot, arguments);
  std::string text = concat(snapshot.schema->text(), "\n", keys.text);
  if ((keys.carried & ~keys.call & dispatch::kOverrideBit) != 0) {
    return concat(text, "  an argument overrides operators, but Override is excluded or falls ",
                  "through: the call fails\n");
  }
  return text + describe_chain(op, keys.call, keys.dropped, &arguments);
}

std::string explain_keys_locked(const tenon_op& op, tenon_keyset keys) {
  const tenon_keyset dropped = skipped_always(op, keys);
  return concat(op.definition()->schema->text(), "\n",
                describe_chain(op, keys & ~dropped, dropped, nullptr));
}

}  // namespace tenon::introspect
