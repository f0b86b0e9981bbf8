// SPDX-License-Identifier: Apache-2.0
// The part of the schema parser that parses default values.
#include "schema/default_parser.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/concat.h"
#include "base/utf8.h"
#include "tenon/device.h"
#include "tenon/types.h"
#include "tenon/value.h"

namespace tenon::schema {
namespace {

struct NamedConstant {
  const char* name;
  uint32_t kind;  // the only kind of type that accepts the name
  int64_t value;
};

// Names in schemas for values of PyTorch's enumerations, and for dtypes.
constexpr NamedConstant kConstants[] = {
    {"strided", TENON_TYPE_LAYOUT, TENON_LAYOUT_STRIDED},
    {"contiguous_format", TENON_TYPE_MEMORY_FORMAT, TENON_MEMORY_FORMAT_CONTIGUOUS},
    {"preserve_format", TENON_TYPE_MEMORY_FORMAT, TENON_MEMORY_FORMAT_PRESERVE},
    {"channels_last", TENON_TYPE_MEMORY_FORMAT, TENON_MEMORY_FORMAT_CHANNELS_LAST},
    {"channels_last_3d", TENON_TYPE_MEMORY_FORMAT, TENON_MEMORY_FORMAT_CHANNELS_LAST_3D},
    {"Mean", TENON_TYPE_INT, 1},
    {"uint8", TENON_TYPE_DTYPE, TENON_DTYPE_U8},
    {"int8", TENON_TYPE_DTYPE, TENON_DTYPE_I8},
    {"uint16", TENON_TYPE_DTYPE, TENON_DTYPE_U16},
    {"uint32", TENON_TYPE_DTYPE, TENON_DTYPE_U32},
    {"uint64", TENON_TYPE_DTYPE, TENON_DTYPE_U64},
    {"int16", TENON_TYPE_DTYPE, TENON_DTYPE_I16},
    {"short", TENON_TYPE_DTYPE, TENON_DTYPE_I16},
    {"int32", TENON_TYPE_DTYPE, TENON_DTYPE_I32},
    {"int", TENON_TYPE_DTYPE, TENON_DTYPE_I32},
    {"int64", TENON_TYPE_DTYPE, TENON_DTYPE_I64},
    {"long", TENON_TYPE_DTYPE, TENON_DTYPE_I64},
    {"float16", TENON_TYPE_DTYPE, TENON_DTYPE_F16},
    {"half", TENON_TYPE_DTYPE, TENON_DTYPE_F16},
    {"float32", TENON_TYPE_DTYPE, TENON_DTYPE_F32},
    {"float", TENON_TYPE_DTYPE, TENON_DTYPE_F32},
    {"float64", TENON_TYPE_DTYPE, TENON_DTYPE_F64},
    {"double", TENON_TYPE_DTYPE, TENON_DTYPE_F64},
    {"complex32", TENON_TYPE_DTYPE, TENON_DTYPE_C32},
    {"chalf", TENON_TYPE_DTYPE, TENON_DTYPE_C32},
    {"complex64", TENON_TYPE_DTYPE, TENON_DTYPE_C64},
    {"complex", TENON_TYPE_DTYPE, TENON_DTYPE_C64},
    {"cfloat", TENON_TYPE_DTYPE, TENON_DTYPE_C64},
    {"complex128", TENON_TYPE_DTYPE, TENON_DTYPE_C128},
    {"cdouble", TENON_TYPE_DTYPE, TENON_DTYPE_C128},
    {"bool", TENON_TYPE_DTYPE, TENON_DTYPE_BOOL},
    {"bfloat16", TENON_TYPE_DTYPE, TENON_DTYPE_BF16},
    {"float8_e5m2", TENON_TYPE_DTYPE, TENON_DTYPE_F8_E5M2},
    {"float8_e4m3fn", TENON_TYPE_DTYPE, TENON_DTYPE_F8_E4M3FN},
};

// Returns true if a text can be the name of a backend: a lower-case identifier.
bool is_device_name(std::string_view name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

bool read_device_index(std::string_view digits, int32_t* out_index) {
  const char* const end = digits.data() + digits.size();
  // from_chars accepts a sign, and "cuda:01" would be a second spelling of "cuda:1".
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return false;
  if (digits[0] == '0' && digits.size() > 1) return false;
  const auto parsed = std::from_chars(digits.data(), end, *out_index);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// A number as written: an int if it has no point, no exponent and no j.
struct Number {
  bool integral = false;
  bool imaginary = false;
  int64_t i = 0;
  double f = 0;
};

tenon_value make_value(uint16_t tag) {
  tenon_value value = {};
  value.tag = tag;
  return value;
}

tenon_value make_int(uint16_t tag, int64_t number) {
  tenon_value value = make_value(tag);
  value.as.i = number;
  return value;
}

tenon_value make_float(double number) {
  tenon_value value = make_value(TENON_TAG_FLOAT);
  value.as.f = number;
  return value;
}

class DefaultParser {
 public:
  DefaultParser(Lexer& lexer, const Argument& argument)
      : lexer_(lexer),
        argument_(argument),
        optional_(argument.type->kind == TENON_TYPE_OPTIONAL),
        type_(unwrap_optional(argument.type)),
        start_(lexer.current()) {}

  DefaultPtr parse() {
    if (is_word("None")) {
      if (!takes_none()) fail_type();
      lexer_.next();
      return make_default(make_value(TENON_TAG_NONE));
    }
    if (type_->kind == TENON_TYPE_LIST) return parse_list(type_->elements[0]);
    if (type_->kind == TENON_TYPE_STRING || type_->kind == TENON_TYPE_DEVICE) {
      const std::string text = parse_text();
      if (type_->kind == TENON_TYPE_DEVICE) return parse_device(text);
      tenon_value value = make_value(TENON_TAG_STRING);
      value.count = static_cast<uint32_t>(text.size());
      return own(value, text.data(), text.size());
    }
    bool as_int = false;
    const tenon_value value = parse_scalar(type_->kind, &as_int);
    return make_default(value, as_int && optional_);
  }

 private:
  template <class... Args>
  static DefaultPtr own(const Args&... args) {
    return DefaultPtr(new Default(args...));
  }

  bool is_word(std::string_view word) const {
    return lexer_.current().kind == TokenKind::kIdentifier && lexer_.current().text == word;
  }

  // PyTorch accepts None as a default of any simple type. Tenon accepts it only for types whose
  // absent value has a meaning.
  bool takes_none() const {
    switch (type_->kind) {
      case TENON_TYPE_TENSOR:
      case TENON_TYPE_GENERATOR:
      case TENON_TYPE_QUANTIZER:
      case TENON_TYPE_NONE:
      case TENON_TYPE_ANY:
        return true;
      default:
        return optional_;
    }
  }

  [[noreturn]] void fail_type() const {
    lexer_.fail_at(start_, base::concat("the default of argument '", argument_.name.view(),
                                        "' must be ", expected(), ", got ", start_text()));
  }

  std::string expected() const {
    std::string text;
    switch (type_->kind) {
      case TENON_TYPE_TENSOR:
      case TENON_TYPE_GENERATOR:
      case TENON_TYPE_QUANTIZER:
      case TENON_TYPE_NONE:
      case TENON_TYPE_ANY:
        return "None";
      case TENON_TYPE_LIST:
        if (type_->elements[0]->kind == TENON_TYPE_STRING) return optional_ ? "None" : "left out";
        text = base::concat("a list in brackets of type ", type_->text.view());
        break;
      case TENON_TYPE_DEVICE:
      case TENON_TYPE_STRING:
        text = "a string in quotes";
        break;
      case TENON_TYPE_DICT:
      case TENON_TYPE_TUPLE:
      case TENON_TYPE_UNION:
      case TENON_TYPE_CLASS:
      case TENON_TYPE_VARIABLE:
      case TENON_TYPE_STREAM:
      case TENON_TYPE_STORAGE:
        return optional_ ? base::concat("None for type ", argument_.type->text.view())
                         : base::concat("left out for type ", type_->text.view());
      default:
        text = base::concat("of type ", type_->text.view());
    }
    return optional_ ? base::concat(text, " or None") : text;
  }

  std::string start_text() const {
    if (start_.kind == TokenKind::kEnd) return "the end of the text";
    const bool minus = start_.is('-');
    return base::concat('\'', start_.text, minus ? lexer_.current().text : std::string_view(),
                        '\'');
  }

  std::string parse_text() {
    if (lexer_.current().kind != TokenKind::kString) fail_type();
    const Token token = lexer_.next();
    std::string text;
    size_t bad = 0;
    if (!unescape(token.text, text, bad)) {
      lexer_.fail_at(token.position + bad, "an unknown escape sequence in a string");
    }
    if (!base::is_utf8(text)) lexer_.fail_at(token, "a string whose escapes are not UTF-8");
    return text;
  }

  DefaultPtr parse_device(const std::string& text) {
    std::unique_ptr<Default> made = Default::device(text);
    const size_t colon = text.find(':');
    const std::string_view name = std::string_view(text).substr(0, colon);
    int32_t index = -1;
    if (!is_device_name(name) ||
        (colon != std::string::npos &&
         !read_device_index(std::string_view(text).substr(colon + 1), &index))) {
      lexer_.fail_at(start_, "a device must be written \"name\" or \"name:index\"");
    }
    // CPU and Meta have one device each. Names of other backends are resolved on first use.
    if ((name == "cpu" || name == "meta") && index > 0) {
      lexer_.fail_at(start_, base::concat("the index of ", name, " must be 0"));
    }
    if (name == "cpu") made->set_device({TENON_DEVICE_CPU, 0});
    if (name == "cuda") made->set_device({TENON_DEVICE_CUDA, index});
    if (name == "meta") made->set_device({TENON_DEVICE_META, 0});
    return DefaultPtr(made.release());
  }

  // With `as_float`, accepts integers of any size, because they are rounded to a double anyway.
  Number parse_number(bool as_float = false) {
    const bool minus = lexer_.accept('-');
    if (is_word("inf") || is_word("nan")) {
      const bool nan = lexer_.next().text == "nan";
      const double value =
          nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
      return {.f = minus ? -value : value};
    }
    if (lexer_.current().kind != TokenKind::kNumber) fail_type();
    const Token token = lexer_.next();
    std::string_view digits = token.text;
    Number number;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      return parse_integer(token, digits.substr(2), 16, minus);
    }
    if (digits.back() == 'j') {
      number.imaginary = true;
      digits.remove_suffix(1);
    } else if (digits.find_first_of(".eE") == std::string_view::npos &&
               !(as_float && digits.size() > std::numeric_limits<int64_t>::digits10)) {
      return parse_integer(token, digits, 10, minus);
    }
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number.f);
    if (parsed.ec == std::errc::result_out_of_range) {
      lexer_.fail_at(token, "a number beyond the range of float64; write inf or 0.");
    }
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
      lexer_.fail_at(token, "a malformed number");
    }
    if (minus) number.f = -number.f;
    return number;
  }

  Number parse_integer(const Token& token, std::string_view digits, int radix, bool minus) {
    uint64_t magnitude = 0;
    const auto parsed =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, radix);
    const uint64_t limit = uint64_t{1} << 63;
    if (parsed.ec != std::errc() || magnitude > limit || (magnitude == limit && !minus)) {
      lexer_.fail_at(token, "an integer beyond the range of int64");
    }
    Number number;
    number.integral = true;
    number.i = static_cast<int64_t>(minus ? uint64_t{0} - magnitude : magnitude);
    number.f = minus && magnitude == 0 ? -0.0 : static_cast<double>(number.i);
    return number;
  }

  // Parses a value of a simple type. Sets `as_int` if a float was written like an int.
  tenon_value parse_scalar(uint32_t kind, bool* as_int) {
    const bool is_bool = is_word("True") || is_word("False");
    if (is_bool &&
        (kind == TENON_TYPE_BOOL || kind == TENON_TYPE_SYMBOOL || kind == TENON_TYPE_SCALAR)) {
      return make_int(TENON_TAG_BOOL, lexer_.next().text == "True");
    }
    if (lexer_.current().kind == TokenKind::kIdentifier) {
      for (const NamedConstant& constant : kConstants) {
        if (constant.kind != kind || !is_word(constant.name)) continue;
        lexer_.next();
        return make_int(int_tag(kind), constant.value);
      }
    }
    switch (kind) {
      case TENON_TYPE_INT:
      case TENON_TYPE_SYMINT:
      case TENON_TYPE_DTYPE:
      case TENON_TYPE_LAYOUT:
      case TENON_TYPE_MEMORY_FORMAT:
      case TENON_TYPE_DEVICE_INDEX: {
        const Number number = parse_number();
        if (!number.integral) fail_type();
        return make_int(int_tag(kind), number.i);
      }
      case TENON_TYPE_FLOAT:
      case TENON_TYPE_SYMFLOAT: {
        const Number number = parse_number(true);
        if (number.imaginary) fail_type();
        *as_int = number.integral;
        return make_float(number.f);
      }
      case TENON_TYPE_COMPLEX:
        return parse_complex(parse_number(true));
      case TENON_TYPE_SCALAR: {
        const Number number = parse_number();
        if (number.imaginary || continues_complex()) return parse_complex(number);
        return number.integral ? make_int(TENON_TAG_INT, number.i) : make_float(number.f);
      }
      default:
        fail_type();
    }
  }

  bool continues_complex() const { return lexer_.current().is('+') || lexer_.current().is('-'); }

  // Parses `1.+2.j`, `2j` or a real number.
  tenon_value parse_complex(Number first) {
    tenon_value value = make_value(TENON_TAG_COMPLEX);
    if (first.imaginary) {
      value.as.c.imag = first.f;
      return value;
    }
    value.as.c.real = first.f;
    if (continues_complex()) {
      lexer_.accept('+');
      const Number second = parse_number();
      if (!second.imaginary) fail_type();
      value.as.c.imag = second.f;
    }
    return value;
  }

  static uint16_t int_tag(uint32_t kind) {
    switch (kind) {
      case TENON_TYPE_DTYPE:
        return TENON_TAG_DTYPE;
      case TENON_TYPE_LAYOUT:
        return TENON_TAG_LAYOUT;
      case TENON_TYPE_MEMORY_FORMAT:
        return TENON_TAG_MEMORY_FORMAT;
      default:
        return TENON_TAG_INT;
    }
  }

  DefaultPtr parse_list(const Type* element) {
    const bool repeat = !lexer_.current().is('[');
    // Lists of texts have no defaults, as in PyTorch.
    if (element->kind == TENON_TYPE_STRING || (repeat && argument_.list_size < 0)) fail_type();
    std::vector<tenon_value> values;
    const auto parse_element = [&] {
      bool ignored = false;
      values.push_back(parse_scalar(element->kind, &ignored));
    };
    if (repeat) {
      parse_element();
      constexpr int32_t kMostRepeats = 4096;
      if (argument_.list_size > kMostRepeats) {
        lexer_.fail_at(start_, "the default of a list of this length must be written in brackets");
      }
      values.assign(static_cast<size_t>(argument_.list_size), tenon_value(values[0]));
    } else {
      lexer_.expect('[');
      while (!lexer_.accept(']')) {
        if (!values.empty()) lexer_.expect(',');
        parse_element();
      }
    }
    return make_list(element, values);
  }

  DefaultPtr make_list(const Type* element, const std::vector<tenon_value>& values) {
    tenon_value list = make_value(TENON_TAG_LIST);
    list.count = static_cast<uint32_t>(values.size());
    switch (element->kind) {
      case TENON_TYPE_INT:
      case TENON_TYPE_SYMINT: {
        std::vector<int64_t> ints;
        for (const tenon_value& value : values) ints.push_back(value.as.i);
        list.tag = TENON_TAG_INT_LIST;
        return own(list, ints.data(), ints.size() * sizeof(int64_t));
      }
      case TENON_TYPE_FLOAT: {
        std::vector<double> floats;
        for (const tenon_value& value : values) floats.push_back(value.as.f);
        list.tag = TENON_TAG_FLOAT_LIST;
        return own(list, floats.data(), floats.size() * sizeof(double));
      }
      case TENON_TYPE_BOOL: {
        std::vector<uint8_t> bools;
        for (const tenon_value& value : values) bools.push_back(value.as.i != 0);
        list.tag = TENON_TAG_BOOL_LIST;
        return own(list, bools.data(), bools.size());
      }
      case TENON_TYPE_TENSOR:
        list.tag = TENON_TAG_TENSOR_LIST;  // empty: no text denotes a Tensor
        return own(list, nullptr, size_t{0});
      default:
        return own(list, values.data(), values.size() * sizeof(tenon_value));
    }
  }

  Lexer& lexer_;
  const Argument& argument_;
  const bool optional_;
  const Type* type_;
  const Token start_;
};

}  // namespace

DefaultPtr parse_default(Lexer& lexer, const Argument& argument) {
  return DefaultParser(lexer, argument).parse();
}

}  // namespace tenon::schema
