// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <charconv>

#include "autograd/formula/gradient_text.h"
#include "base/check.h"

namespace tenon::autograd {

namespace {

using Kind = Expression::Kind;

constexpr int kMaxNesting = 100;

class Parser {
 public:
  Parser(std::string_view what, std::string_view kind, std::string_view text)
      : what_(what), kind_(kind), text_(text) {}

  std::vector<Gradient> parse() {
    std::vector<Gradient> gradients;
    do {
      Gradient gradient;
      do {
        gradient.inputs.push_back(name("the name of an argument"));
      } while (accept(','));
      expect(':');
      gradient.expression = sum();
      gradients.push_back(std::move(gradient));
    } while (accept(';'));
    expect_end("';' or the end");
    return gradients;
  }

  std::vector<Gradient> parse_tangents() {
    if (is_named()) return parse();
    std::vector<Gradient> tangents(1);
    tangents[0].inputs.emplace_back("result");
    tangents[0].expression = sum();
    expect_end("the end");
    return tangents;
  }

 private:
  void expect_end(std::string_view expected) {
    skip_blanks();
    if (at_ != text_.size()) refuse(expected);
  }

  // Returns true if the text starts with a name that a colon or a comma follows.
  bool is_named() {
    bool named = false;
    if (begins_name(peek())) {
      name("a name");
      named = peek() == ':' || peek() == ',';
    }
    at_ = 0;
    return named;
  }

  [[noreturn]] void refuse(std::string_view expected) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_, 20);
    fail(TENON_ERROR_PARSE, what_, ": ", kind_, " text must contain ", expected, " at column ",
         at_ + 1, ", got ", rest.empty() ? std::string("its end") : base::concat("\"", rest, "\""));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char letter) {
    if (peek() != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!accept(letter)) refuse(base::concat("'", letter, "'"));
  }

  static bool begins_name(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  }
  std::string name(std::string_view expected) {
    if (!begins_name(peek())) refuse(expected);
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (begins_name(text_[at_]) || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  static ExpressionPtr make(Kind kind) {
    auto made = std::make_unique<Expression>();
    made->kind = kind;
    return made;
  }
  static ExpressionPtr constant(tenon_value value) {
    ExpressionPtr made = make(Kind::kConstant);
    made->constant = value;
    return made;
  }
  static ExpressionPtr call_of(std::string_view function) {
    ExpressionPtr made = make(Kind::kCall);
    made->name = function;
    made->built_in = built_in_of(function);
    return made;
  }
  static ExpressionPtr call(std::string_view function, ExpressionPtr first,
                            ExpressionPtr second = nullptr) {
    ExpressionPtr made = call_of(function);
    made->arguments.push_back(std::move(first));
    if (second != nullptr) made->arguments.push_back(std::move(second));
    return made;
  }

  ExpressionPtr sum() {
    if (++depth_ > kMaxNesting) refuse("expressions that nest less deeply");
    ExpressionPtr left = product();
    while (true) {
      if (accept('+')) {
        left = call("add", std::move(left), product());
      } else if (accept('-')) {
        left = call("sub", std::move(left), product());
      } else {
        --depth_;
        return left;
      }
    }
  }

  ExpressionPtr product() {
    ExpressionPtr left = signed_one();
    while (true) {
      if (accept('*')) {
        left = call("mul", std::move(left), signed_one());
      } else if (accept('/')) {
        left = call("div", std::move(left), signed_one());
      } else {
        return left;
      }
    }
  }

  ExpressionPtr signed_one() {
    if (!accept('-')) return with_methods();
    if (++depth_ > kMaxNesting) refuse("expressions that nest less deeply");
    ExpressionPtr operand = signed_one();
    --depth_;
    if (operand->kind == Kind::kConstant && operand->constant.tag == TENON_TAG_INT) {
      operand->constant.as.i = -operand->constant.as.i;
      return operand;
    }
    if (operand->kind == Kind::kConstant && operand->constant.tag == TENON_TAG_FLOAT) {
      operand->constant.as.f = -operand->constant.as.f;
      return operand;
    }
    return call("neg", std::move(operand));
  }

  ExpressionPtr with_methods() {
    ExpressionPtr object = primary();
    while (accept('.')) {
      const std::string method = name("the name of a method");
      expect('(');
      ExpressionPtr made = call(method, std::move(object));
      read_arguments(made.get());
      object = std::move(made);
    }
    return object;
  }

  void read_arguments(Expression* call) {
    if (accept(')')) return;
    do {
      const size_t begin = at_;
      if (begins_name(peek())) {
        std::string keyword = name("a name");
        if (accept('=')) {
          call->keywords.push_back(std::move(keyword));
          call->arguments.push_back(sum());
          continue;
        }
        at_ = begin;
      }
      if (!call->keywords.empty()) refuse("a keyword");
      call->arguments.push_back(sum());
    } while (accept(','));
    expect(')');
  }

  ExpressionPtr primary() {
    const char letter = peek();
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) return number();
    if (accept('(')) {
      ExpressionPtr inner = sum();
      expect(')');
      return inner;
    }
    if (accept('[')) return list();
    const std::string word = name("an expression");
    if (word == "True" || word == "False") {
      return constant(tenon_value_of_bool(word == "True" ? 1 : 0));
    }
    if (word == "None") return constant(tenon_value_of_none());
    if (word == "grads") {
      if (!accept('[')) return make(Kind::kGrads);
      ExpressionPtr index = number();
      expect(']');
      ExpressionPtr made = make(Kind::kGrad);
      made->index = static_cast<uint32_t>(index->constant.as.i);
      return made;
    }
    if (word == "grad") return make(Kind::kGrad);
    if (accept('(')) {
      ExpressionPtr made = call_of(word);
      read_arguments(made.get());
      return made;
    }
    ExpressionPtr made = make(Kind::kName);
    made->name = word;
    return made;
  }

  ExpressionPtr list() {
    ExpressionPtr made = make(Kind::kList);
    if (accept(']')) return made;
    do {
      made->arguments.push_back(sum());
    } while (accept(','));
    expect(']');
    return made;
  }

  ExpressionPtr number() {
    skip_blanks();
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    int64_t whole = 0;
    const auto [after_int, int_error] = std::from_chars(begin, end, whole);
    double real = 0;
    const auto [after_real, real_error] = std::from_chars(begin, end, real);
    if (real_error != std::errc()) refuse("a number");
    at_ += static_cast<size_t>(after_real - begin);
    const bool is_int = int_error == std::errc() && after_int == after_real;
    return constant(is_int ? tenon_value_of_int(whole) : tenon_value_of_float(real));
  }

  const std::string_view what_;
  const std::string_view kind_;  // "gradient" or "tangent"
  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<Gradient> parse_gradients(std::string_view what, std::string_view text) {
  return Parser(what, "gradient", text).parse();
}

std::vector<Gradient> parse_tangents(std::string_view what, std::string_view text) {
  return Parser(what, "tangent", text).parse_tangents();
}

}  // namespace tenon::autograd
