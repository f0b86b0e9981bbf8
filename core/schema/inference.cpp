// SPDX-License-Identifier: Apache-2.0
// Lowered signatures of typed kernels, and checks of kernels against their operators' schemas.
#include "schema/inference.h"

#include "base/check.h"
#include "base/concat.h"
#include "schema/printer.h"

namespace tenon::schema {
namespace {

using base::concat;

bool is_tensor_like(const Type* type) { return unwrap_optional(type)->kind == TENON_TYPE_TENSOR; }

char list_code(const Type* element) {
  if (is_tensor_like(element)) return 'L';
  switch (element->kind) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
      return 'I';
    case TENON_TYPE_FLOAT:
      return 'D';
    case TENON_TYPE_BOOL:
      return 'B';
    default:
      return 'v';
  }
}

char argument_code(const Type* type) {
  if (is_tensor_like(type)) return 'T';
  switch (type->kind) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_DTYPE:
    case TENON_TYPE_LAYOUT:
    case TENON_TYPE_MEMORY_FORMAT:
    case TENON_TYPE_DEVICE_INDEX:
      return 'i';
    case TENON_TYPE_BOOL:
      return 'b';
    case TENON_TYPE_FLOAT:
      return 'd';
    case TENON_TYPE_STRING:
      return 's';
    case TENON_TYPE_LIST:
      return list_code(type->elements[0]);
    default:
      return 'v';
  }
}

char result_code(const Type* type) {
  const char code = argument_code(type);
  return code == 'T' || code == 'i' || code == 'b' || code == 'd' ? code : 'v';
}

// Returns true if a kernel parameter of type `kernel` accepts all values of the declared type.
bool takes(const Type* kernel, const Type* declared) {
  const Type* mine = lowered_type(kernel);
  const Type* given = lowered_type(declared);
  if (mine == given || mine->kind == TENON_TYPE_ANY) return true;
  if (mine->kind == TENON_TYPE_OPTIONAL && mine->elements[0] == given) return true;
  // Both lists hold handles, some of which may be NULL; kernels use one C type for them.
  return argument_code(mine) == 'L' && argument_code(given) == 'L';
}

// Returns true if a kernel may return type `kernel`: the declared type, or its element if that is
// an optional.
bool gives(const Type* kernel, const Type* declared) {
  const Type* mine = lowered_type(kernel);
  const Type* wanted = lowered_type(declared);
  return mine == wanted || mine == unwrap_optional(wanted) || mine->kind == TENON_TYPE_ANY;
}

template <class Match>
std::optional<std::string> compare(Schema::Arguments kernel, Schema::Arguments declared,
                                   const char* what, const Match& match) {
  if (kernel.size() != declared.size()) {
    return concat("the number of ", what, "s must be ", declared.size(), ", got ", kernel.size());
  }
  for (size_t i = 0; i < kernel.size(); ++i) {
    if (match(kernel[i].type, declared[i].type)) continue;
    std::string name = concat(what, ' ', i + 1);
    if (!declared[i].name.empty()) name += concat(" ('", declared[i].name.view(), "')");
    return concat(name, " must be ", print_type(declared[i]), ", got ", print_type(kernel[i]));
  }
  return {};
}

const char* code_type(char code) {
  switch (code) {
    case 'T':
      return "Tensor";
    case 'i':
      return "int";
    case 'b':
      return "bool";
    case 'd':
      return "float";
    case 'I':
      return "int[]";
    case 'D':
      return "float[]";
    case 'B':
      return "bool[]";
    case 'L':
      return "Tensor[]";
    case 's':
      return "str";
    case 'v':
      return "Any";
    default:
      return nullptr;
  }
}

}  // namespace

std::string signature_codes(const Schema& schema) {
  if (schema.is_vararg() || schema.is_varret()) return {};
  std::string codes;
  for (const Argument& argument : schema.arguments()) codes += argument_code(argument.type);
  codes += '>';
  for (size_t i = 0; i < schema.returns().size(); ++i) {
    const Argument& result = schema.returns()[i];
    // A written argument that is also returned is not part of the typed result.
    if (result.is_written() && schema.aliased_argument(i) >= 0) continue;
    codes += result_code(result.type);
  }
  TENON_DCHECK(codes.find('>') == schema.arguments().size());  // one letter per argument
  return codes;
}

uint64_t signature_hash(std::string_view codes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char code : codes) {
    hash ^= static_cast<unsigned char>(code);
    hash *= 0x100000001b3u;
  }
  return hash != 0 ? hash : 1;
}

std::string schema_text_from_codes(std::string_view codes) {
  const size_t arrow = codes.find('>');
  TENON_CHECK_ARG(arrow != std::string_view::npos, "signature: '", codes,
                  "' must have a '>' between arguments and results");
  std::string arguments, results;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (i == arrow) continue;
    const char* type = code_type(codes[i]);
    TENON_CHECK_ARG(type != nullptr, "signature: letters must be of TibdIDBLsv, got '", codes[i],
                    "' in '", codes, "'");
    std::string& out = i < arrow ? arguments : results;
    if (!out.empty()) out += ", ";
    out += type;
    if (i < arrow) out += concat(" _", i);
  }
  const bool bare = codes.size() - arrow == 2;
  return bare ? concat('(', arguments, ") -> ", results)
              : concat('(', arguments, ") -> (", results, ')');
}

std::optional<std::string> find_mismatch(const Schema& kernel, const Schema& declared) {
  if (kernel.is_vararg() != declared.is_vararg() || kernel.is_varret() != declared.is_varret()) {
    return "only one of them has '...'";
  }
  if (auto reason = compare(kernel.arguments(), declared.arguments(), "argument", takes)) {
    return reason;
  }
  return compare(kernel.returns(), declared.returns(), "return", gives);
}

}  // namespace tenon::schema
