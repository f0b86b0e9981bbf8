// SPDX-License-Identifier: Apache-2.0
// Plan::Run: the values of one run, and the arguments of its calls.
#pragma once

#include <cstring>

#include "base/check.h"
#include "base/small_vector.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/references.h"
#include "graph/run_numbers.h"

namespace tenon::graph {

/// The values of one run.
class Plan::Run {
 public:
  explicit Run(const Plan& plan)
      : plan_(plan),
        values_(plan.graph_.values().size()),
        numbers_(plan.graph_, values_.data()),
        args_(plan.most_args_),
        list_(plan.most_elements_) {}
  ~Run() {
    for (const Step& step : plan_.steps_) {
      for (uint32_t i = 0; i < step.nresults; ++i) value::drop(&values_[step.first_value + i]);
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void bind(const tenon_value* inputs) {
    const tenon_graph& graph = plan_.graph_;
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const Input& input = graph.inputs()[i];
      const bool is_tensor = inputs[i].tag == TENON_TAG_TENSOR && inputs[i].as.tensor != nullptr;
      TENON_CHECK_TYPE(is_tensor, "tenon_graph_run: ", input.name, " must be a tensor, got ",
                       value::print(inputs[i]));
      values_[input.value] = tenon_value_of_tensor(inputs[i].as.tensor);
    }
    for (const Attribute& attribute : graph.attributes()) {
      values_[attribute.value] = tenon_value_of_tensor(attribute.tensor.get());
    }
    for (const Element& number : plan_.first_) take(number);
    if (!plan_.first_.empty() || graph.has_fixed_sizes()) {
      for (const Input& input : graph.inputs()) numbers_.check_sizes(input);
    }
  }

  /// Keeps all results until the run ends, even after their last use.
  void keep_all() noexcept { keeps_all_ = true; }

  /// Makes all calls by `call(number of the node, stack)`, which throws if the call fails.
  template <class Call>
  void steps(Call&& call) {
    uint32_t patch = 0, element = 0, release = 0;
    for (const Step& step : plan_.steps_) {
      std::memcpy(args_.data(), step.args, step.nargs * sizeof(tenon_value));
      next_ = list_.data();
      for (; patch < step.patches_end; ++patch) fill(plan_.patches_[patch]);
      make(step, call);
      for (; element < step.elements_end; ++element) take(plan_.elements_[element]);
      for (; !keeps_all_ && release < step.releases_end; ++release) {
        tenon_value* value = &values_[plan_.releases_[release]];
        value::drop(value);
        *value = tenon_value{};
      }
    }
  }

  tenon_value output(const tenon_value& output) { return value::copy(filled(output)); }
  tenon_value value_of(uint32_t number) const noexcept {
    tenon_value value = values_[number];
    value.flags = 0;
    return value;
  }

 private:
  void fill(const Patch& patch) {
    tenon_value& arg = args_[patch.argument];
    switch (patch.fill) {
      case FillKind::kValue:
        arg = value_of(patch.value);
        break;
      case FillKind::kTensorList: {
        tenon_tensor** const tensors = next_;
        next_ += arg.count;
        for (uint32_t i = 0; i < arg.count; ++i) {
          const tenon_value& each = value::elements(arg)[i];
          const tenon_value tensor =
              each.tag == TENON_TAG_REF ? value_of(static_cast<uint32_t>(each.as.i)) : each;
          tensors[i] = tensor.tag == TENON_TAG_TENSOR ? tensor.as.tensor : nullptr;
        }
        arg = tenon_value_of_tensors(tensors, arg.count);
        break;
      }
      case FillKind::kIntList:
        arg = int_list(arg);
        break;
      case FillKind::kDeep:
        arg = filled(arg);
        break;
    }
  }

  // Returns a value with its references replaced by the referenced values.
  tenon_value filled(const tenon_value& value) {
    return with_references(value, deep_, [this](uint32_t number) { return value_of(number); });
  }

  // Converts a list of numbers and references to an int list.
  tenon_value int_list(const tenon_value& list) {
    auto* words = deep_.make<int64_t>(list.count);
    bool is_symbolic = false;
    int64_t least = 0;  // the smallest plain number
    for (uint32_t i = 0; i < list.count; ++i) {
      const tenon_value& each = value::elements(list)[i];
      const tenon_value number =
          each.tag == TENON_TAG_REF ? value_of(static_cast<uint32_t>(each.as.i)) : each;
      const bool is_symbol = number.tag == TENON_TAG_SYMINT;
      TENON_CHECK_TYPE(is_symbol || number.tag == TENON_TAG_INT,
                       "tenon_graph_run: a size must be an int, got ", value::print(number));
      words[i] = is_symbol ? base::word_of(number.as.symbol) : number.as.i;
      if (!is_symbol) least = std::min(least, number.as.i);
      is_symbolic = is_symbolic || is_symbol;
    }
    TENON_CHECK_ARG(
        !is_symbolic || least >= base::kLeastNumber,
        "tenon_graph_run: a number in an expression with symbols must be -2^62 or more, got ",
        least);
    tenon_value ints = tenon_value_of_ints(words, list.count);
    if (is_symbolic) ints.flags = TENON_VALUE_HAS_SYMBOLIC;
    return ints;
  }

  template <class Call>
  void make(const Step& step, Call& call) {
    tenon_stack stack{};
    stack.args = args_.data();
    stack.nargs = step.nargs;
    stack.rets = &values_[step.first_value];
    stack.nrets = step.nresults;
    call(static_cast<uint32_t>(&step - plan_.steps_.data()), &stack);
  }

  void take(const Element& element) {
    if (element.list == kNumber) return numbers_.evaluate(element.value);
    if (element.list == kGuard) return numbers_.check(plan_.graph_.guards()[element.value]);
    const tenon_value& list = values_[element.list];
    TENON_CHECK_INDEX(list.tag == TENON_TAG_TENSOR_LIST && element.index < list.count,
                      "tenon_graph_run: a list of results must have element ", element.index,
                      ", got ", list.count);
    tenon_tensor* tensor = value::tensors(list)[element.index];
    values_[element.value] =
        tensor != nullptr ? tenon_value_of_tensor(tensor) : tenon_value_of_none();
  }

  const Plan& plan_;
  bool keeps_all_ = false;
  base::SmallVector<tenon_value, 64> values_;
  RunNumbers numbers_;
  base::SmallVector<tenon_value, 16> args_;
  base::SmallVector<tenon_tensor*, 16> list_;
  tenon_tensor** next_ = nullptr;  // in list_
  Arena deep_;
};

}  // namespace tenon::graph
