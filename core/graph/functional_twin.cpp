// SPDX-License-Identifier: Apache-2.0
#include "graph/functional_twin.h"

#include "base/check.h"
#include "dispatch/lookup.h"
#include "dispatch/tags.h"

namespace tenon::graph {

namespace {

bool is_option(const schema::Argument& argument) {
  return argument.kwarg_only && argument.default_value != nullptr &&
         argument.default_value->value().tag == TENON_TAG_NONE;
}

// Returns true if `twin` accepts a node's arguments, except those for `out`. Stores its arguments
// in `args`; NULL means the default.
bool takes(const schema::Schema& twin, const schema::Schema& written, const Node& node,
           std::vector<const tenon_value*>* args) {
  if (twin.is_mutable()) return false;
  args->clear();
  size_t writes = 0, next = 0;
  const auto wanted = twin.arguments();
  const auto given = written.arguments();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].is_written()) ++writes;
    if (given[i].is_out()) continue;
    // A factory has options, such as dtype, which the written tensor determined.
    while (next < wanted.size() && wanted[next].name != given[i].name && is_option(wanted[next])) {
      args->push_back(nullptr);
      ++next;
    }
    if (next == wanted.size() || wanted[next].name != given[i].name ||
        wanted[next].type != given[i].type) {
      return false;
    }
    args->push_back(&node.args[i]);
    ++next;
  }
  for (; next < wanted.size(); ++next) {
    if (!is_option(wanted[next])) return false;
    args->push_back(nullptr);
  }
  if (twin.returns().size() != writes) return false;
  for (const schema::Argument& result : twin.returns()) {
    if (result.alias != nullptr) return false;
  }
  return true;
}

}  // namespace

FunctionalTwin find_functional_twin(const Node& node, const schema::Schema& schema) {
  TENON_DCHECK(schema.is_mutable());
  const std::string_view written = schema.name().name.view();
  FunctionalTwin found{};
  std::vector<const tenon_value*> args;
  const auto look = [&](std::string_view name) {
    for (const tenon_op* op : dispatch::find_overloads(name)) {
      schema::SchemaPtr its = dispatch::schema_of(*op);
      if (!its || !takes(*its, schema, node, &args)) continue;
      // Prefer the overload with the fewest additional options.
      if (found.op != nullptr && found.args.size() <= args.size()) continue;
      found = {op, args, std::move(its)};
    }
  };
  // A name that does not follow the naming rule is a tag of the operator.
  if (const std::string twin = dispatch::tag_value(*node.op, "functional="); !twin.empty()) {
    look(twin);
  }
  if (found.op == nullptr) look(written.substr(0, written.size() - written.ends_with('_')));
  TENON_CHECK(found.op != nullptr, TENON_ERROR_NOT_SUPPORTED, kFunctionalize, node.op->name(),
              ": an operator that modifies its arguments must have a functional overload with the "
              "same arguments, got none");
  return found;
}

const tenon_op* find_view_copy(const tenon_op& op, const schema::Schema& schema) {
  const std::string name = base::concat(schema.name().name.view(), "_copy");
  for (const tenon_op* copy : dispatch::find_overloads(name)) {
    const schema::SchemaPtr its = dispatch::schema_of(*copy);
    if (its && its->name().overload == schema.name().overload && its->is_functional()) return copy;
  }
  fail(TENON_ERROR_NOT_SUPPORTED, kFunctionalize, op.name(),
       ": a view operator must have a copying variant, ", name,
       ", got none; record the graph below autograd to decompose composite operators");
}

}  // namespace tenon::graph
