// SPDX-License-Identifier: Apache-2.0
#include "dispatch/argument_binder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/near_names.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "dispatch/value_conversion.h"
#include "tensor/device.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using schema::Argument;
using schema::Schema;

// Marks an argument that has not been passed by position or name so far; not the tag of any value.
constexpr uint16_t kNotGiven = 0xffff;

size_t positional_count(const Schema& schema) noexcept {
  const auto& arguments = schema.arguments();
  const auto first_by_name = std::find_if(arguments.begin(), arguments.end(),
                                          [](const Argument& one) { return one.kwarg_only; });
  return static_cast<size_t>(first_by_name - arguments.begin());
}

class Binder {
 public:
  Binder(const Schema& schema, tenon_value* out_values, size_t count) noexcept
      : schema_(schema), values_(out_values), count_(count) {
    for (size_t i = 0; i < count; ++i) values_[i] = tenon_value{kNotGiven, 0, 0, {}};
  }
  ~Binder() {
    if (done_) return;
    for (size_t i = 0; i < count_; ++i) {
      if (values_[i].tag == kNotGiven) values_[i].tag = TENON_TAG_NONE;
      value::clear(&values_[i]);
      values_[i] = tenon_value{};
    }
  }
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void bind(const CallArguments& given) {
    bind_positions(given.positional);
    for (size_t i = 0; i < given.named.size(); ++i) bind_name(given.names[i], given.named[i]);
    bind_defaults();
    TENON_DCHECK(std::none_of(values_, values_ + count_, [](const tenon_value& value) {
      return value.tag == kNotGiven || (value.flags & TENON_VALUE_MOVABLE) != 0;
    }));
    done_ = true;
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(TENON_ERROR_TYPE, schema_.name().full(), ": ", parts..., "; schema: ", schema_.text());
  }

  void bind_positions(std::span<const tenon_value> positional) {
    const size_t free = positional_count(schema_);
    const size_t arguments = schema_.arguments().size();
    if (positional.size() > free && !schema_.is_vararg()) {
      if (positional.size() <= arguments) {
        refuse(schema_.arguments()[free].name.view(), " must be given by name, got it at position ",
               free);
      }
      refuse("number of positional arguments must be at most ", free, ", got ", positional.size());
    }
    TENON_DCHECK(!schema_.is_vararg() || free == arguments);
    for (size_t i = 0; i < positional.size(); ++i) {
      if (i < arguments) {
        put(i, positional[i], true);
      } else {
        values_[i] = borrowed(positional[i]);
      }
    }
  }

  void bind_name(const char* name, const tenon_value& value) {
    TENON_CHECK_ARG(name != nullptr, schema_.name().full(),
                    ": argument names must be strings, got NULL");
    const int64_t found = schema_.find_argument(name);
    if (found < 0) refuse_name(name);
    const auto index = static_cast<size_t>(found);
    if (values_[index].tag != kNotGiven) refuse(name, " must be given once, got it twice");
    put(index, value, false);
  }

  [[noreturn]] void refuse_name(std::string_view name) const {
    std::vector<std::string_view> known;
    std::string list;
    for (const Argument& argument : schema_.arguments()) {
      known.push_back(argument.name.view());
      if (!list.empty()) list += ", ";
      list += argument.name.view();
    }
    if (known.empty()) refuse("argument names must be none, got '", name, "'");
    refuse("argument name must be one of ", list, ", got '", name, "'",
           base::did_you_mean(name, known));
  }

  void put(size_t index, const tenon_value& given, bool by_position) {
    const Argument& argument = schema_.arguments()[index];
    TENON_DCHECK(values_[index].tag == kNotGiven);
    if (value_matches(given, *argument.type)) [[likely]] {
      values_[index] = borrowed(given);
      return;
    }
    if (std::optional<value::OwnedValue> converted = convert(argument, given)) {
      TENON_DCHECK(value_matches(converted->get(), *argument.type));
      values_[index] = converted->release();
      return;
    }
    const auto position = by_position ? std::optional<size_t>(index) : std::nullopt;
    fail(TENON_ERROR_TYPE, mismatch_message(schema_, argument, given, position));
  }

  std::optional<value::OwnedValue> convert(const Argument& argument,
                                           const tenon_value& given) const {
    try {
      return convert_value(given, *argument.type, argument.list_size);
    } catch (const Error& error) {
      error.object()->add_note(
          base::concat("argument '", argument.name.view(), "' of ", schema_.name().full()));
      throw;
    }
  }

  void bind_defaults() {
    const auto& arguments = schema_.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (values_[i].tag != kNotGiven) continue;
      const tenon_value* value = default_value(arguments[i]);
      if (value == nullptr) refuse(arguments[i].name.view(), " must be given, got nothing");
      values_[i] = borrowed(*value);
    }
  }

  const Schema& schema_;
  tenon_value* const values_;
  const size_t count_;
  bool done_ = false;
};

// Owns the values that a call binds and clears them however the call ends.
class BoundArguments {
 public:
  explicit BoundArguments(size_t count) : values_(count) {}
  ~BoundArguments() {
    for (tenon_value& value : values_) value::clear(&value);
  }
  BoundArguments(const BoundArguments&) = delete;
  BoundArguments& operator=(const BoundArguments&) = delete;

  tenon_value* data() noexcept { return values_.data(); }
  size_t size() const noexcept { return values_.size(); }

 private:
  base::SmallVector<tenon_value, 8> values_;
};

}  // namespace

const tenon_value* default_value(const Argument& argument) {
  if (argument.default_value == nullptr) return nullptr;
  const schema::Default& written = *argument.default_value;
  // A backend registered by name gets its number at run time, so the device is resolved on first
  // use.
  if (written.value().tag == TENON_TAG_DEVICE && !written.device_known()) {
    written.set_device(tensor::parse_device(written.device_text()));
  }
  return &written.value();
}

size_t bound_count(const Schema& schema, size_t positional) noexcept {
  const size_t arguments = schema.arguments().size();
  return schema.is_vararg() ? std::max(arguments, positional) : arguments;
}

void bind_arguments(const Schema& schema, const CallArguments& given, tenon_value* out_values) {
  TENON_DCHECK(given.names.size() == given.named.size());
  Binder(schema, out_values, bound_count(schema, given.positional.size())).bind(given);
}

tenon_status call_named(const tenon_op& op, const CallArguments& given,
                        std::span<tenon_value> rets) {
  std::fill(rets.begin(), rets.end(), tenon_value{});
  const schema::SchemaPtr schema = require_schema(op);
  BoundArguments bound(bound_count(*schema, given.positional.size()));
  bind_arguments(*schema, given, bound.data());
  tenon_stack stack{};
  stack.args = bound.data();
  stack.nargs = static_cast<uint32_t>(bound.size());
  stack.rets = rets.data();
  stack.nrets = static_cast<uint32_t>(rets.size());
  // Checked again: another thread may have redefined the operator since its schema was read.
  return call_checked(&op, &stack);
}

}  // namespace tenon::dispatch
