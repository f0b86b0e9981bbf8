// SPDX-License-Identifier: Apache-2.0
// Checks whether a schema may replace an older one, by PyTorch's compatibility rules.
#include "schema/compatibility.h"

#include <algorithm>
#include <vector>

#include "base/concat.h"
#include "schema/printer.h"

namespace tenon::schema {
namespace {

using base::concat;
using Reason = std::optional<std::string>;

enum class Direction { kBackward, kForward };

bool same_alias(const Argument& a, const Argument& b) {
  if (a.alias == nullptr || b.alias == nullptr) return a.alias == b.alias;
  return *a.alias == *b.alias;
}

std::string quoted(const Argument& argument) { return concat('\'', argument.name.view(), '\''); }

// Compares lowered types: callers pass ints for ScalarType and SymInt, so a change between these
// does not affect them.
bool widens(const Argument& from, const Argument& to) {
  return is_subtype(lowered_type(from.type), lowered_type(to.type));
}

Reason compare(const Argument& newer, const Argument& older, const char* what,
               Direction direction) {
  if (newer.name != older.name) {
    return concat(what, ' ', quoted(older), " is now called ", quoted(newer));
  }
  const std::string name = concat(what, ' ', quoted(older));
  if (newer.list_size != older.list_size || !same_alias(newer, older)) {
    return concat(name, " changed from ", print(older), " to ", print(newer));
  }
  if (newer.kwarg_only && !older.kwarg_only) return concat(name, " is now keyword-only");
  const bool typed =
      direction == Direction::kBackward ? widens(older, newer) : widens(newer, older);
  if (!typed) {
    return concat(name, ": type ", print_type(newer), " does not replace ", print_type(older));
  }
  if (older.default_value != nullptr &&
      (newer.default_value == nullptr || !(*newer.default_value == *older.default_value))) {
    return concat(name, ": its default changed from ", print_default(older), " to ",
                  newer.default_value ? print_default(newer) : std::string("none"));
  }
  if (direction == Direction::kForward && newer.default_value != nullptr &&
      older.default_value == nullptr) {
    return concat(name, " has a default, which the older schema does not know");
  }
  return {};
}

Reason compare_frames(const Schema& newer, const Schema& older) {
  if (!(newer.name() == older.name())) {
    return concat("the name changed from ", older.name().full(), " to ", newer.name().full());
  }
  if (newer.is_vararg() != older.is_vararg() || newer.is_varret() != older.is_varret()) {
    return "only one of them has '...'";
  }
  if (newer.returns().size() != older.returns().size()) {
    return concat("the number of returns changed from ", older.returns().size(), " to ",
                  newer.returns().size());
  }
  return {};
}

size_t first_out(const Schema& schema) {
  const auto& arguments = schema.arguments();
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [](const Argument& argument) { return argument.is_out(); });
  return static_cast<size_t>(found - arguments.begin());
}

Reason check_new_argument(const Argument& added, Direction direction) {
  if (added.default_value == nullptr) {
    return concat("the new argument ", quoted(added), " of type ", print_type(added),
                  " has no default");
  }
  const uint16_t tag = added.default_value->value().tag;
  if (direction == Direction::kForward && tag >= TENON_TAG_INT_LIST) {
    return concat("the new argument ", quoted(added), " of type ", print_type(added),
                  " has a container as its default");
  }
  return {};
}

Reason compare_arguments(const Schema& newer, const Schema& older, Direction direction) {
  const auto& now = newer.arguments();
  const auto& then = older.arguments();
  const size_t now_out = first_out(newer);
  const size_t then_out = first_out(older);
  for (size_t i = 0; i < std::min(now_out, then_out); ++i) {
    if (auto reason = compare(now[i], then[i], "argument", direction)) return reason;
  }
  for (size_t i = now_out; i < then_out; ++i) {  // removed arguments
    if (direction == Direction::kBackward || then[i].default_value == nullptr) {
      return concat("argument ", quoted(then[i]), " was removed");
    }
  }
  for (size_t i = then_out; i < now_out; ++i) {  // added arguments
    if (auto reason = check_new_argument(now[i], direction)) return reason;
  }
  const size_t now_outs = now.size() - now_out;
  const size_t then_outs = then.size() - then_out;
  if (now_outs < then_outs || (direction == Direction::kForward && now_outs != then_outs)) {
    return concat("the number of out arguments changed from ", then_outs, " to ", now_outs);
  }
  for (size_t i = 0; i < then_outs; ++i) {
    const auto reason = compare(now[now_out + i], then[then_out + i], "out argument", direction);
    if (reason) return reason;
  }
  return {};
}

}  // namespace

Reason backward_incompatibility(const Schema& newer, const Schema& older) {
  if (auto reason = compare_frames(newer, older)) return reason;
  for (size_t i = 0; i < newer.returns().size(); ++i) {
    // For returns, older and newer are swapped: a return type may become narrower, but not wider.
    const auto reason =
        compare(older.returns()[i], newer.returns()[i], "return", Direction::kBackward);
    if (reason) return reason;
  }
  return compare_arguments(newer, older, Direction::kBackward);
}

Reason forward_incompatibility(const Schema& newer, const Schema& older) {
  if (auto reason = compare_frames(newer, older)) return reason;
  return compare_arguments(newer, older, Direction::kForward);
}

}  // namespace tenon::schema
