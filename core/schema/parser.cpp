// SPDX-License-Identifier: Apache-2.0
// Parses schemas, operator names and types.
#include "schema/parser.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/concat.h"
#include "schema/default_parser.h"
#include "schema/lexer.h"

namespace tenon::schema {
namespace {

constexpr int kMaxDepth = 32;           // of nested types: bounds the parser's recursion
constexpr size_t kMaxArguments = 1024;  // of arguments, and of returns

// A type, and the annotations inside it.
struct AnnotatedType {
  const Type* type = nullptr;
  std::unique_ptr<AliasInfo> alias;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  OperatorName parse_name(std::string_view default_ns);
  SchemaPtr parse_signature(OperatorName name);
  const Type* parse_only_type();
  bool at_arguments() const { return lexer_.current().is('('); }
  void expect_end(std::string_view what = "the end of the schema") {
    lexer_.expect(TokenKind::kEnd, what);
  }
  [[noreturn]] void fail_name_only() const {
    lexer_.fail_unexpected("'(': a schema must have arguments and returns, not only a name");
  }

 private:
  void parse_arguments();
  void parse_returns();
  void parse_argument(bool kwarg_only);
  void parse_return();
  void parse_list_size(Argument& argument, AnnotatedType& parsed);
  void check_order(const Argument& argument, const Token& name) const;
  void check_return_sets() const;
  void check_return_sets(const AliasInfo& alias) const;
  AnnotatedType parse_type();
  AnnotatedType parse_base();
  AnnotatedType parse_tuple();
  AnnotatedType parse_parameters(const std::string& name);
  const Type* parse_class(std::string name);
  const Type* find_type(const Token& token) const;
  std::unique_ptr<AliasInfo> parse_alias();
  void parse_sets(std::vector<InternedString>& sets);
  static AnnotatedType wrap_list(AnnotatedType element, std::unique_ptr<AliasInfo> container);

  Lexer lexer_;
  bool variables_ = false;  // true if lower-case names may be type variables
  int depth_ = 0;
  std::vector<Argument> arguments_;
  std::vector<Argument> returns_;
  bool vararg_ = false;
  bool varret_ = false;
};

template <class List>
bool has_name(const List& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [name](const Argument& argument) { return argument.name.view() == name; });
}

bool is_constant_word(std::string_view word) {
  return word == "None" || word == "True" || word == "False";
}

OperatorName Parser::parse_name(std::string_view default_ns) {
  const Token first = lexer_.expect(TokenKind::kIdentifier, "an operator name");
  std::string name(first.text);
  if (lexer_.accept(TokenKind::kColons)) {
    name += "::";
    name += lexer_.expect(TokenKind::kIdentifier, "a name after '::'").text;
  } else if (!default_ns.empty()) {
    name = base::concat(default_ns, "::", name);
  }
  std::string overload;
  if (lexer_.accept('.')) {
    const Token token = lexer_.expect(TokenKind::kIdentifier, "an overload name after '.'");
    if (token.text == "default" || token.text.starts_with("__")) {
      lexer_.fail_at(token, base::concat("an overload must not be called '", token.text, '\''));
    }
    overload = token.text;
  }
  OperatorName parsed{InternedString(name), InternedString(overload)};
  lexer_.set_subject(parsed.name.view(), parsed.overload.view());
  return parsed;
}

SchemaPtr Parser::parse_signature(OperatorName name) {
  // PyTorch's own operators use type variables; elsewhere a lower-case name is more likely a typo.
  variables_ = name.ns() == "aten" || name.ns() == "prim" || name.ns() == "profiler";
  parse_arguments();
  lexer_.expect(TokenKind::kArrow, "'->' and the returns");
  parse_returns();
  expect_end();
  check_return_sets();
  return Schema::make(name, arguments_, returns_, vararg_, varret_);
}

void Parser::parse_arguments() {
  lexer_.expect('(');
  arguments_.reserve(4);
  bool kwarg_only = false;
  for (bool first = true; !lexer_.current().is(')'); first = false) {
    if (!first) lexer_.expect(',');
    if (vararg_) lexer_.fail_unexpected("')': nothing may follow '...'");
    if (lexer_.current().is('*')) {
      if (kwarg_only) lexer_.fail_unexpected("one '*' only");
      lexer_.next();
      kwarg_only = true;
    } else if (lexer_.current().kind == TokenKind::kDots) {
      for (const Argument& argument : arguments_) {
        if (argument.default_value == nullptr) continue;
        lexer_.fail_at(lexer_.current(), "arguments before '...' must have no defaults");
      }
      lexer_.next();
      vararg_ = true;
    } else {
      parse_argument(kwarg_only);
    }
  }
  lexer_.expect(')');
}

void Parser::parse_argument(bool kwarg_only) {
  if (arguments_.size() == kMaxArguments) lexer_.fail_unexpected("at most 1024 arguments");
  Argument argument;
  AnnotatedType parsed = parse_type();
  parse_list_size(argument, parsed);
  argument.type = parsed.type;
  argument.alias = std::move(parsed.alias);
  argument.kwarg_only = kwarg_only;
  const Token name = lexer_.expect(TokenKind::kIdentifier, "an argument name");
  if (is_constant_word(name.text)) {
    lexer_.fail_at(name, base::concat('\'', name.text, "' cannot be an argument name"));
  }
  if (has_name(arguments_, name.text)) {
    lexer_.fail_at(name, base::concat("argument '", name.text, "' appears twice"));
  }
  argument.name = InternedString(name.text);
  if (lexer_.accept('=')) argument.default_value = parse_default(lexer_, argument);
  check_order(argument, name);
  arguments_.push_back(std::move(argument));
}

void Parser::check_order(const Argument& argument, const Token& name) const {
  if (argument.default_value != nullptr || argument.kwarg_only) return;
  if (argument.type->kind == TENON_TYPE_LIST) return;  // PyTorch's older schemas have such lists
  for (const Argument& earlier : arguments_) {
    if (earlier.default_value == nullptr) continue;
    lexer_.fail_at(name, base::concat("argument '", name.text, "' must have a default, as '",
                                      earlier.name.view(), "' before it has one"));
  }
}

void Parser::parse_returns() {
  if (lexer_.accept(TokenKind::kDots)) {
    varret_ = true;
  } else if (lexer_.accept('(')) {
    for (bool first = true; !lexer_.current().is(')'); first = false) {
      if (!first) lexer_.expect(',');
      if (varret_) lexer_.fail_unexpected("')': nothing may follow '...'");
      if (lexer_.accept(TokenKind::kDots)) {
        varret_ = true;
      } else {
        parse_return();
      }
    }
    lexer_.expect(')');
  } else {
    parse_return();
  }
}

void Parser::parse_return() {
  if (returns_.size() == kMaxArguments) lexer_.fail_unexpected("at most 1024 returns");
  Argument result;
  AnnotatedType parsed = parse_type();
  parse_list_size(result, parsed);
  result.type = parsed.type;
  result.alias = std::move(parsed.alias);
  if (lexer_.current().kind == TokenKind::kIdentifier) {
    const Token name = lexer_.next();
    if (has_name(returns_, name.text)) {
      lexer_.fail_at(name, base::concat("return '", name.text, "' appears twice"));
    }
    result.name = InternedString(name.text);
  }
  returns_.push_back(std::move(result));
}

// Parses `[N]`, its annotation and `?` after an argument's type.
void Parser::parse_list_size(Argument& argument, AnnotatedType& parsed) {
  if (!lexer_.accept('[')) return;
  const Token number = lexer_.expect(TokenKind::kNumber, "']' or the length of the list");
  const char* end = number.text.data() + number.text.size();
  const auto read = std::from_chars(number.text.data(), end, argument.list_size);
  if (read.ec != std::errc() || read.ptr != end || argument.list_size < 0) {
    lexer_.fail_at(number, "the length of a list must be an int below 2^31");
  }
  lexer_.expect(']');
  parsed = wrap_list(std::move(parsed), parse_alias());
  if (lexer_.accept('?')) parsed.type = optional_type(parsed.type);
}

// Checks that a return's alias annotation names at least one set that occurs on an argument, or the
// wildcard. In `(b|a)`, a set that no argument has denotes new memory.
void Parser::check_return_sets() const {
  if (vararg_) return;  // the arguments are not known
  for (const Argument& result : returns_) {
    if (result.alias != nullptr) check_return_sets(*result.alias);
  }
}

void Parser::check_return_sets(const AliasInfo& alias) const {
  for (const auto& inside : alias.contained) {
    if (inside != nullptr) check_return_sets(*inside);
  }
  const auto& sets = alias.before;
  const bool known =
      sets.empty() || std::any_of(sets.begin(), sets.end(), [this](InternedString set) {
        return set.view() == "*" ||
               std::any_of(arguments_.begin(), arguments_.end(), [set](const Argument& argument) {
                 return argument.alias != nullptr && argument.alias->mentions(set);
               });
      });
  if (!known) {
    lexer_.fail_at(lexer_.current(), base::concat("alias set '", sets.front().view(),
                                                  "' of a return is not on any argument"));
  }
}

AnnotatedType Parser::wrap_list(AnnotatedType element, std::unique_ptr<AliasInfo> container) {
  AnnotatedType list;
  list.type = list_type(element.type);
  if (element.alias != nullptr) {
    if (container == nullptr) {
      container = std::make_unique<AliasInfo>();
      container->write = element.alias->write;
    }
    container->contained.push_back(std::move(element.alias));
  }
  list.alias = std::move(container);
  return list;
}

AnnotatedType Parser::parse_type() {
  if (++depth_ > kMaxDepth) lexer_.fail_at(lexer_.current(), "types nested deeper than 32");
  AnnotatedType parsed = parse_base();
  int wrapped = 0;
  while (true) {
    if (lexer_.current().is('[') && lexer_.following().is(']')) {
      lexer_.next();
      lexer_.next();
      parsed = wrap_list(std::move(parsed), parse_alias());
    } else if (lexer_.accept('?')) {
      parsed.type = optional_type(parsed.type);
      if (lexer_.current().is('(') || lexer_.current().is('!')) {
        lexer_.fail_at(lexer_.current(), "an alias annotation must come before '?'");
      }
    } else {
      break;
    }
    if (depth_ + ++wrapped > kMaxDepth) {
      lexer_.fail_at(lexer_.current(), "types nested deeper than 32");
    }
  }
  --depth_;
  return parsed;
}

AnnotatedType Parser::parse_base() {
  if (lexer_.current().is('(')) return parse_tuple();
  const Token token = lexer_.expect(TokenKind::kIdentifier, "a type");
  if (lexer_.current().is('(') &&
      (token.text == "Dict" || token.text == "Union" || token.text == "Future" ||
       token.text == "Await" || token.text == "RRef")) {
    return parse_parameters(std::string(token.text));
  }
  AnnotatedType parsed;
  parsed.type = lexer_.current().is('.') ? parse_class(std::string(token.text)) : find_type(token);
  parsed.alias = parse_alias();
  return parsed;
}

AnnotatedType Parser::parse_tuple() {
  lexer_.expect('(');
  std::vector<const Type*> elements;
  auto alias = std::make_unique<AliasInfo>();
  bool annotated = false;
  while (elements.empty() || !lexer_.current().is(')')) {
    if (!elements.empty()) lexer_.expect(',');
    if (elements.size() == kMaxArguments) lexer_.fail_unexpected("at most 1024 types in a tuple");
    AnnotatedType element = parse_type();
    elements.push_back(element.type);
    annotated = annotated || element.alias != nullptr;
    alias->contained.push_back(std::move(element.alias));
  }
  lexer_.expect(')');
  AnnotatedType parsed;
  parsed.type = tuple_type(elements);
  if (annotated) parsed.alias = std::move(alias);
  return parsed;
}

AnnotatedType Parser::parse_parameters(const std::string& name) {
  lexer_.expect('(');
  std::vector<const Type*> elements;
  while (elements.empty() || lexer_.accept(',')) {
    if (elements.size() == kMaxArguments) lexer_.fail_unexpected("at most 1024 types");
    const Token place = lexer_.current();
    AnnotatedType element = parse_type();
    if (element.alias != nullptr) {
      lexer_.fail_at(place, base::concat("types inside ", name, " must have no annotations"));
    }
    elements.push_back(element.type);
  }
  const Token close = lexer_.expect(')');
  const size_t wanted = name == "Dict" ? 2 : 1;
  if (name != "Union" && elements.size() != wanted) {
    lexer_.fail_at(close,
                   base::concat(name, " must have ", wanted, " type(s), got ", elements.size()));
  }
  AnnotatedType parsed;
  if (name == "Dict") {
    parsed.type = dict_type(elements[0], elements[1]);
  } else if (name == "Union") {
    parsed.type = union_type(elements);
  } else {
    parsed.type = wrapper_type(name == "Future"  ? TENON_TYPE_FUTURE
                               : name == "Await" ? TENON_TYPE_AWAIT
                                                 : TENON_TYPE_RREF,
                               elements[0]);
  }
  parsed.alias = parse_alias();
  return parsed;
}

// Parses a class: a name with dots, such as `__torch__.torch.classes.rnn.CellParamsBase`.
const Type* Parser::parse_class(std::string name) {
  while (lexer_.accept('.')) {
    name += '.';
    name += lexer_.expect(TokenKind::kIdentifier, "a name after '.' of a class").text;
  }
  return class_type(name);
}

const Type* Parser::find_type(const Token& token) const {
  if (const Type* type = find_simple_type(token.text)) return type;
  const std::string_view name = token.text;
  if (name == "AnyClassType" || name == "AnyEnumType" || name == "AnyListType" ||
      name == "AnyTupleType") {
    return class_type(name);
  }
  if (name == "double") lexer_.fail_at(token, "unknown type 'double': write 'float'");
  if (name == "int64_t") {
    lexer_.fail_at(token, "unknown type 'int64_t': write 'int', or 'SymInt' for sizes");
  }
  if (variables_ && name.front() >= 'a' && name.front() <= 'z') return variable_type(name);
  lexer_.fail_at(token, base::concat("unknown type '", name,
                                     "'; common types are Tensor, Scalar, int, float, bool, str, "
                                     "SymInt, ScalarType, Device and their T? and T[]"));
}

const Type* Parser::parse_only_type() {
  variables_ = true;
  const Token start = lexer_.current();
  AnnotatedType parsed = parse_type();
  expect_end();
  if (parsed.alias != nullptr) lexer_.fail_at(start, "a type alone must have no annotations");
  return parsed.type;
}

// Parses `(a)`, `(a!)`, `(a|b -> *)`, `!` or nothing.
std::unique_ptr<AliasInfo> Parser::parse_alias() {
  if (lexer_.accept('!')) {
    auto alias = std::make_unique<AliasInfo>();
    alias->write = true;
    alias->anonymous = true;
    return alias;
  }
  if (!lexer_.accept('(')) return nullptr;
  auto alias = std::make_unique<AliasInfo>();
  parse_sets(alias->before);
  alias->write = lexer_.accept('!');
  if (lexer_.accept(TokenKind::kArrow)) {
    parse_sets(alias->after);
  } else {
    alias->after = alias->before;
  }
  lexer_.expect(')');
  return alias;
}

void Parser::parse_sets(std::vector<InternedString>& sets) {
  do {
    std::string_view name = "*";
    if (!lexer_.accept('*')) {
      name = lexer_.expect(TokenKind::kIdentifier, "the name of an alias set or '*'").text;
    }
    const InternedString set(name);
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
  } while (lexer_.accept('|'));
}

}  // namespace

SchemaOrName parse_schema_or_name(std::string_view text, std::string_view default_ns) {
  Parser parser(text);
  SchemaOrName parsed;
  parsed.name = parser.parse_name(default_ns);
  if (parser.at_arguments()) {
    parsed.schema = parser.parse_signature(parsed.name);
  } else {
    parser.expect_end();
  }
  return parsed;
}

SchemaPtr parse_schema(std::string_view text, std::string_view default_ns) {
  Parser parser(text);
  const OperatorName name = parser.parse_name(default_ns);
  if (!parser.at_arguments()) parser.fail_name_only();
  return parser.parse_signature(name);
}

OperatorName parse_operator_name(std::string_view text, std::string_view default_ns) {
  Parser parser(text);
  const OperatorName name = parser.parse_name(default_ns);
  parser.expect_end("the end of the operator name");
  return name;
}

SchemaPtr parse_signature(std::string_view text, OperatorName name) {
  return Parser(text).parse_signature(name);
}

const Type* parse_type(std::string_view text) { return Parser(text).parse_only_type(); }

}  // namespace tenon::schema
