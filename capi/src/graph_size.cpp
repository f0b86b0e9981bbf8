// SPDX-License-Identifier: Apache-2.0
// Sizes and other numbers of graphs over core/graph; see tenon/graph_size.h.
#include "tenon/graph_size.h"

#include "base/check.h"
#include "graph/graph.h"
#include "graph/number_text.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "value/buffer.h"

namespace graph_ = tenon::graph;
using tenon::capi::guarded;

namespace {

constexpr size_t kFirstNumber = 96;
static_assert(sizeof(tenon_graph_number) >= kFirstNumber);
constexpr size_t kFirstGuard = 56;
static_assert(sizeof(tenon_graph_guard) >= kFirstGuard);

void require(const char* function, const tenon_graph* graph) {
  TENON_CHECK_ARG(graph != nullptr, function, ": graph must be given, got NULL");
}

void check_value(const char* function, const tenon_graph& graph, int64_t value) {
  TENON_CHECK_INDEX(value >= 0 && static_cast<uint64_t>(value) < graph.values().size(), function,
                    ": value must be one of the graph, got ", value);
}

// The two operands of a function. If it has only one, the other is 0.
struct Operands {
  tenon_value a, b;

  Operands(const char* function, uint32_t number, const tenon_value* args, int64_t nargs) {
    TENON_CHECK_ARG(number <= TENON_SYMBOL_NOT, function,
                    ": function must be one of TENON_SYMBOL_*, got ", number);
    const int count = graph_::Function{number, {}, 0}.count();
    TENON_CHECK_ARG(nargs == count && args != nullptr, function, ": args must be ", count,
                    " numbers, got ", args == nullptr ? 0 : nargs);
    a = args[0];
    b = count == 2 ? args[1] : tenon_value_of_int(0);
  }
};

tenon_graph_number describe(const tenon_graph& graph, const graph_::Value& value) {
  tenon_graph_number number{};
  number.min = INT64_MIN;
  number.max = INT64_MAX;
  number.tensor = -1;
  if (value.kind == TENON_GRAPH_VALUE_FUNCTION) {
    const graph_::Function& function = graph.functions()[value.source];
    number.function = function.function;
    number.operands = function.operands;
    number.noperands = function.count();
    return number;
  }
  const graph_::Size& size = graph.sizes()[value.source];
  number.name = size.name.c_str();
  if (size.tensor != graph_::kUnbound) number.tensor = size.tensor;
  number.dim = size.dim;
  number.min = size.low;
  number.max = size.high;
  number.has_hint = size.hint.tag == TENON_TAG_INT ? 1 : 0;
  number.hint = number.has_hint != 0 ? size.hint.as.i : 0;
  return number;
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

extern "C" {

tenon_status tenon_graph_add_size(tenon_graph* graph, int64_t tensor, int64_t dim, const char* name,
                                  const int64_t* hint, int64_t min, int64_t max,
                                  int64_t* out_value) {
  if (out_value != nullptr) *out_value = -1;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_size";
    require(kFunction, graph);
    check_value(kFunction, *graph, tensor);
    TENON_CHECK_INDEX(!graph->is_run_number(static_cast<uint32_t>(tensor)), kFunction,
                      ": tensor must be a tensor of the graph, got a number");
    TENON_CHECK_INDEX(dim >= 0 && dim < TENON_TENSOR_MAX_DIMS, kFunction, ": dim must be below ",
                      TENON_TENSOR_MAX_DIMS, ", got ", dim);
    graph_::Size size;
    if (name != nullptr) size.name = name;
    size.tensor = static_cast<uint32_t>(tensor);
    size.dim = static_cast<uint32_t>(dim);
    size.low = min;
    size.high = max;
    if (hint != nullptr) size.hint = tenon_value_of_int(*hint);
    const uint32_t value = graph->add_size(std::move(size));
    if (out_value != nullptr) *out_value = value;
  });
}

tenon_status tenon_graph_add_number(tenon_graph* graph, uint32_t function, const tenon_value* args,
                                    int64_t nargs, int64_t* out_value) {
  if (out_value != nullptr) *out_value = -1;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_number";
    require(kFunction, graph);
    const Operands operands(kFunction, function, args, nargs);
    const uint32_t value = graph->add_function(function, operands.a, operands.b);
    if (out_value != nullptr) *out_value = value;
  });
}

tenon_status tenon_graph_set_dims(tenon_graph* graph, int64_t value, const tenon_value* dims,
                                  int64_t ndim) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_set_dims";
    require(kFunction, graph);
    check_value(kFunction, *graph, value);
    TENON_CHECK_ARG(ndim >= 0 && ndim <= TENON_TENSOR_MAX_DIMS, kFunction, ": ndim must be 0 to ",
                    TENON_TENSOR_MAX_DIMS, ", got ", ndim);
    TENON_CHECK_ARG(dims != nullptr || ndim == 0, kFunction, ": dims must be given, got NULL");
    graph->set_dims(static_cast<uint32_t>(value), {dims, static_cast<size_t>(ndim)});
  });
}

tenon_status tenon_graph_add_guard(tenon_graph* graph, uint32_t function, const tenon_value* args,
                                   int64_t nargs) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_guard";
    require(kFunction, graph);
    const Operands operands(kFunction, function, args, nargs);
    graph->add_guard({function, {operands.a, operands.b}, {}, {}, 0});
  });
}

tenon_status tenon_graph_get_number(const tenon_graph* graph, int64_t value,
                                    tenon_graph_number* out_number) {
  TENON_REQUIRE(out_number);
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_get_number";
    tenon::capi::fill_struct(kFunction, kFirstNumber, out_number, [&] {
      require(kFunction, graph);
      check_value(kFunction, *graph, value);
      TENON_CHECK_TYPE(graph->is_run_number(static_cast<uint32_t>(value)), kFunction,
                       ": value must be a size or function, got value ", value);
      return describe(*graph, graph->values()[static_cast<size_t>(value)]);
    });
  });
}

tenon_status tenon_graph_print_number(const tenon_graph* graph, const tenon_value* number,
                                      tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  *out_text = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_print_number";
    require(kFunction, graph);
    TENON_CHECK_ARG(number != nullptr, kFunction, ": number must be given, got NULL");
    if (number->tag == TENON_TAG_REF) {
      check_value(kFunction, *graph, number->as.i);
    } else {
      TENON_CHECK_TYPE(number->tag == TENON_TAG_INT || number->tag == TENON_TAG_FLOAT, kFunction,
                       ": number must be an int, float or value of the graph, got ",
                       tenon::value::print(*number));
    }
    *out_text = tenon::value::text_buffer(graph_::number_text(*graph, *number)).detach();
  });
}

int64_t tenon_graph_guard_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->guards().size());
}

tenon_status tenon_graph_get_guard(const tenon_graph* graph, int64_t index,
                                   tenon_graph_guard* out_guard, tenon_buffer** out_text) {
  TENON_REQUIRE(out_guard, out_text);
  if (out_text != nullptr) *out_text = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_get_guard";
    tenon::capi::fill_struct(kFunction, kFirstGuard, out_guard, [&] {
      require(kFunction, graph);
      TENON_CHECK_INDEX(index >= 0 && static_cast<uint64_t>(index) < graph->guards().size(),
                        kFunction, ": index must be below ", graph->guards().size(), ", got ",
                        index);
      const graph_::Guard& guard = graph->guards()[static_cast<size_t>(index)];
      tenon_graph_guard described{};
      described.function = guard.function;
      described.operands = guard.operands;
      described.op = text_or_null(guard.op);
      described.file = text_or_null(guard.file);
      described.line = guard.line;
      if (out_text != nullptr) {
        *out_text = tenon::value::text_buffer(graph_::guard_text(*graph, guard)).detach();
      }
      return described;
    });
  });
}

}  // extern "C"
