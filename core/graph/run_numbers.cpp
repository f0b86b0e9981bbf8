// SPDX-License-Identifier: Apache-2.0
#include "graph/run_numbers.h"

#include <optional>

#include "base/check.h"
#include "base/symbol_algebra.h"
#include "base/symbol_function.h"
#include "graph/number_text.h"

namespace tenon::graph {

namespace {

constexpr const char* kRun = "tenon_graph_run: ";

bool is_float(const tenon_value& value) noexcept { return value.tag == TENON_TAG_FLOAT; }

double real(const tenon_value& value) noexcept {
  return is_float(value) ? value.as.f : static_cast<double>(value.as.i);
}

tenon_value symbol_value(int64_t word) noexcept {
  tenon_value value{};
  value.tag = TENON_TAG_SYMINT;
  value.as.symbol = base::symbol_of(word);
  return value;
}

tenon_value value_of_word(int64_t word) noexcept {
  return base::is_symbol(word) ? symbol_value(word) : tenon_value_of_int(word);
}

// Computes a function of plain numbers; empty if there is no result.
std::optional<tenon_value> result(uint32_t function, const tenon_value& a, const tenon_value& b) {
  const bool is_relation = base::is_relation(function);
  const bool gives_float = function >= TENON_SYMBOL_TRUEDIV && function <= TENON_SYMBOL_FLOAT;
  if (is_float(a) || is_float(b) || gives_float) {
    if (is_relation) return tenon_value_of_bool(base::holds(function, real(a), real(b)));
    if (function == TENON_SYMBOL_TRUEDIV && real(b) == 0) return std::nullopt;
    return tenon_value_of_float(base::calculate_real(function, real(a), real(b)));
  }
  const auto number = base::calculate(function, a.as.i, b.as.i);
  if (!number || base::is_symbol(*number)) return std::nullopt;
  return function >= TENON_SYMBOL_EQ ? tenon_value_of_bool(*number != 0)
                                     : tenon_value_of_int(*number);
}

// Computes a function with at least one symbolic operand. The caller owns the result.
tenon_value symbolic_result(uint32_t function, int count, const tenon_value* operands) {
  const tenon_value& symbol = is_symbol_tag(operands[0].tag) ? operands[0] : operands[1];
  return base::algebra_of(*symbol.as.symbol)
      .apply_to(function, {operands, static_cast<size_t>(count)});
}

// Returns the value of a BOOL or SYMBOOL; a SYMBOOL is decided by a guard in the caller's
// environment.
bool decided(const tenon_value& truth) {
  if (truth.tag != TENON_TAG_SYMBOOL) return truth.as.i != 0;
  return base::algebra_of(*truth.as.symbol).decide_truth(truth);
}

std::string bounds_text(const Size& size) {
  std::string text;
  if (size.low != INT64_MIN) text = base::concat(size.low, " or more");
  if (size.high != INT64_MAX) {
    text += base::concat(text.empty() ? "" : " and ", size.high, " or less");
  }
  return text;
}

}  // namespace

tenon_value RunNumbers::number(const tenon_value& operand) const noexcept {
  if (operand.tag != TENON_TAG_REF) return operand;
  tenon_value value = values_[operand.as.i];
  value.flags = 0;
  return value;
}

void RunNumbers::keep(uint32_t value, tenon_value owned) {
  held_.emplace_back(owned);
  values_[value] = held_.back().get();
  values_[value].flags = 0;
}

void RunNumbers::evaluate(uint32_t value) {
  TENON_DCHECK(graph_.is_run_number(value));
  const Value& its = graph_.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_SIZE) return read(graph_.sizes()[its.source]);
  calculate(graph_.functions()[its.source]);
}

void RunNumbers::read(const Size& size) {
  const tenon_value& given = values_[size.tensor];
  const std::string who = value_text(graph_, size.tensor);
  TENON_CHECK_TYPE(given.tag == TENON_TAG_TENSOR && !given.as.tensor->is_undefined(), kRun, who,
                   " must be a tensor, as it defines the size ", size.name, ", got ",
                   value::print(given));
  const tensor::Dims sizes = given.as.tensor->size_span();
  TENON_CHECK_ARG(size.dim < sizes.size(), kRun, who, " must have dim ", size.dim,
                  ", which defines the size ", size.name, ", got sizes ", print_words(sizes));
  const tenon_value read = value_of_word(sizes[size.dim]);
  if (read.tag == TENON_TAG_SYMINT) {
    keep(size.value, value::copy(read));
    tenon_value args[2] = {read, {}};
    for (const int64_t bound : {size.low, size.high}) {
      if (bound == INT64_MIN || bound == INT64_MAX) continue;
      args[1] = tenon_value_of_int(bound);
      const value::OwnedValue holds(
          symbolic_result(bound == size.low ? TENON_SYMBOL_GE : TENON_SYMBOL_LE, 2, args));
      TENON_CHECK_ARG(decided(holds.get()), kRun, who, " must be of size ", bounds_text(size),
                      " at dim ", size.dim, ", got ", value::print(read));
    }
    return;
  }
  const int64_t number = read.as.i;
  TENON_CHECK_ARG(number >= size.low && number <= size.high, kRun, who, " must be of size ",
                  bounds_text(size), " at dim ", size.dim, ", which is ", size.name, ", got ",
                  number);
  values_[size.value] = read;
}

void RunNumbers::calculate(const Function& function) {
  const tenon_value operands[2] = {number(function.operands[0]), number(function.operands[1])};
  if (is_symbol_tag(operands[0].tag) || is_symbol_tag(operands[1].tag)) {
    return keep(function.value, symbolic_result(function.function, function.count(), operands));
  }
  const auto made = result(function.function, operands[0], operands[1]);
  TENON_CHECK_ARG(made, kRun,
                  number_text(graph_, tenon_value_of_number(TENON_TAG_REF, function.value)),
                  " must fit in 63 bits and not divide by 0, got ", value::print(operands[0]), ' ',
                  base::function_text(function.function), ' ', value::print(operands[1]));
  values_[function.value] = *made;
}

bool RunNumbers::is_equal(const tenon_value& a, const tenon_value& b) const {
  if (!is_symbol_tag(a.tag) && !is_symbol_tag(b.tag)) return a.as.i == b.as.i;
  const tenon_value operands[2] = {a, b};
  const value::OwnedValue holds(symbolic_result(TENON_SYMBOL_EQ, 2, operands));
  return decided(holds.get());
}

void RunNumbers::check_sizes(const Input& input) const {
  const TensorMeta* meta = graph_.values()[input.value].meta;
  if (meta == nullptr || values_[input.value].as.tensor->is_undefined()) return;
  const tensor::Dims sizes = values_[input.value].as.tensor->size_span();
  TENON_CHECK_ARG(static_cast<size_t>(meta->ndim) == sizes.size(), kRun, input.name, " must be of ",
                  meta->ndim, " dims, got sizes ", print_words(sizes));
  for (int32_t d = 0; d < meta->ndim; ++d) {
    const tenon_value dim =
        meta->dims != nullptr ? meta->dims[d] : tenon_value_of_int(meta->sizes[d]);
    const tenon_value wanted = number(dim);
    const tenon_value got = value_of_word(sizes[static_cast<size_t>(d)]);
    TENON_CHECK_ARG(is_equal(wanted, got), kRun, input.name, " must be of size ",
                    value::print(wanted),
                    dim.tag == TENON_TAG_REF ? base::concat(", which is ", number_text(graph_, dim))
                                             : std::string(),
                    ", at dim ", d, ", got ", value::print(got));
  }
}

void RunNumbers::check(const Guard& guard) const {
  const tenon_value operands[2] = {number(guard.operands[0]), number(guard.operands[1])};
  bool holds = false;
  if (is_symbol_tag(operands[0].tag) || is_symbol_tag(operands[1].tag)) {
    const value::OwnedValue truth(symbolic_result(guard.function, 2, operands));
    holds = decided(truth.get());
  } else {
    const auto truth = result(guard.function, operands[0], operands[1]);
    holds = truth && truth->as.i != 0;
  }
  TENON_CHECK_ARG(holds, kRun, "sizes must satisfy ", guard_text(graph_, guard), place_text(guard),
                  ", as when the graph was recorded, got ", value::print(operands[0]), " and ",
                  value::print(operands[1]));
}

}  // namespace tenon::graph
