// SPDX-License-Identifier: Apache-2.0
// Graphs over core/graph; see tenon/graph.h.
#include "tenon/graph.h"

#include "base/check.h"
#include "base/language.h"
#include "graph/define.h"
#include "graph/file.h"
#include "graph/passes.h"
#include "graph/plan.h"
#include "graph/recording.h"
#include "graph/references.h"
#include "graph/text.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "override/mode.h"
#include "stack.h"

namespace graph_ = tenon::graph;
using tenon::capi::guarded;

namespace {

constexpr size_t kFirstNode = 64;
static_assert(sizeof(tenon_graph_node) >= kFirstNode);
constexpr size_t kFirstValue = 80;
static_assert(sizeof(tenon_graph_value) >= kFirstValue);

void require(const char* function, const tenon_graph* graph) {
  TENON_CHECK_ARG(graph != nullptr, function, ": graph must be given, got NULL");
}

std::string_view text_or_empty(const char* text) { return text != nullptr ? text : ""; }

void check_index(const char* function, int64_t index, size_t count) {
  TENON_CHECK_INDEX(index >= 0 && static_cast<uint64_t>(index) < count, function,
                    ": index must be below ", count, ", got ", index);
}

tenon_graph_node describe(const graph_::Node& node) {
  tenon_graph_node described{};
  described.nargs = node.nargs;
  described.op = node.op;
  described.args = node.args;
  described.first_result = node.first_value;
  described.nresults = node.nresults;
  return described;
}

tenon_graph_value describe(const tenon_graph& graph, const graph_::Value& value) {
  tenon_graph_value described{};
  described.kind = value.kind;
  described.source = value.source;
  described.index = value.index;
  if (value.kind == TENON_GRAPH_VALUE_INPUT) {
    described.name = graph.inputs()[value.source].name.c_str();
  } else if (value.kind == TENON_GRAPH_VALUE_ATTRIBUTE) {
    described.name = graph.attributes()[value.source].name.c_str();
    described.tensor = graph.attributes()[value.source].tensor.get();
  }
  if (value.kind == TENON_GRAPH_VALUE_SIZE) {
    const graph_::Size& size = graph.sizes()[value.source];
    described.name = size.name.c_str();
    described.source = size.tensor == graph_::kUnbound ? -1 : int64_t{size.tensor};
    described.index = size.dim;
  } else if (value.kind == TENON_GRAPH_VALUE_FUNCTION) {
    described.source = 0;
  }
  described.dtype = TENON_DTYPE_NONE;
  if (value.meta == nullptr) return described;
  described.sizes = value.meta->sizes;
  described.dims = value.meta->dims;
  described.ndim = value.meta->ndim;
  described.dtype = value.meta->dtype;
  described.device = value.meta->device;
  return described;
}

}  // namespace

extern "C" {

tenon_status tenon_graph_begin(uint32_t flags, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    graph_::Recording& recording = graph_::begin_recording(flags);
    if (recording.is_below_autograd()) {
      try {
        tenon::override::push_mode(TENON_MODE_WRAPPER, graph_::new_mode(recording).get());
      } catch (...) {
        graph_::end_recording(recording);
        throw;
      }
    }
    *out_graph = graph_::GraphPtr::share(&recording.graph()).detach();
  });
}

tenon_status tenon_graph_end(tenon_graph* graph) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_end";
    require(kFunction, graph);
    graph_::Recording* recording = graph_::current_recording();
    TENON_CHECK(recording != nullptr && &recording->graph() == graph, TENON_ERROR_STATE, kFunction,
                ": graph must be the thread's innermost recording, got another");
    if (recording->is_below_autograd()) {
      const tenon_object* mode = tenon::override::mode_at(TENON_MODE_WRAPPER, 0);
      TENON_CHECK(mode != nullptr && mode->self() == recording, TENON_ERROR_STATE, kFunction,
                  ": modes entered after the recording must have been left, got ",
                  mode != nullptr ? mode->type()->name : "a hidden recording");
      tenon::override::pop_mode(TENON_MODE_WRAPPER, mode);
    }
    const auto ended = graph_::RecordingPtr::share(recording);
    graph_::end_recording(*recording);
    ended->take_guards();
  });
}

int32_t tenon_graph_is_recording(void) { return graph_::current_recording() != nullptr ? 1 : 0; }

tenon_status tenon_graph_new(tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] { *out_graph = new tenon_graph; });
}

tenon_graph* tenon_graph_retain(tenon_graph* graph) {
  if (graph != nullptr) graph->retain();
  return graph;
}

void tenon_graph_release(tenon_graph* graph) {
  if (graph != nullptr) graph->release();
}

tenon_status tenon_graph_add_input(tenon_graph* graph, tenon_tensor* tensor, const char* name,
                                   int64_t* out_value) {
  if (out_value != nullptr) *out_value = -1;
  return guarded([&] {
    require("tenon_graph_add_input", graph);
    graph_::Recording* recording = graph_::recording_of(*graph);
    const uint32_t value = recording != nullptr ? recording->add_input(tensor, text_or_empty(name))
                                                : graph->add_input(tensor, text_or_empty(name));
    if (out_value != nullptr) *out_value = value;
  });
}

tenon_status tenon_graph_add_attribute(tenon_graph* graph, tenon_tensor* tensor, const char* name,
                                       int64_t* out_value) {
  if (out_value != nullptr) *out_value = -1;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_attribute";
    require(kFunction, graph);
    TENON_CHECK_ARG(tensor != nullptr, kFunction, ": tensor must be given, got NULL");
    graph_::Recording* recording = graph_::recording_of(*graph);
    const uint32_t value = recording != nullptr
                               ? recording->add_attribute(*tensor, text_or_empty(name))
                               : graph->add_attribute(*tensor, text_or_empty(name));
    if (out_value != nullptr) *out_value = value;
  });
}

tenon_status tenon_graph_append(tenon_graph* graph, const tenon_op* op, const tenon_value* args,
                                int64_t nargs, int64_t* out_first_result) {
  if (out_first_result != nullptr) *out_first_result = -1;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_append";
    require(kFunction, graph);
    TENON_CHECK_ARG(op != nullptr, kFunction, ": op must be given, got NULL");
    TENON_CHECK_ARG(nargs >= 0 && (nargs == 0 || args != nullptr), kFunction,
                    ": args must be given, got ", nargs < 0 ? "a negative count" : "NULL");
    const uint32_t first = graph->append(op, {args, static_cast<size_t>(nargs)});
    if (out_first_result != nullptr) *out_first_result = first;
  });
}

tenon_status tenon_graph_add_element(tenon_graph* graph, int64_t list, int64_t index,
                                     int64_t* out_value) {
  if (out_value != nullptr) *out_value = -1;
  return guarded([&] {
    require("tenon_graph_add_element", graph);
    const uint32_t value = graph->add_element(list, index);
    if (out_value != nullptr) *out_value = value;
  });
}

tenon_status tenon_graph_add_output(tenon_graph* graph, const tenon_value* value) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_output";
    require(kFunction, graph);
    TENON_CHECK_ARG(value != nullptr, kFunction, ": value must be given, got NULL");
    if (graph_::Recording* recording = graph_::recording_of(*graph)) {
      recording->add_output(*value);
    } else {
      graph->add_output(*value);
    }
  });
}

int64_t tenon_graph_input_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->inputs().size());
}

int64_t tenon_graph_attribute_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->attributes().size());
}

int64_t tenon_graph_node_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->nodes().size());
}

int64_t tenon_graph_output_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->outputs().size());
}

int64_t tenon_graph_value_count(const tenon_graph* graph) {
  TENON_NEVER_NULL(graph);
  return static_cast<int64_t>(graph->values().size());
}

tenon_status tenon_graph_get_node(const tenon_graph* graph, int64_t index,
                                  tenon_graph_node* out_node) {
  TENON_REQUIRE(out_node);
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_get_node";
    tenon::capi::fill_struct(kFunction, kFirstNode, out_node, [&] {
      require(kFunction, graph);
      check_index(kFunction, index, graph->nodes().size());
      return describe(graph->nodes()[static_cast<size_t>(index)]);
    });
  });
}

tenon_status tenon_graph_get_value(const tenon_graph* graph, int64_t index,
                                   tenon_graph_value* out_value) {
  TENON_REQUIRE(out_value);
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_get_value";
    tenon::capi::fill_struct(kFunction, kFirstValue, out_value, [&] {
      require(kFunction, graph);
      check_index(kFunction, index, graph->values().size());
      return describe(*graph, graph->values()[static_cast<size_t>(index)]);
    });
  });
}

tenon_status tenon_graph_list_users(const tenon_graph* graph, int64_t value,
                                    tenon_buffer** out_nodes) {
  TENON_REQUIRE(out_nodes);
  *out_nodes = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_list_users";
    require(kFunction, graph);
    check_index(kFunction, value, graph->values().size());
    const std::vector<int64_t> users = graph_::users_of(*graph, static_cast<uint32_t>(value));
    const std::string_view bytes(reinterpret_cast<const char*>(users.data()),
                                 users.size() * sizeof(int64_t));
    *out_nodes = tenon::value::text_buffer(bytes).detach();
  });
}

int64_t tenon_graph_frame_count(const tenon_graph* graph, int64_t node) {
  TENON_NEVER_NULL(graph);
  const auto& nodes = graph->nodes();
  const bool there = node >= 0 && static_cast<uint64_t>(node) < nodes.size();
  return there ? int64_t{nodes[static_cast<size_t>(node)].nframes} : -1;
}

tenon_status tenon_graph_get_frame(const tenon_graph* graph, int64_t node, int64_t index,
                                   tenon_error_frame* out_frame) {
  TENON_REQUIRE(out_frame);
  *out_frame = {};
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_get_frame";
    require(kFunction, graph);
    check_index(kFunction, node, graph->nodes().size());
    const graph_::Node& its = graph->nodes()[static_cast<size_t>(node)];
    check_index(kFunction, index, its.nframes);
    const graph_::Frame& frame = its.frames[index];
    out_frame->language = frame.language;
    out_frame->line = frame.line;
    out_frame->function = frame.function;
    out_frame->file = frame.file;
  });
}

tenon_status tenon_graph_add_frame(tenon_graph* graph, int64_t node, uint32_t language,
                                   const char* function, const char* file, int32_t line) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_add_frame";
    require(kFunction, graph);
    check_index(kFunction, node, graph->nodes().size());
    TENON_CHECK_ARG(tenon::base::is_language(language), kFunction,
                    ": language must be a registered one, got ", language);
    const char* no_text = "";
    graph->add_frame(static_cast<size_t>(node), {function != nullptr ? function : no_text,
                                                 file != nullptr ? file : no_text, language, line});
  });
}

int64_t tenon_graph_input_value(const tenon_graph* graph, int64_t index) {
  TENON_NEVER_NULL(graph);
  const auto& inputs = graph->inputs();
  const bool there = index >= 0 && static_cast<uint64_t>(index) < inputs.size();
  return there ? int64_t{inputs[static_cast<size_t>(index)].value} : -1;
}

int64_t tenon_graph_attribute_value(const tenon_graph* graph, int64_t index) {
  TENON_NEVER_NULL(graph);
  const auto& attributes = graph->attributes();
  const bool there = index >= 0 && static_cast<uint64_t>(index) < attributes.size();
  return there ? int64_t{attributes[static_cast<size_t>(index)].value} : -1;
}

const tenon_value* tenon_graph_peek_output(const tenon_graph* graph, int64_t index) {
  TENON_NEVER_NULL(graph);
  const auto& outputs = graph->outputs();
  const bool there = index >= 0 && static_cast<uint64_t>(index) < outputs.size();
  return there ? &outputs[static_cast<size_t>(index)] : nullptr;
}

tenon_status tenon_graph_run(tenon_graph* graph, tenon_stack* stack) {
  TENON_REQUIRE(stack);
  tenon::capi::assert_stack(stack);
  return guarded([&] {
    require("tenon_graph_run", graph);
    graph->plan().run(stack);
  });
}

tenon_status tenon_graph_bind(tenon_graph* graph, const tenon_value* inputs, int64_t ninputs,
                              tenon_buffer** out_reason) {
  TENON_REQUIRE(out_reason);
  *out_reason = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_bind";
    require(kFunction, graph);
    TENON_CHECK_ARG(ninputs == static_cast<int64_t>(graph->inputs().size()), kFunction,
                    ": graph must be given ", graph->inputs().size(), " inputs, got ", ninputs);
    TENON_CHECK_ARG(inputs != nullptr || ninputs == 0, kFunction,
                    ": inputs must be given, got NULL");
    const std::string reason = graph->plan().bind(inputs);
    if (!reason.empty()) *out_reason = tenon::value::text_buffer(reason).detach();
  });
}

tenon_status tenon_graph_define(tenon_graph* graph, tenon_library* library, const char* name,
                                const tenon_op** out_op) {
  if (out_op != nullptr) *out_op = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_define";
    require(kFunction, graph);
    TENON_CHECK_ARG(library != nullptr, kFunction, ": library must be given, got NULL");
    TENON_CHECK_ARG(name != nullptr, kFunction, ": name must be given, got NULL");
    const tenon_op* op = graph_::define_graph(*graph, library, name);
    if (out_op != nullptr) *out_op = op;
  });
}

tenon_status tenon_graph_transform(tenon_graph* graph, uint32_t passes, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    require("tenon_graph_transform", graph);
    *out_graph = graph_::transform(*graph, passes).detach();
  });
}

tenon_status tenon_graph_rewrite(const tenon_graph* graph, tenon_graph_rewrite_fn rewrite,
                                 void* ctx, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_rewrite";
    require(kFunction, graph);
    TENON_CHECK_ARG(rewrite != nullptr, kFunction, ": rewrite must be given, got NULL");
    *out_graph = graph_::rewrite_by(*graph, rewrite, ctx).detach();
  });
}

tenon_status tenon_graph_replace_pattern(const tenon_graph* graph, const tenon_graph* pattern,
                                         const tenon_graph* replacement, uint32_t flags,
                                         int64_t* out_count, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph, out_count);
  *out_graph = nullptr;
  if (out_count != nullptr) *out_count = 0;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_replace_pattern";
    require(kFunction, graph);
    TENON_CHECK_ARG(pattern != nullptr, kFunction, ": pattern must be given, got NULL");
    TENON_CHECK_ARG(replacement != nullptr, kFunction, ": replacement must be given, got NULL");
    *out_graph = graph_::replace_pattern(*graph, *pattern, *replacement, flags, out_count).detach();
  });
}

tenon_status tenon_graph_check(const tenon_graph* graph) {
  return guarded([&] {
    require("tenon_graph_check", graph);
    graph_::check(*graph);
  });
}

tenon_status tenon_graph_functionalize(tenon_graph* graph, uint32_t flags,
                                       tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    require("tenon_graph_functionalize", graph);
    *out_graph = graph_::functionalize(*graph, flags).detach();
  });
}

tenon_status tenon_graph_print(const tenon_graph* graph, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  *out_text = nullptr;
  return guarded([&] {
    require("tenon_graph_print", graph);
    *out_text = tenon::value::text_buffer(graph_::print_graph(*graph)).detach();
  });
}

tenon_status tenon_graph_parse(const char* text, int64_t size, tenon_tensor* const* attributes,
                               int64_t nattributes, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_parse";
    TENON_CHECK_ARG(text != nullptr && size >= 0, kFunction, ": text must be given, got ",
                    text == nullptr ? "NULL" : "a negative size");
    TENON_CHECK_ARG(nattributes >= 0 && (nattributes == 0 || attributes != nullptr), kFunction,
                    ": attributes must be given, got ",
                    nattributes < 0 ? "a negative count" : "NULL");
    *out_graph = graph_::parse_graph({text, static_cast<size_t>(size)},
                                     {attributes, static_cast<size_t>(nattributes)})
                     .detach();
  });
}

tenon_status tenon_graph_write(const tenon_graph* graph, tenon_buffer** out_bytes) {
  TENON_REQUIRE(out_bytes);
  *out_bytes = nullptr;
  return guarded([&] {
    require("tenon_graph_write", graph);
    *out_bytes = tenon::value::text_buffer(graph_::write_bytes(*graph)).detach();
  });
}

tenon_status tenon_graph_read(const void* data, int64_t size, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(data != nullptr && size >= 0, "tenon_graph_read: data must be given, got ",
                    data == nullptr ? "NULL" : "a negative size");
    const std::string_view bytes(static_cast<const char*>(data), static_cast<size_t>(size));
    *out_graph = graph_::read_bytes(bytes).detach();
  });
}

tenon_status tenon_graph_save(const tenon_graph* graph, const char* path) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_graph_save";
    require(kFunction, graph);
    TENON_CHECK_ARG(path != nullptr, kFunction, ": path must be given, got NULL");
    graph_::save_file(*graph, path);
  });
}

tenon_status tenon_graph_load(const char* path, tenon_graph** out_graph) {
  TENON_REQUIRE(out_graph);
  *out_graph = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(path != nullptr, "tenon_graph_load: path must be given, got NULL");
    *out_graph = graph_::load_file(path).detach();
  });
}

}  // extern "C"
