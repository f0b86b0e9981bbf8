// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>

#include "base/check.h"
#include "base/language.h"
#include "dispatch/argument_binder.h"
#include "dispatch/lookup.h"
#include "graph/number_text.h"
#include "graph/references.h"
#include "graph/same_value.h"
#include "graph/text.h"
#include "tensor/device.h"
#include "tensor/layout.h"

namespace tenon::graph {

namespace {

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {}

  std::string write() {
    append(version(), '\n');
    for (const Node& node : graph_.nodes()) write_schema(node);
    for (const Node& node : graph_.nodes()) {
      write_values(node.first_value);
      write_node(node);
      next_ = std::max(next_, size_t{node.first_value} + node.nresults);
    }
    write_values(graph_.values().size());
    for (const Guard& guard : graph_.guards()) write_guard(guard);
    append("return");
    const char* separator = " ";
    for (const tenon_value& output : graph_.outputs()) {
      append(separator);
      write_value("return", output);
      separator = ", ";
    }
    append('\n');
    return std::move(text_);
  }

 private:
  std::string_view version() const {
    for (const Value& value : graph_.values()) {
      if (value.meta != nullptr && has_strides(*value.meta)) return kStridesVersion;
    }
    const bool has_sizes = !graph_.sizes().empty() || !graph_.functions().empty();
    return has_sizes ? kSizesVersion : kTextVersion;
  }

  // Returns true if a tensor's strides are not row-major.
  static bool has_strides(const TensorMeta& meta) {
    if (meta.dims != nullptr || meta.strides == nullptr) return false;
    int64_t usual[TENON_TENSOR_MAX_DIMS];
    tensor::row_major_strides({meta.sizes, static_cast<size_t>(meta.ndim)}, usual);
    return !std::equal(usual, usual + meta.ndim, meta.strides);
  }

  template <class... Parts>
  void append(const Parts&... parts) {
    (base::append(text_, parts), ...);
  }

  schema::SchemaPtr schema_of(const Node& node) const {
    schema::SchemaPtr schema = dispatch::schema_of(*node.op);
    TENON_CHECK(schema && schema->arguments().size() == node.nargs, TENON_ERROR_NOT_SUPPORTED,
                "tenon_graph_print: ", node.op->name(),
                " must have the schema that it had when it was recorded, got ",
                schema ? schema->text() : "none");
    return schema;
  }

  void write_schema(const Node& node) {
    if (written_.insert(node.op).second) append("op ", schema_of(node)->text(), '\n');
  }

  // Writes inputs, attributes and elements up to a value.
  void write_values(size_t end) {
    for (; next_ < end; ++next_) {
      const Value& value = graph_.values()[next_];
      switch (value.kind) {
        case TENON_GRAPH_VALUE_INPUT:
          append("input ", graph_.inputs()[value.source].name, " = ");
          write_target(next_);
          break;
        case TENON_GRAPH_VALUE_ATTRIBUTE:
          append("attribute ", graph_.attributes()[value.source].name, " = ");
          write_target(next_);
          break;
        case TENON_GRAPH_VALUE_ELEMENT:
          write_target(next_);
          append(" = %", value.source, '[', value.index, ']');
          break;
        case TENON_GRAPH_VALUE_SIZE:
          write_size(graph_.sizes()[value.source]);
          break;
        case TENON_GRAPH_VALUE_FUNCTION:
          append("number %", next_, " = ", number_text(graph_, reference(uint32_t(next_))));
          break;
        default:
          continue;  // of a node, which writes it
      }
      append('\n');
    }
  }

  // "%3: float32[2, 3] cpu", "%3: float32[2, 3] strides [1, 2] cpu"
  void write_target(size_t value) {
    append('%', value);
    const TensorMeta* meta = graph_.values()[value].meta;
    if (meta == nullptr) return;
    append(": ", tensor::dtype_name(meta->dtype));
    if (meta->dims == nullptr) {
      append(tensor::print_dims({meta->sizes, static_cast<size_t>(meta->ndim)}));
    } else {
      const char* separator = "[";
      for (int32_t d = 0; d < meta->ndim; ++d) {
        append(separator, number_text(graph_, meta->dims[d]));
        separator = ", ";
      }
      append(']');
    }
    if (has_strides(*meta)) {
      append(" strides ", tensor::print_dims({meta->strides, static_cast<size_t>(meta->ndim)}));
    }
    append(' ', tensor::print_device(meta->device));
  }

  // "size s0 = %1: %0[0], hint 4, >= 2, <= 100"
  void write_size(const Size& size) {
    append("size ", size.name, " = %", size.value, ": ");
    if (size.tensor == kUnbound) {
      append("none");
    } else {
      append('%', size.tensor, '[', size.dim, ']');
    }
    if (size.hint.tag == TENON_TAG_INT) append(", hint ", size.hint.as.i);
    if (size.low != INT64_MIN) append(", >= ", size.low);
    if (size.high != INT64_MAX) append(", <= ", size.high);
  }

  // "guard s0 < 10, 'aten::view', 'model.py', 12"
  void write_guard(const Guard& guard) {
    append("guard ", guard_text(graph_, guard));
    if (!guard.op.empty() || !guard.file.empty()) {
      append(", ", quoted(guard.op), ", ", quoted(guard.file), ", ", guard.line);
    }
    append('\n');
  }
  static std::string quoted(const std::string& text) {
    return value::print(tenon_value_of_string(text.data(), static_cast<uint32_t>(text.size())));
  }

  void write_node(const Node& node) {
    for (uint32_t i = 0; i < node.nresults; ++i) {
      if (i != 0) append(", ");
      write_target(node.first_value + i);
    }
    if (node.nresults != 0) append(" = ");
    append(node.op->name(), '(');
    const schema::SchemaPtr schema = schema_of(node);
    bool by_name = false;
    const char* separator = "";
    for (uint32_t i = 0; i < node.nargs; ++i) {
      const schema::Argument& argument = schema->arguments()[i];
      const tenon_value* usual = dispatch::default_value(argument);
      by_name = by_name || argument.kwarg_only;
      if (usual != nullptr && same_value(*usual, node.args[i])) {
        by_name = true;
        continue;
      }
      append(separator);
      if (by_name) append(argument.name.view(), '=');
      write_value(node.op->name(), node.args[i]);
      separator = ", ";
    }
    append(')');
    for (uint32_t i = 0; i < node.nframes; ++i) write_frame(i == 0 ? "  # " : ", ", node.frames[i]);
    append('\n');
  }

  // "'model.py':12 in 'forward' [Python]"
  void write_frame(const char* separator, const Frame& frame) {
    append(separator, print_text(frame.file), ':', frame.line, " in ", print_text(frame.function),
           " [", base::language_name(frame.language), ']');
  }
  static std::string print_text(const char* text) {
    return value::print(tenon_value_of_string(text, static_cast<uint32_t>(std::strlen(text))));
  }

  void write_value(const char* who, const tenon_value& value) {
    check(who, value);
    append(value::print(value));
  }

  static void check(const char* who, const tenon_value& value) {
    switch (value.tag) {
      case TENON_TAG_STREAM:
      case TENON_TAG_GENERATOR:
      case TENON_TAG_STORAGE:
      case TENON_TAG_FUNCTION:
      case TENON_TAG_OBJECT:
        fail(TENON_ERROR_NOT_SUPPORTED, "tenon_graph_print: ", who,
             ": value must be one that a graph's text can represent, got ", value::print(value));
      default:
        break;
    }
    if (!value::is_value_list(value.tag)) return;
    for (uint64_t i = 0; i < value::element_count(value); ++i) {
      check(who, value::elements(value)[i]);
    }
  }

  const Graph& graph_;
  std::string text_;
  std::set<const tenon_op*> written_;
  size_t next_ = 0;  // the next value to write
};

}  // namespace

std::string print_graph(const Graph& graph) { return Writer(graph).write(); }

}  // namespace tenon::graph
