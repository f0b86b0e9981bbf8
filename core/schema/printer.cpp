// SPDX-License-Identifier: Apache-2.0
// Prints schemas in PyTorch's form, such that they parse back to equal schemas.
#include "schema/printer.h"

#include <cmath>
#include <cstdio>

#include "base/concat.h"

namespace tenon::schema {
namespace {

void write_alias(std::string& out, const AliasInfo& alias) {
  if (alias.anonymous) {
    out += '!';
    return;
  }
  const auto write_sets = [&out](const std::vector<InternedString>& sets) {
    for (size_t i = 0; i < sets.size(); ++i) {
      if (i > 0) out += '|';
      out += sets[i].view();
    }
  };
  out += '(';
  write_sets(alias.before);
  if (alias.write) out += '!';
  if (alias.after != alias.before) {
    out += " -> ";
    write_sets(alias.after);
  }
  out += ')';
}

const AliasInfo* contained(const AliasInfo* alias, size_t index) {
  if (alias == nullptr || index >= alias->contained.size()) return nullptr;
  return alias->contained[index].get();
}

// Appends a type with its annotations. `list_size` is the N of the outermost list only.
void write_type(std::string& out, const Type* type, const AliasInfo* alias, int32_t list_size) {
  switch (type->kind) {
    case TENON_TYPE_OPTIONAL:
      write_type(out, type->elements[0], alias, list_size);
      out += '?';
      return;
    case TENON_TYPE_LIST:
      write_type(out, type->elements[0], contained(alias, 0), -1);
      out += '[';
      if (list_size >= 0) base::append(out, list_size);
      out += ']';
      break;
    case TENON_TYPE_TUPLE:
      out += '(';
      for (size_t i = 0; i < type->elements.size(); ++i) {
        if (i > 0) out += ", ";
        write_type(out, type->elements[i], contained(alias, i), -1);
      }
      out += ')';
      break;
    default:
      out += type->text.view();
  }
  if (alias != nullptr && alias->annotated()) write_alias(out, *alias);
}

void write_alias_only(std::string& out, const Type* type, const AliasInfo* alias) {
  if (alias == nullptr) return;
  type = unwrap_optional(type);
  if (type->kind == TENON_TYPE_LIST) {
    write_alias_only(out, type->elements[0], contained(alias, 0));
    if (alias->annotated()) out += "[]";
  } else if (type->kind == TENON_TYPE_TUPLE) {
    out += '(';
    for (size_t i = 0; i < type->elements.size(); ++i) {
      if (i > 0) out += ", ";
      write_alias_only(out, type->elements[i], contained(alias, i));
    }
    out += ')';
  }
  if (alias->annotated()) write_alias(out, *alias);
}

void write_float(std::string& out, double value) {
  constexpr double kExactBelow = 1e10;
  if (std::isfinite(value) && std::abs(value) < kExactBelow && value == std::trunc(value)) {
    if (std::signbit(value) && value == 0) out += '-';
    base::append(out, static_cast<int64_t>(value));
    out += '.';
    return;
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  out += digits;
  // If only digits remain, append a point so that they parse as a float again.
  if (std::string_view(digits).find_first_not_of("-0123456789") == std::string_view::npos) {
    out += '.';
  }
}

void write_value(std::string& out, const tenon_value& value) {
  switch (value.tag) {
    case TENON_TAG_NONE:
      out += "None";
      break;
    case TENON_TAG_BOOL:
      out += value.as.i != 0 ? "True" : "False";
      break;
    case TENON_TAG_FLOAT:
      write_float(out, value.as.f);
      break;
    case TENON_TAG_COMPLEX:
      write_float(out, value.as.c.real);
      out += std::signbit(value.as.c.imag) ? '-' : '+';
      write_float(out, std::abs(value.as.c.imag));
      out += 'j';
      break;
    case TENON_TAG_STRING:
      out += quote({static_cast<const char*>(value.as.list.data), value.count});
      break;
    default:
      base::append(out, value.as.i);
  }
}

template <class Element, class Write>
void write_list(std::string& out, const tenon_value& list, const Write& write) {
  const auto* elements = static_cast<const Element*>(list.as.list.data);
  out += '[';
  for (uint32_t i = 0; i < list.count; ++i) {
    if (i > 0) out += ", ";
    write(elements[i]);
  }
  out += ']';
}

// Returns true if the default of an `int[N]` is printed as one number, because all of its N
// elements are equal. Like PyTorch, prints that of a `SymInt[N]` so only if the list is optional.
bool is_repeated_int(const Argument& argument, const tenon_value& list) {
  if (argument.list_size < 2) return false;
  const Type* type = unwrap_optional(argument.type);
  const uint32_t kind = type->elements[0]->kind;
  const bool symbolic = kind == TENON_TYPE_SYMINT && type != argument.type;
  if (kind != TENON_TYPE_INT && !symbolic) return false;
  const auto* elements = static_cast<const int64_t*>(list.as.list.data);
  for (uint32_t i = 1; i < list.count; ++i) {
    if (elements[i] != elements[0]) return false;
  }
  return static_cast<uint32_t>(argument.list_size) == list.count;
}

void write_default(std::string& out, const Argument& argument) {
  const Default& written = *argument.default_value;
  const tenon_value& value = written.value();
  switch (value.tag) {
    case TENON_TAG_DEVICE:
      out += quote(written.device_text());
      break;
    case TENON_TAG_FLOAT:
      if (written.prints_as_int) {
        base::append(out, static_cast<int64_t>(value.as.f));
      } else {
        write_float(out, value.as.f);
      }
      break;
    case TENON_TAG_INT_LIST:
      if (is_repeated_int(argument, value)) {
        base::append(out, *static_cast<const int64_t*>(value.as.list.data));
      } else {
        write_list<int64_t>(out, value, [&](int64_t element) { base::append(out, element); });
      }
      break;
    case TENON_TAG_FLOAT_LIST:
      write_list<double>(out, value, [&](double element) { write_float(out, element); });
      break;
    case TENON_TAG_BOOL_LIST:
      write_list<uint8_t>(out, value, [&](uint8_t on) { out += on ? "True" : "False"; });
      break;
    case TENON_TAG_TENSOR_LIST:
      out += "[]";
      break;
    case TENON_TAG_LIST:
      write_list<tenon_value>(out, value, [&](const tenon_value& v) { write_value(out, v); });
      break;
    default:
      write_value(out, value);
  }
}

void write_argument(std::string& out, const Argument& argument) {
  write_type(out, argument.type, argument.alias.get(), argument.list_size);
  if (!argument.name.empty()) {
    out += ' ';
    out += argument.name.view();
  }
  if (argument.default_value) {
    out += '=';
    write_default(out, argument);
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    constexpr std::string_view kPlain = "\\'\"\a\b\f\n\r\t\v";
    constexpr std::string_view kEscaped = "\\'\"abfnrtv";
    const size_t escape = kPlain.find(letter);
    const auto code = static_cast<unsigned char>(letter);
    if (escape != std::string_view::npos) {
      out += '\\';
      out += kEscaped[escape];
    } else if (code < 0x20 || code == 0x7f) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", code);
      out += octal;
    } else {
      out += letter;  // bytes above 0x7f belong to UTF-8 text
    }
  }
  out += '"';
  return out;
}

std::string print_type(const Argument& argument) {
  std::string out;
  write_type(out, argument.type, nullptr, argument.list_size);
  return out;
}

std::string print_alias(const Argument& argument) {
  std::string out;
  write_alias_only(out, argument.type, argument.alias.get());
  return out;
}

std::string print_default(const Argument& argument) {
  std::string out;
  if (argument.default_value) write_default(out, argument);
  return out;
}

std::string print(const Argument& argument) {
  std::string out;
  write_argument(out, argument);
  return out;
}

std::string print(const Schema& schema) {
  std::string out = schema.name().full();
  out += '(';
  bool after_star = false;
  for (const Argument& argument : schema.arguments()) {
    if (&argument != &schema.arguments().front()) out += ", ";
    if (argument.kwarg_only && !after_star) {
      out += "*, ";
      after_star = true;
    }
    write_argument(out, argument);
  }
  if (schema.is_vararg()) out += schema.arguments().empty() ? "..." : ", ...";
  out += ") -> ";

  std::string returns;
  for (const Argument& result : schema.returns()) {
    if (!returns.empty()) returns += ", ";
    write_argument(returns, result);
  }
  if (schema.is_varret()) returns += returns.empty() ? "..." : ", ...";
  // A single return needs no parentheses, unless its text starts with one: a tuple would be parsed
  // as a list of returns.
  const size_t count = schema.returns().size() + (schema.is_varret() ? 1 : 0);
  const bool bare = count == 1 && returns.front() != '(';
  out += bare ? returns : base::concat('(', returns, ')');
  return out;
}

}  // namespace tenon::schema
