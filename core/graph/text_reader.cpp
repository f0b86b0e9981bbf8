// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/language.h"
#include "dispatch/argument_binder.h"
#include "dispatch/argument_check.h"
#include "dispatch/lookup.h"
#include "dispatch/value_conversion.h"
#include "graph/literal.h"
#include "graph/number_text.h"
#include "graph/text.h"
#include "schema/compatibility.h"
#include "schema/parser.h"
#include "tensor/device.h"

namespace tenon::graph {

namespace {

struct NamedOp {
  const tenon_op* op;
  schema::SchemaPtr schema;   // the registered schema
  schema::SchemaPtr written;  // the schema in the text
};

class Reader {
 public:
  Reader(std::string_view text, std::span<tenon_tensor* const> attributes)
      : lines_(text), attributes_(attributes) {}

  GraphPtr read() {
    std::string_view version;
    const bool is_known =
        next_line(&version) &&
        (version == kTextVersion || version == kSizesVersion || version == kStridesVersion);
    TENON_CHECK(is_known, TENON_ERROR_PARSE, "tenon_graph_parse: text must begin with '",
                kTextVersion, "', got '", version.substr(0, 40), '\'');
    bool returned = false;
    for (std::string_view line; next_line(&line);) {
      Cursor cursor(line, number_);
      if (cursor.peek() == '#') continue;
      if (returned) cursor.fail_expected("nothing after 'return'");
      if (cursor.accept_word("op")) {
        schemas_.push_back({cursor.rest(), number_});
        continue;
      }
      find_operators();
      if (cursor.accept_word("return")) {
        read_outputs(cursor);
        returned = true;
      } else {
        read_line(cursor);
      }
    }
    set_sizes();
    TENON_CHECK(returned, TENON_ERROR_PARSE,
                "tenon_graph_parse: text must end with a line 'return ...', got none");
    TENON_CHECK_ARG(graph_->attributes().size() == attributes_.size(),
                    "tenon_graph_parse: number of attributes must be that of the text, ",
                    graph_->attributes().size(), ", got ", attributes_.size());
    return graph_;
  }

 private:
  bool next_line(std::string_view* out_line) {
    if (lines_.empty()) return false;
    const size_t end = lines_.find('\n');
    *out_line = lines_.substr(0, end);
    lines_.remove_prefix(end == std::string_view::npos ? lines_.size() : end + 1);
    ++number_;
    return true;
  }

  // Looks up the operators after all of them have been read, so that one error reports all missing
  // ones.
  void find_operators() {
    std::string missing;
    for (const auto& [text, line] : schemas_) {
      schema::SchemaPtr written = schema::parse_schema(text);
      const std::string name = written->name().full();
      try {
        const tenon_op* op = dispatch::find_operator(name);
        operators_.insert_or_assign(name, NamedOp{op, dispatch::require_schema(*op), written});
      } catch (const Error& error) {
        if (error.code() != TENON_ERROR_NOT_FOUND) throw;
        base::append(missing, missing.empty() ? "" : ", ");
        base::append(missing, name);
      }
    }
    schemas_.clear();
    TENON_CHECK(missing.empty(), TENON_ERROR_NOT_FOUND,
                "tenon_graph_parse: operators of the graph must be defined, got none called ",
                missing, "; load the library that defines them");
    for (const auto& [name, known] : operators_) {
      if (*known.schema == *known.written) continue;
      const auto reason = schema::backward_incompatibility(*known.schema, *known.written);
      TENON_CHECK_TYPE(!reason, "tenon_graph_parse: ", name,
                       " must have the schema that the text declares, ", known.written->text(),
                       ", got ", known.schema->text(), ": ", reason.value_or(""));
    }
  }

  void read_line(Cursor& cursor) {
    if (cursor.accept_word("input")) {
      const std::string_view name = cursor.word("a name");
      cursor.expect('=');
      const size_t value = read_number(cursor);
      check_number(cursor, value, graph_->add_input(nullptr, name));
      read_meta(cursor, value);
    } else if (cursor.accept_word("attribute")) {
      const std::string_view name = cursor.word("a name");
      cursor.expect('=');
      const size_t value = read_number(cursor);
      const size_t index = graph_->attributes().size();
      TENON_CHECK_ARG(index < attributes_.size() && attributes_[index] != nullptr,
                      "tenon_graph_parse: number of attributes must be that of the text, got ",
                      attributes_.size());
      check_number(cursor, value, graph_->add_attribute(*attributes_[index], name));
      read_meta(cursor, value);
    } else if (cursor.accept_word("size")) {
      read_size(cursor);
    } else if (cursor.accept_word("number")) {
      const size_t value = read_number(cursor);
      cursor.expect('=');
      const tenon_value number = graph::read_number(*graph_, cursor);
      const bool is_new = number.tag == TENON_TAG_REF &&
                          static_cast<size_t>(number.as.i) + 1 == graph_->values().size();
      if (!is_new) cursor.fail_expected("a number that is new");
      check_number(cursor, value, graph_->values().size() - 1);
    } else if (cursor.accept_word("guard")) {
      read_guard(cursor);
    } else {
      read_node(cursor);
      return;
    }
    end_line(cursor, false);
  }

  // "size s0 = %1: %0[0], hint 4, >= 2, <= 100"
  void read_size(Cursor& cursor) {
    Size size;
    size.name = cursor.word("a name");
    cursor.expect('=');
    const size_t value = read_number(cursor);
    cursor.expect(':');
    size_t tensor = kUnbound;
    if (!cursor.accept_word("none")) {
      tensor = read_number(cursor);
      cursor.expect('[');
      size.dim = static_cast<uint32_t>(cursor.natural("a dim"));
      cursor.expect(']');
    }
    while (cursor.accept(',')) {
      if (cursor.accept_word("hint")) {
        size.hint = tenon_value_of_int(read_bound(cursor));
      } else if (cursor.accept_text(">=")) {
        size.low = read_bound(cursor);
      } else if (cursor.accept_text("<=")) {
        size.high = read_bound(cursor);
      } else {
        cursor.fail_expected("hint, '>=' or '<='");
      }
    }
    const Cursor at = cursor;
    check_number(cursor, value, graph_->add_size(std::move(size)));
    const uint32_t index = graph_->values().back().source;
    if (tensor != kUnbound) bound_.push_back({index, tensor, at});
  }
  int64_t read_bound(Cursor& cursor) {
    const char first = cursor.peek();
    Literals literals;
    const bool is_number = (first >= '0' && first <= '9') || first == '-';
    const tenon_value number = is_number ? literals.read_any(cursor) : tenon_value_of_none();
    if (number.tag != TENON_TAG_INT) cursor.fail_expected("a number");
    return number.as.i;
  }

  // "guard s0 < 10, 'aten::view', 'model.py', 12": operator, file and line where the guard was
  // made.
  void read_guard(Cursor& cursor) {
    Guard guard = graph::read_guard(*graph_, cursor);
    Literals literals;
    const auto text = [&] {
      cursor.expect(',');
      const tenon_value given = literals.read_any(cursor);
      if (given.tag != TENON_TAG_STRING) cursor.fail_expected("a string");
      return std::string(static_cast<const char*>(given.as.list.data), given.count);
    };
    if (!cursor.at_end()) {
      guard.op = text();
      guard.file = text();
      cursor.expect(',');
      guard.line = static_cast<int32_t>(cursor.natural("the number of a line") & INT32_MAX);
    }
    graph_->add_guard(std::move(guard));
  }

  // The tensors and dims of sizes, and sizes that are not plain numbers, may refer to later values.
  void set_sizes() {
    for (const auto& [index, tensor, cursor] : bound_) {
      const bool is_there =
          tensor < graph_->values().size() && !graph_->is_run_number(static_cast<uint32_t>(tensor));
      const bool is_earlier = tensor < graph_->sizes()[index].value;
      if (!is_there ||
          (!is_earlier && graph_->values()[tensor].kind > TENON_GRAPH_VALUE_ATTRIBUTE)) {
        cursor.fail_expected("a size of a value of the graph that is an input or comes before");
      }
      graph_->bind_size(index, static_cast<uint32_t>(tensor), graph_->sizes()[index].dim);
    }
    for (const SymbolicMeta& meta : symbolic_metas_) {
      Cursor cursor = meta.dims;
      std::vector<tenon_value> dims;
      while (!cursor.accept(']')) {
        dims.push_back(graph::read_number(*graph_, cursor));
        if (dims.size() > TENON_TENSOR_MAX_DIMS) cursor.fail_expected("fewer dims");
        if (!cursor.accept(',')) {
          cursor.expect(']');
          break;
        }
      }
      graph_->set_meta(static_cast<uint32_t>(meta.value),
                       graph_->new_meta(meta.dtype, meta.device, tensor::Dims()));
      graph_->set_dims(static_cast<uint32_t>(meta.value), dims);
    }
  }

  size_t read_number(Cursor& cursor) {
    cursor.expect('%');
    return static_cast<size_t>(cursor.natural("the number of a value"));
  }
  void check_number(Cursor& cursor, size_t written, size_t given) {
    if (written != given) cursor.fail_expected(base::concat('%', given, ", the next value"));
  }

  // ": float32[2, 3] cpu", or nothing.
  void read_meta(Cursor& cursor, size_t value) {
    if (!cursor.accept(':')) return;
    if (!cursor.peek_word().empty()) read_type(cursor, value);
    set_metas();
  }
  struct Meta {
    size_t value;
    tenon_dtype dtype;
    tenon_device device;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;  // empty if not given
  };
  // Like Meta, with sizes that are read at the end.
  struct SymbolicMeta {
    size_t value;
    tenon_dtype dtype;
    tenon_device device;
    Cursor dims;
  };
  struct BoundSize {
    uint32_t index;
    size_t tensor;
    Cursor at;
  };
  void read_type(Cursor& cursor, size_t value) {
    Meta meta{value, tensor::find_dtype(cursor.word("a dtype")), {}, {}, {}};
    if (meta.dtype == TENON_DTYPE_NONE) cursor.fail_expected("a dtype");
    cursor.expect('[');
    Cursor trial = cursor;
    if (!trial.skip_plain_list()) {
      const Cursor dims = cursor;
      cursor.skip_plain_list();
      symbolic_metas_.push_back(
          {value, meta.dtype, tensor::parse_device(cursor.device_word()), dims});
      return;
    }
    read_dims(cursor, "a size", meta.sizes);
    if (cursor.accept_word("strides")) {
      cursor.expect('[');
      read_dims(cursor, "a stride", meta.strides);
      if (meta.strides.size() != meta.sizes.size()) {
        cursor.fail_expected(base::concat(meta.sizes.size(), " strides"));
      }
    }
    meta.device = tensor::parse_device(cursor.device_word());
    metas_.push_back(std::move(meta));
  }
  // Reads dims after a '['.
  static void read_dims(Cursor& cursor, const char* what, std::vector<int64_t>& dims) {
    while (!cursor.accept(']')) {
      dims.push_back(cursor.natural(what));
      if (dims.size() > TENON_TENSOR_MAX_DIMS) cursor.fail_expected("fewer dims");
      if (cursor.accept(',')) continue;
      return cursor.expect(']');
    }
  }
  void set_metas() {
    for (const Meta& meta : metas_) {
      const int64_t* strides = meta.strides.empty() ? nullptr : meta.strides.data();
      graph_->set_meta(
          static_cast<uint32_t>(meta.value),
          graph_->new_meta(meta.dtype, meta.device, tensor::Dims(meta.sizes), strides));
    }
    metas_.clear();
  }

  void read_node(Cursor& cursor) {
    std::vector<size_t> targets;
    if (cursor.peek() == '%') {
      do {
        targets.push_back(read_number(cursor));
        if (cursor.accept(':')) read_type(cursor, targets.back());
      } while (cursor.accept(','));
      cursor.expect('=');
    }
    const bool is_element = cursor.peek() == '%';
    if (is_element) {
      const auto list = static_cast<int64_t>(read_number(cursor));
      cursor.expect('[');
      const uint32_t value = graph_->add_element(list, cursor.natural("an index"));
      cursor.expect(']');
      if (targets.size() != 1) cursor.fail_expected("one value for an element");
      check_number(cursor, targets[0], value);
    } else {
      const uint32_t first = read_call(cursor);
      if (graph_->values().size() - first != targets.size()) {
        cursor.fail_expected(base::concat(graph_->values().size() - first, " results"));
      }
      for (size_t i = 0; i < targets.size(); ++i) check_number(cursor, targets[i], first + i);
    }
    end_line(cursor, !is_element);
    set_metas();
  }

  // Reads the frames of a call, or skips a comment at the end of a line.
  void end_line(Cursor& cursor, bool is_call) {
    if (!cursor.accept('#')) return cursor.expect_end();
    if (!is_call || cursor.peek() != '\'') return;
    do {
      Literals texts;
      const std::string file = read_text(texts, cursor);
      cursor.expect(':');
      const int64_t line = cursor.natural("the number of a line");
      if (!cursor.accept_word("in")) cursor.fail_expected("'in'");
      const std::string function = read_text(texts, cursor);
      cursor.expect('[');
      std::string language;
      for (char c = cursor.take(); c != ']'; c = cursor.take()) {
        if (c == '\0') cursor.fail_expected("']'");
        language += c;
      }
      graph_->add_frame(graph_->nodes().size() - 1,
                        {function.c_str(), file.c_str(), base::find_language(language),
                         static_cast<int32_t>(std::min<int64_t>(line, INT32_MAX))});
    } while (cursor.accept(','));
    cursor.expect_end();
  }
  static std::string read_text(Literals& texts, Cursor& cursor) {
    if (cursor.peek() != '\'') cursor.fail_expected("a string");
    const tenon_value text = texts.read_any(cursor);
    return {static_cast<const char*>(text.as.list.data), text.count};
  }

  uint32_t read_call(Cursor& cursor) {
    const auto found = operators_.find(std::string(cursor.operator_name()));
    if (found == operators_.end()) cursor.fail_expected("an operator that an 'op' line names");
    const NamedOp& known = found->second;
    const size_t count = known.schema->arguments().size();
    std::vector<tenon_value> args(count);
    std::vector<bool> given(count);
    Literals literals;
    cursor.expect('(');
    for (size_t position = 0; !cursor.accept(')'); ++position) {
      const size_t index = read_place(cursor, known, position);
      if (given[index]) cursor.fail_expected("each argument once");
      given[index] = true;
      args[index] = literals.read(cursor, *known.schema->arguments()[index].type,
                                  known.schema->arguments()[index].list_size);
      if (!cursor.accept(',')) {
        cursor.expect(')');
        break;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      if (given[i]) continue;
      const schema::Argument& argument = known.schema->arguments()[i];
      const tenon_value* usual = dispatch::default_value(argument);
      if (usual == nullptr) {
        cursor.fail_expected(base::concat("argument ", argument.name.view()));
      }
      args[i] = *usual;
    }
    return graph_->append(known.op, args);
  }

  // Returns the index of the next argument: by name, or by position in the schema of the text.
  static size_t read_place(Cursor& cursor, const NamedOp& known, size_t position) {
    std::string_view name = cursor.accept_name();
    if (name.empty()) {
      if (position >= known.written->arguments().size()) cursor.fail_expected("fewer arguments");
      name = known.written->arguments()[position].name.view();
    }
    const int64_t index = known.schema->find_argument(name);
    if (index < 0) cursor.fail_expected(base::concat("an argument of ", known.op->name()));
    return static_cast<size_t>(index);
  }

  void read_outputs(Cursor& cursor) {
    while (!cursor.at_end()) {
      Literals literals;
      graph_->add_output(literals.read_any(cursor));
      if (!cursor.accept(',')) break;
    }
    end_line(cursor, false);
  }

  std::string_view lines_;
  size_t number_ = 0;  // of the current line
  const std::span<tenon_tensor* const> attributes_;
  std::vector<std::pair<std::string_view, size_t>> schemas_;  // to be looked up
  std::map<std::string, NamedOp> operators_;
  std::vector<Meta> metas_;  // of the current line
  std::vector<SymbolicMeta> symbolic_metas_;
  std::vector<BoundSize> bound_;
  GraphPtr graph_ = base::make_intrusive<Graph>();
};

}  // namespace

GraphPtr parse_graph(std::string_view text, std::span<tenon_tensor* const> attributes) {
  return Reader(text, attributes).read();
}

}  // namespace tenon::graph
