// SPDX-License-Identifier: Apache-2.0
// An operator's schema: name, arguments, returns, alias annotations and defaults.
#include "schema/schema.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/fork.h"
#include "base/live_count.h"
#include "schema/printer.h"

namespace tenon::schema {
namespace {

bool same_sets(const std::vector<InternedString>& a, const std::vector<InternedString>& b) {
  const auto within = [](const auto& inner, const auto& outer) {
    return std::all_of(inner.begin(), inner.end(), [&](InternedString set) {
      return std::find(outer.begin(), outer.end(), set) != outer.end();
    });
  };
  return within(a, b) && within(b, a);
}

bool same_floats(const void* a, const void* b, size_t count) {
  // Compares bits, so that a NaN default equals itself and -0. differs from 0.
  return std::memcmp(a, b, count * sizeof(double)) == 0;
}

bool same_value(const tenon_value& a, const tenon_value& b) {
  if (a.tag != b.tag || a.count != b.count) return false;
  const void* left = a.as.list.data;
  const void* right = b.as.list.data;
  switch (a.tag) {
    case TENON_TAG_NONE:
      return true;
    case TENON_TAG_FLOAT:
      return same_floats(&a.as.f, &b.as.f, 1);
    case TENON_TAG_COMPLEX:
      return same_floats(&a.as.c, &b.as.c, 2);
    case TENON_TAG_STRING:
    case TENON_TAG_BOOL_LIST:
      return std::memcmp(left, right, a.count) == 0;
    case TENON_TAG_INT_LIST:
      return std::memcmp(left, right, a.count * sizeof(int64_t)) == 0;
    case TENON_TAG_FLOAT_LIST:
      return same_floats(left, right, a.count);
    case TENON_TAG_TENSOR_LIST:
      TENON_DCHECK(a.count == 0);
      return true;  // both are empty: a default cannot contain tensors
    case TENON_TAG_LIST: {
      const auto* x = static_cast<const tenon_value*>(left);
      const auto* y = static_cast<const tenon_value*>(right);
      return std::equal(x, x + a.count, y, same_value);
    }
    default:
      return a.as.i == b.as.i;
  }
}

uint64_t mix(uint64_t hash, uint64_t word) {
  return (hash ^ word) * 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

uint64_t hash_text(std::string_view text) { return std::hash<std::string_view>()(text); }

uint64_t hash_alias(const AliasInfo* alias) {
  if (alias == nullptr) return 1;
  uint64_t before = 0, after = 0;  // sums, because sets have no order
  for (InternedString set : alias->before) before += hash_text(set.view());
  for (InternedString set : alias->after) after += hash_text(set.view());
  uint64_t hash = mix(mix(alias->write ? 3 : 2, before), after);
  for (const auto& inner : alias->contained) hash = mix(hash, hash_alias(inner.get()));
  return hash;
}

uint64_t hash_argument(const Argument& argument) {
  uint64_t hash = hash_text(argument.name.view());
  hash = mix(hash, hash_text(argument.type->text.view()));
  hash = mix(hash, static_cast<uint64_t>(argument.list_size) * 2 + argument.kwarg_only);
  hash = mix(hash, hash_alias(argument.alias.get()));
  return mix(hash, argument.default_value ? hash_text(print_default(argument)) : 0);
}

}  // namespace

std::string_view OperatorName::ns() const {
  const size_t colons = name.view().find("::");
  return colons == std::string_view::npos ? std::string_view() : name.view().substr(0, colons);
}

std::string_view OperatorName::base() const {
  const size_t colons = name.view().find("::");
  return colons == std::string_view::npos ? name.view() : name.view().substr(colons + 2);
}

std::string OperatorName::full() const {
  std::string text(name.view());
  if (!overload.empty()) {
    text += '.';
    text += overload.view();
  }
  return text;
}

bool AliasInfo::writes() const {
  return write || std::any_of(contained.begin(), contained.end(), [](const auto& inner) {
           return inner != nullptr && inner->writes();
         });
}

bool AliasInfo::is_wildcard_after() const {
  return std::any_of(after.begin(), after.end(),
                     [](InternedString set) { return set.view() == "*"; });
}

bool AliasInfo::mentions(InternedString set) const {
  return std::find(before.begin(), before.end(), set) != before.end() ||
         std::find(after.begin(), after.end(), set) != after.end() ||
         std::any_of(contained.begin(), contained.end(),
                     [&](const auto& inner) { return inner != nullptr && inner->mentions(set); });
}

bool operator==(const AliasInfo& a, const AliasInfo& b) {
  const auto same_inner = [](const auto& x, const auto& y) {
    return x == y || (x != nullptr && y != nullptr && *x == *y);
  };
  return a.write == b.write && a.anonymous == b.anonymous && same_sets(a.before, b.before) &&
         same_sets(a.after, b.after) &&
         std::equal(a.contained.begin(), a.contained.end(), b.contained.begin(), b.contained.end(),
                    same_inner);
}

Default::Default(tenon_value value, const void* elements, size_t size)
    : value_(value), memory_(new char[size + 1]) {
  if (size != 0) std::memcpy(memory_.get(), elements, size);
  memory_[size] = '\0';
  value_.as.list.data = memory_.get();
  value_.as.list.owner = nullptr;
}

void DefaultDeleter::operator()(const Default* value) const noexcept {
  TENON_DCHECK((value->value_.flags & TENON_VALUE_OWNED) == 0);  // the value borrows from `memory_`
  if (!value->shared_) delete value;
}

DefaultPtr make_default(tenon_value value, bool as_int) {
  // Shared constants, never freed: None, booleans, and the ints from kLeast to kMost.
  constexpr int64_t kLeast = -2, kMost = 8;
  struct Shared {
    std::array<std::unique_ptr<Default>, 3 + kMost - kLeast + 1> values;
    Shared() {
      const auto keep = [](uint16_t tag, int64_t number) {
        tenon_value constant = {};
        constant.tag = tag;
        constant.as.i = number;
        auto made = std::make_unique<Default>(constant);
        made->shared_ = true;
        return made;
      };
      values[0] = keep(TENON_TAG_NONE, 0);
      values[1] = keep(TENON_TAG_BOOL, 0);
      values[2] = keep(TENON_TAG_BOOL, 1);
      for (int64_t i = kLeast; i <= kMost; ++i) values[3 + i - kLeast] = keep(TENON_TAG_INT, i);
    }
  };
  const auto& shared = base::singleton<Shared, base::ForkOrder::kSharedDefaults>();
  const int64_t number = value.as.i;
  size_t place = shared.values.size();
  if (value.tag == TENON_TAG_NONE) place = 0;
  if (value.tag == TENON_TAG_BOOL) place = number != 0 ? 2 : 1;
  if (value.tag == TENON_TAG_INT && number >= kLeast && number <= kMost) {
    place = static_cast<size_t>(3 + number - kLeast);
  }
  if (place < shared.values.size() && !as_int) return DefaultPtr(shared.values[place].get());
  return DefaultPtr(new Default(value, as_int));
}

std::unique_ptr<Default> Default::device(std::string_view text) {
  tenon_value value = {};
  value.tag = TENON_TAG_DEVICE;
  auto made = std::make_unique<Default>(value);
  made->device_text_ = InternedString(text);
  return made;
}

void Default::set_device(tenon_device device) const {
  TENON_DCHECK(value_.tag == TENON_TAG_DEVICE);
  // every thread sets the same device
  TENON_DCHECK(!device_known() || value_.as.device.type == device.type);
  if (device_known()) return;
  value_.as.device = device;
  device_known_.store(true, std::memory_order_release);
}

bool operator==(const Default& a, const Default& b) {
  if (a.value_.tag == TENON_TAG_DEVICE && b.value_.tag == TENON_TAG_DEVICE) {
    return a.device_text_ == b.device_text_;
  }
  return same_value(a.value_, b.value_);
}

bool operator==(const Argument& a, const Argument& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x == y || (x != nullptr && y != nullptr && *x == *y);
  };
  return a.name == b.name && a.type == b.type && a.list_size == b.list_size &&
         a.kwarg_only == b.kwarg_only && same(a.alias, b.alias) &&
         same(a.default_value, b.default_value);
}

}  // namespace tenon::schema

using tenon::schema::AliasInfo;
using tenon::schema::Argument;
using tenon::schema::InternedString;

tenon_schema::tenon_schema(tenon::schema::OperatorName name, size_t arguments, size_t returns,
                           bool vararg, bool varret) noexcept
    : name_(name),
      narguments_(static_cast<uint16_t>(arguments)),
      nreturns_(static_cast<uint16_t>(returns)),
      vararg_(vararg),
      varret_(varret) {
  TENON_DCHECK(arguments == narguments_ && returns == nreturns_);  // the parser enforces the limits
  tenon::base::count_live(TENON_HANDLE_SCHEMA, 1);
}

tenon::schema::SchemaPtr tenon_schema::make(tenon::schema::OperatorName name,
                                            std::span<Argument> arguments,
                                            std::span<Argument> returns, bool vararg, bool varret) {
  const size_t count = arguments.size() + returns.size();
  void* memory = ::operator new(sizeof(tenon_schema) + count * sizeof(Argument));
  auto* schema = new (memory) tenon_schema(name, arguments.size(), returns.size(), vararg, varret);
  auto* list = reinterpret_cast<Argument*>(schema + 1);
  std::uninitialized_move(returns.begin(), returns.end(),
                          std::uninitialized_move(arguments.begin(), arguments.end(), list));
  return tenon::schema::SchemaPtr::adopt(schema);
}

void tenon_schema::destroy(tenon_schema* schema) noexcept {
  schema->~tenon_schema();
  ::operator delete(schema);
}

tenon_schema::~tenon_schema() {
  std::destroy_n(const_cast<Argument*>(list()), size_t{narguments_} + nreturns_);
  delete[] text_.load(std::memory_order_relaxed);
  tenon::base::count_live(TENON_HANDLE_SCHEMA, -1);
}

const char* tenon_schema::text() const {
  if (const char* printed = text_.load(std::memory_order_acquire)) return printed;
  const std::string text = tenon::schema::print(*this);
  auto copy = std::make_unique<char[]>(text.size() + 1);
  std::memcpy(copy.get(), text.c_str(), text.size() + 1);
  const char* other = nullptr;
  if (text_.compare_exchange_strong(other, copy.get(), std::memory_order_acq_rel)) {
    return copy.release();
  }
  return other;  // lost the race
}

uint64_t tenon_schema::hash() const {
  using namespace tenon::schema;
  uint64_t hash = mix(hash_text(name_.name.view()), hash_text(name_.overload.view()));
  hash = mix(hash, (vararg_ ? 2u : 0u) + (varret_ ? 1u : 0u));
  for (const Argument& argument : arguments()) hash = mix(hash, hash_argument(argument));
  hash = mix(hash, arguments().size());
  for (const Argument& result : returns()) hash = mix(hash, hash_argument(result));
  return hash;
}

bool operator==(const tenon_schema& a, const tenon_schema& b) {
  return a.name_ == b.name_ && a.vararg_ == b.vararg_ && a.varret_ == b.varret_ &&
         std::ranges::equal(a.arguments(), b.arguments()) &&
         std::ranges::equal(a.returns(), b.returns());
}

int64_t tenon_schema::find_argument(std::string_view name) const {
  for (size_t i = 0; i < arguments().size(); ++i) {
    if (arguments()[i].name.view() == name) return static_cast<int64_t>(i);
  }
  return -1;
}

namespace {

// Calls `visit` with each set name of an annotation, and stops if it returns true.
template <class Visit>
bool any_set(const AliasInfo& alias, const Visit& visit) {
  for (InternedString set : alias.before) {
    if (visit(set)) return true;
  }
  for (const auto& inner : alias.contained) {
    if (inner != nullptr && any_set(*inner, visit)) return true;
  }
  return false;
}

}  // namespace

int64_t tenon_schema::aliased_argument(size_t index) const {
  TENON_DCHECK(index < nreturns_);
  const AliasInfo* alias = returns()[index].alias.get();
  if (alias == nullptr) return -1;
  for (size_t i = 0; i < arguments().size(); ++i) {
    const AliasInfo* theirs = arguments()[i].alias.get();
    if (theirs == nullptr) continue;
    const bool shared = any_set(*alias, [theirs](InternedString set) {
      return set.view() != "*" && theirs->mentions(set);
    });
    if (shared) return static_cast<int64_t>(i);
  }
  return -1;
}

bool tenon_schema::is_mutable() const {
  return std::ranges::any_of(arguments(),
                             [](const Argument& argument) { return argument.is_written(); });
}

bool tenon_schema::is_functional() const {
  return !is_mutable() && !returns().empty() &&
         std::ranges::none_of(returns(),
                              [](const Argument& result) { return result.alias != nullptr; });
}
