// SPDX-License-Identifier: Apache-2.0
#include "transform/batch_rule.h"

#include <memory>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "transform/batch_loop.h"
#include "transform/batched_call.h"
#include "value/value.h"

namespace tenon::transform {

namespace {

// The ctx of a rule's kernel.
struct Rule {
  Rule(const tenon_vmap_rule& given, std::string its_name)
      : fn(given.fn), ctx(given.ctx), deleter(given.deleter), name(std::move(its_name)) {}
  ~Rule() {
    if (deleter != nullptr) deleter(ctx);
  }
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  const tenon_vmap_fn fn;
  void* const ctx;
  const tenon_deleter deleter;
  const std::string name;  // for messages
};

tenon_status apply_rule(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&]() -> tenon_status {
    const Rule& rule = *static_cast<const Rule*>(ctx);
    BatchedCall call(*op, *stack);
    if (!call.is_mapped()) {
      return dispatch::redispatch(op, keys & dispatch::keys_below(TENON_KEY_BATCHED), stack);
    }
    if (!call.has_mapped()) return call.call_below(stack);
    tenon_vmap_info info{};
    info.struct_size = sizeof info;
    info.randomness = call.info().randomness;
    info.batch_size = call.info().size;
    info.ntensors = static_cast<int64_t>(call.dims().size());
    tenon_value out_dims{};
    tenon_stack inner = call.below(*stack);
    tenon_status status = TENON_OK;
    {
      const dispatch::BelowLayer below;
      status = rule.fn(rule.ctx, op, &info, call.dims().data(), &inner, &out_dims);
    }
    const value::OwnedValue owned(out_dims);
    stack->error = inner.error;
    if (status == TENON_DECLINED) {
      call_each(*op, call, stack);
      return TENON_OK;
    }
    if (status != TENON_OK) return status;
    call.wrap_results(rule.name, owned.get(), stack);
    return TENON_OK;
  });
}

}  // namespace

dispatch::RegistrationPtr register_rule(dispatch::Library* library, std::string_view name,
                                        const tenon_vmap_rule& rule) {
  const char* const title = rule.name != nullptr ? rule.name : "batching rule";
  auto made = std::make_unique<Rule>(rule, base::concat(name, ": ", title));
  tenon_kernel description{};
  description.struct_size = sizeof description;
  description.boxed = &apply_rule;
  description.ctx = made.release();
  description.deleter = [](void* ctx) { delete static_cast<Rule*>(ctx); };
  description.language = rule.language;
  description.policy = rule.policy;
  description.name = title;
  description.file = rule.file;
  description.line = rule.line;
  return dispatch::implement(library, name, TENON_KEY_BATCHED, dispatch::make_kernel(description));
}

}  // namespace tenon::transform
