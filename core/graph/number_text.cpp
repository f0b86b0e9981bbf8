// SPDX-License-Identifier: Apache-2.0
#include "graph/number_text.h"

#include "base/check.h"
#include "base/symbol_function.h"
#include "graph/references.h"

namespace tenon::graph {

namespace {

constexpr int kMostNestedFunctions = 300;    // levels of nested functions
constexpr uint32_t kMostLeavesInPlace = 16;  // of a function that is written inline

// Operator precedence of functions; calls and names bind most tightly.
constexpr int kOr = 1, kAnd = 2, kNot = 3, kRelation = 4, kSum = 5, kProduct = 6, kCall = 7;

int binding(uint32_t function) noexcept {
  switch (function) {
    case TENON_SYMBOL_OR:
      return kOr;
    case TENON_SYMBOL_AND:
      return kAnd;
    case TENON_SYMBOL_NOT:
      return kNot;
    case TENON_SYMBOL_ADD:
    case TENON_SYMBOL_SUB:
      return kSum;
    case TENON_SYMBOL_MUL:
    case TENON_SYMBOL_FLOORDIV:
    case TENON_SYMBOL_MOD:
    case TENON_SYMBOL_TRUEDIV:
      return kProduct;
    default:
      return base::is_relation(function) ? kRelation : kCall;
  }
}

class NumberWriter {
 public:
  explicit NumberWriter(const Graph& graph) noexcept : graph_(graph) {}

  // Writes a number, in parentheses if it binds less tightly than its context requires.
  void write(const tenon_value& number, int least, bool is_whole = false) {
    if (number.tag != TENON_TAG_REF) {
      text += value::print(number);
      return;
    }
    const auto value = static_cast<uint32_t>(number.as.i);
    const Value& its = graph_.values()[value];
    if (its.kind == TENON_GRAPH_VALUE_SIZE) {
      text += graph_.sizes()[its.source].name;
    } else if (its.kind == TENON_GRAPH_VALUE_FUNCTION &&
               (is_whole || graph_.functions()[its.source].leaves <= kMostLeavesInPlace)) {
      write(graph_.functions()[its.source], least);
    } else {
      text += base::concat('%', value);
    }
  }

  void write(uint32_t function, const tenon_value* operands, int least) {
    const int binds = binding(function);
    if (binds < least) text += '(';
    write(operands[0], binds == kRelation ? kSum : binds);
    text += base::concat(' ', base::function_text(function), ' ');
    write(operands[1], binds + 1);
    if (binds < least) text += ')';
  }

  std::string text;

 private:
  void write(const Function& function, int least) {
    const int binds = binding(function.function);
    if (binds != kCall && binds != kNot) {
      return write(function.function, function.operands, least);
    }
    text += base::function_text(function.function);
    text += '(';
    write(function.operands[0], kOr);
    if (function.count() == 2) {
      text += ", ";
      write(function.operands[1], kOr);
    }
    text += ')';
  }

  const Graph& graph_;
};

class NumberReader {
 public:
  NumberReader(Graph& graph, Cursor& cursor) noexcept : graph_(graph), cursor_(cursor) {}

  tenon_value read(int least, int depth) {
    if (depth == kMostNestedFunctions) cursor_.fail_expected("functions that nest less deeply");
    tenon_value left = read_operand(depth + 1);
    for (int function; (function = accept_function(least)) >= 0;) {
      const auto known = static_cast<uint32_t>(function);
      left = made(known, left, read(binding(known) + 1, depth + 1));
    }
    return left;
  }

  // Reads an infix function whose precedence is at least `least`; returns -1 if none comes next.
  int accept_function(int least) {
    // A longer text comes before a text that it begins with.
    constexpr uint32_t kInfix[] = {TENON_SYMBOL_FLOORDIV, TENON_SYMBOL_LE,      TENON_SYMBOL_GE,
                                   TENON_SYMBOL_EQ,       TENON_SYMBOL_NE,      TENON_SYMBOL_ADD,
                                   TENON_SYMBOL_SUB,      TENON_SYMBOL_MUL,     TENON_SYMBOL_MOD,
                                   TENON_SYMBOL_LT,       TENON_SYMBOL_TRUEDIV, TENON_SYMBOL_GT,
                                   TENON_SYMBOL_AND,      TENON_SYMBOL_OR};
    for (const uint32_t function : kInfix) {
      if (binding(function) < least) continue;
      if (cursor_.accept_text(base::function_text(function))) return static_cast<int>(function);
    }
    return -1;
  }

 private:
  tenon_value made(uint32_t function, const tenon_value& a, const tenon_value& b) {
    return reference(graph_.add_function(function, a, b));
  }

  tenon_value read_operand(int depth) {
    const char first = cursor_.peek();
    if (cursor_.accept('(')) {
      const tenon_value inner = read(kOr, depth + 1);
      cursor_.expect(')');
      return inner;
    }
    const std::string_view word = cursor_.peek_word();
    const bool is_number = (first >= '0' && first <= '9') || first == '-' || first == '%' ||
                           word == "inf" || word == "nan" || word == "True" || word == "False";
    if (is_number) {
      const tenon_value number = literals_.read_any(cursor_);
      if (number.tag == TENON_TAG_REF) check_reference(number);
      return number;
    }
    if (const Size* size = graph_.find_size(word)) {
      cursor_.accept_word(word);
      return reference(size->value);
    }
    return read_call(word, depth);
  }

  void check_reference(const tenon_value& number) const {
    if (static_cast<uint64_t>(number.as.i) >= graph_.values().size()) {
      cursor_.fail_expected("an earlier value");
    }
  }

  tenon_value read_call(std::string_view word, int depth) {
    for (uint32_t function = 0; function <= TENON_SYMBOL_NOT; ++function) {
      const bool is_called = binding(function) == kCall || binding(function) == kNot;
      if (!is_called || word != base::function_text(function)) continue;
      cursor_.accept_word(word);
      cursor_.expect('(');
      const tenon_value a = read(kOr, depth + 1);
      tenon_value b = tenon_value_of_int(0);
      if (Function{function, {}, 0}.count() == 2) {
        cursor_.expect(',');
        b = read(kOr, depth + 1);
      }
      cursor_.expect(')');
      return made(function, a, b);
    }
    cursor_.fail_expected("a number, the name of a size or a function");
  }

  Graph& graph_;
  Cursor& cursor_;
  Literals literals_;
};

}  // namespace

std::string number_text(const Graph& graph, const tenon_value& number) {
  NumberWriter writer(graph);
  writer.write(number, kOr, /*is_whole=*/true);
  return std::move(writer.text);
}

std::string guard_text(const Graph& graph, const Guard& guard) {
  NumberWriter writer(graph);
  writer.write(guard.function, guard.operands, kOr);
  return std::move(writer.text);
}

std::string place_text(const Guard& guard) {
  std::string text = guard.op;
  if (!guard.file.empty()) {
    text += base::concat(text.empty() ? "" : ", ", guard.file, ':', guard.line);
  }
  return text.empty() ? text : base::concat(" (", text, ')');
}

std::string value_text(const Graph& graph, uint32_t value) {
  const Value& its = graph.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_INPUT) return graph.inputs()[its.source].name;
  if (its.kind == TENON_GRAPH_VALUE_ATTRIBUTE) return graph.attributes()[its.source].name;
  if (its.kind == TENON_GRAPH_VALUE_RESULT) {
    return base::concat('%', value, ", of ", graph.nodes()[its.source].op->name(), ',');
  }
  return base::concat('%', value);
}

std::string print_words(tensor::Dims words) {
  tenon_value value = tenon_value_of_ints(words.data(), static_cast<uint32_t>(words.size()));
  value.flags = TENON_VALUE_HAS_SYMBOLIC;
  return value::print(value);
}

tenon_value read_number(Graph& graph, Cursor& cursor) {
  return NumberReader(graph, cursor).read(kOr, 0);
}

// Reads one relation between numbers.
Guard read_guard(Graph& graph, Cursor& cursor) {
  NumberReader reader(graph, cursor);
  Guard guard{};
  guard.operands[0] = reader.read(kSum, 0);
  const int function = reader.accept_function(kRelation);
  if (function < 0) cursor.fail_expected("a relation such as '<'");
  guard.function = static_cast<uint32_t>(function);
  guard.operands[1] = reader.read(kSum, 0);
  return guard;
}

}  // namespace tenon::graph
