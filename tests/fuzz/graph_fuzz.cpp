// SPDX-License-Identifier: Apache-2.0
// Graphs: any text and any bytes parse to a graph or to an error, without running anything. A graph
// that was parsed prints and serializes to a form that parses to an equal graph.
#include "fuzz.h"

namespace tenon::fuzz {
namespace {

constexpr const char* kSchemas[] = {
    "pair(Tensor x, int n=1, *, float s=0.5, str t='a') -> (Tensor, Tensor)",
    "list(Tensor[] x, int[2] n, Scalar? s=None) -> Tensor[]",
    ("any(Any x, ScalarType? d=None, Device? e=None, Layout? l=None, MemoryFormat? m=None) -> "
     "Tensor"),
    "write(Tensor(a!) x, bool[] b, complex c, Dict(str, int) k) -> ()"};

tenon_status ran(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  broken(__FILE__, __LINE__, "reading a graph runs nothing", "");
}

// Operators that input texts can name; never removed.
void define_operators() {
  static const bool done = [] {
    tenon_library* library = nullptr;
    FUZZ_CHECK(tenon_library_new(TENON_LIBRARY_DEF, "fz", TENON_KEY_NONE, nullptr, 0, &library) ==
               TENON_OK);
    for (const char* schema : kSchemas) {
      const tenon_op* op = nullptr;
      FUZZ_CHECK(tenon_library_define(library, schema, nullptr, &op) == TENON_OK);
      tenon_kernel kernel{};
      kernel.struct_size = sizeof kernel;
      kernel.boxed = &ran;
      FUZZ_CHECK(tenon_library_impl(library, tenon_op_name(op),
                                    TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel,
                                    nullptr) == TENON_OK);
    }
    return true;
  }();
  static_cast<void>(done);
}

std::string print(const tenon_graph* graph) {
  tenon_buffer* text = nullptr;
  FUZZ_CHECK(tenon_graph_print(graph, &text) == TENON_OK);
  return take_text(text);
}

void examine_number(const tenon_graph* graph, int64_t index) {
  tenon_graph_number number{};
  number.struct_size = sizeof number;
  FUZZ_CHECK(tenon_graph_get_number(graph, index, &number) == TENON_OK);
  const tenon_value value = tenon_value_of_number(TENON_TAG_REF, index);
  tenon_buffer* text = nullptr;
  FUZZ_CHECK(tenon_graph_print_number(graph, &value, &text) == TENON_OK);
  tenon_buffer_release(text);
}

void examine(tenon_graph* graph) {
  const std::string text = print(graph);
  for (int64_t i = 0; i < tenon_graph_value_count(graph); ++i) {
    tenon_graph_value value{};
    value.struct_size = sizeof value;
    FUZZ_CHECK(tenon_graph_get_value(graph, i, &value) == TENON_OK);
    if (value.kind >= TENON_GRAPH_VALUE_SIZE) examine_number(graph, i);
  }
  for (int64_t i = 0; i < tenon_graph_guard_count(graph); ++i) {
    tenon_graph_guard guard{};
    guard.struct_size = sizeof guard;
    FUZZ_CHECK(tenon_graph_get_guard(graph, i, &guard, nullptr) == TENON_OK);
  }
  tenon_buffer* buffer = nullptr;
  FUZZ_CHECK(tenon_graph_write(graph, &buffer) == TENON_OK, text);
  const std::string bytes = take_text(buffer);
  tenon_graph* again = nullptr;
  const tenon_status status =
      tenon_graph_read(bytes.data(), static_cast<int64_t>(bytes.size()), &again);
  const std::string message = settle(status);
  FUZZ_CHECK(status == TENON_OK, message + "\n" + text);
  FUZZ_CHECK(print(again) == text, text);
  tenon_graph_release(again);
  tenon_graph* changed = nullptr;
  const tenon_status made =
      tenon_graph_transform(graph, TENON_GRAPH_MERGE_COMMON | TENON_GRAPH_REMOVE_DEAD, &changed);
  settle(made);
  FUZZ_CHECK(made == TENON_OK, text);
  FUZZ_CHECK(tenon_graph_node_count(changed) <= tenon_graph_node_count(graph), text);
  tenon_graph_release(changed);
}

}  // namespace

// The first byte selects text or binary format; a text may use up to two tensors as attributes.
void fuzz_graph(const uint8_t* data, size_t size) {
  define_operators();
  const LeakCheck nothing_left;
  if (size == 0) return;
  const auto* bytes = reinterpret_cast<const char*>(data + 1);
  const auto left = static_cast<int64_t>(size - 1);
  tenon_graph* graph = nullptr;
  tenon_tensor* attributes[2] = {nullptr, nullptr};
  const int64_t sizes[1] = {2};
  for (tenon_tensor*& tensor : attributes) {
    FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, sizes, nullptr, &tensor) == TENON_OK);
  }
  const int64_t count = data[0] % 3;
  const tenon_status status = data[0] < 0x80
                                  ? tenon_graph_parse(bytes, left, attributes, count, &graph)
                                  : tenon_graph_read(bytes, left, &graph);
  FUZZ_CHECK((status == TENON_OK) == (graph != nullptr));
  settle(status);
  if (graph != nullptr) examine(graph);
  tenon_graph_release(graph);
  for (tenon_tensor* tensor : attributes) tenon_tensor_release(tensor);
}

}  // namespace tenon::fuzz
