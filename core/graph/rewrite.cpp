// SPDX-License-Identifier: Apache-2.0
#include "graph/rewrite.h"

#include "base/check.h"
#include "graph/references.h"

namespace tenon::graph {

Rewrite::Rewrite(const Graph& from) : from_(from), mapped_(from.values().size(), kUnknown) {
  for (const Input& input : from.inputs()) {
    mapped_[input.value] = to_->add_input(nullptr, input.name);
  }
  if (from.has_fixed_sizes()) to_->fix_sizes();
  // The sizes of an input may be sizes of later inputs.
  for (const Input& input : from.inputs()) {
    copy_meta(mapped_[input.value], from.values()[input.value].meta);
  }
}

// Copies metadata, with numbers of the old graph mapped to the new one. If one of them has no value
// there, the new value gets no metadata.
void Rewrite::copy_meta(uint32_t made, const TensorMeta* meta) {
  if (meta == nullptr) return;
  if (meta->dims == nullptr) {
    const tensor::Dims sizes(meta->sizes, static_cast<size_t>(meta->ndim));
    const int64_t* strides = keeps_strides_ ? meta->strides : nullptr;
    return to_->set_meta(made, to_->new_meta(meta->dtype, meta->device, sizes, strides));
  }
  tenon_value dims[TENON_TENSOR_MAX_DIMS];
  for (int32_t d = 0; d < meta->ndim; ++d) {
    if (!can_map(meta->dims[d])) return;
    dims[d] = mapped(meta->dims[d]);
  }
  const std::span<const tenon_value> all(dims, static_cast<size_t>(meta->ndim));
  to_->set_meta(made, to_->new_meta(meta->dtype, meta->device, all));
}

// Returns true if a number has a value in the new graph, and maps it. Found numbers are mapped, so
// that shared operands are visited only once.
bool Rewrite::can_map(const tenon_value& number) {
  if (number.tag != TENON_TAG_REF) return true;
  const auto value = static_cast<uint32_t>(number.as.i);
  TENON_DCHECK(value < mapped_.size());
  if (mapped_[value] != kUnknown) return mapped_[value] != kStandIn;
  const Value& its = from_.values()[value];
  bool can = its.kind == TENON_GRAPH_VALUE_ATTRIBUTE;
  if (its.kind == TENON_GRAPH_VALUE_ELEMENT) {
    can = can_map(reference(its.source));
  } else if (its.kind == TENON_GRAPH_VALUE_SIZE) {
    const Size& size = from_.sizes()[its.source];
    can = size.tensor == kUnbound || can_map(reference(size.tensor));
  } else if (its.kind == TENON_GRAPH_VALUE_FUNCTION) {
    const Function& function = from_.functions()[its.source];
    can = can_map(function.operands[0]) && can_map(function.operands[1]);
  }
  if (can) map(value);
  return can;
}

uint32_t Rewrite::map_number(uint32_t value) {
  TENON_DCHECK(from_.is_run_number(value));
  const Value& its = from_.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_SIZE) {
    Size size = from_.sizes()[its.source];
    if (size.tensor != kUnbound) {
      size.tensor = map(size.tensor);
      TENON_CHECK(size.tensor != kStandIn, TENON_ERROR_STATE, "graph: value ",
                  from_.sizes()[its.source].tensor, ", whose size ", size.name,
                  " is used, must not be replaced by a constant or list");
    }
    return to_->add_size(std::move(size));
  }
  const Function& function = from_.functions()[its.source];
  const tenon_value a = mapped(function.operands[0]);
  return to_->add_function(function.function, a, mapped(function.operands[1]));
}

// Returns the value in the new graph; adds attributes, elements and numbers on demand.
uint32_t Rewrite::map(uint32_t value) {
  TENON_DCHECK(value < mapped_.size());
  if (mapped_[value] != kUnknown) return mapped_[value];
  const Value& its = from_.values()[value];
  if (from_.is_run_number(value)) {
    mapped_[value] = map_number(value);
  } else if (its.kind == TENON_GRAPH_VALUE_ATTRIBUTE) {
    const Attribute& attribute = from_.attributes()[its.source];
    mapped_[value] = to_->add_attribute(*attribute.tensor, attribute.name);
  } else {
    TENON_DCHECK(its.kind == TENON_GRAPH_VALUE_ELEMENT);
    mapped_[value] = to_->add_element(map(its.source), its.index);
    copy_meta(mapped_[value], its.meta);
  }
  return mapped_[value];
}

// Like map(), but for a value that may be mapped to an argument that is not a value, or that may be
// an element of such a list.
tenon_value Rewrite::argument(uint32_t value) {
  TENON_DCHECK(value < mapped_.size());
  const Value& its = from_.values()[value];
  if (mapped_[value] == kUnknown && its.kind == TENON_GRAPH_VALUE_ELEMENT &&
      mapped_[its.source] == kStandIn) {
    const tenon_value list = argument(its.source);
    TENON_CHECK_INDEX(its.index < list.count, "graph: element ", its.index, " of value ",
                      its.source, " must exist, got a list of ", list.count, " elements instead");
    return value::elements(list)[its.index];
  }
  if (mapped_[value] != kStandIn) return reference(map(value));
  const tenon_value& by = stand_ins_[value];
  TENON_CHECK(by.tag != TENON_TAG_NONE, TENON_ERROR_STATE, "graph: value ", value,
              " must not be used, as its call was removed");
  return by;
}

tenon_value Rewrite::mapped(const tenon_value& value) {
  return with_references(value, arena_, [this](uint32_t number) { return argument(number); });
}

void Rewrite::keep(const Node& node) {
  std::vector<tenon_value> args(node.args, node.args + node.nargs);
  for (tenon_value& arg : args) arg = mapped(arg);
  const uint32_t first = to_->append(node.op, args);
  TENON_DCHECK(node.first_value + node.nresults <= mapped_.size());
  to_->copy_frames(node);
  for (uint32_t i = 0; i < node.nresults; ++i) {
    mapped_[node.first_value + i] = first + i;
  }
  for (uint32_t i = 0; i < node.nresults; ++i) {
    copy_meta(first + i, from_.values()[node.first_value + i].meta);
  }
}

void Rewrite::stand(uint32_t value, const tenon_value& by) {
  TENON_DCHECK(value < mapped_.size());
  keeps_strides_ = false;
  const tenon_value held = to_->hold(by);
  const schema::Type* type = from_.values()[value].type;
  TENON_CHECK_TYPE(held.tag == TENON_TAG_NONE || type == nullptr || to_->matches(held, *type),
                   "graph: replacement of value ", value, " must be ", type->text.view(), ", got ",
                   value::print(held));
  if (held.tag != TENON_TAG_REF) {
    mapped_[value] = kStandIn;
    stand_ins_.resize(mapped_.size());
    stand_ins_[value] = held;
    return;
  }
  mapped_[value] = static_cast<uint32_t>(held.as.i);
  if (to_->values()[mapped_[value]].meta == nullptr) {
    copy_meta(mapped_[value], from_.values()[value].meta);
  }
}

GraphPtr Rewrite::finish() {
  for (const tenon_value& output : from_.outputs()) to_->add_output(mapped(output));
  for (const Guard& guard : from_.guards()) {
    if (!can_map(guard.operands[0]) || !can_map(guard.operands[1])) continue;
    Guard copy = guard;
    for (tenon_value& operand : copy.operands) operand = mapped(operand);
    to_->add_guard(std::move(copy));
  }
  return std::move(to_);
}

}  // namespace tenon::graph
