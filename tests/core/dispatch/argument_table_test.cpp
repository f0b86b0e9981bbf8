// SPDX-License-Identifier: Apache-2.0
// Compares the table of tags in schema.h, by schema type, with what calls accept.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/symbol.h"
#include "dispatch/argument_check.h"
#include "dispatch/argument_plan.h"
#include "schema/parser.h"
#include "tenon/generator.h"
#include "tenon/tensor.h"
#include "value/object.h"

namespace tenon::dispatch {
namespace {

const std::map<std::string, uint16_t> kTags = {
    {"NONE", TENON_TAG_NONE},
    {"BOOL", TENON_TAG_BOOL},
    {"INT", TENON_TAG_INT},
    {"FLOAT", TENON_TAG_FLOAT},
    {"COMPLEX", TENON_TAG_COMPLEX},
    {"STRING", TENON_TAG_STRING},
    {"DTYPE", TENON_TAG_DTYPE},
    {"LAYOUT", TENON_TAG_LAYOUT},
    {"MEMORY_FORMAT", TENON_TAG_MEMORY_FORMAT},
    {"DEVICE", TENON_TAG_DEVICE},
    {"STREAM", TENON_TAG_STREAM},
    {"GENERATOR", TENON_TAG_GENERATOR},
    {"TENSOR", TENON_TAG_TENSOR},
    {"STORAGE", TENON_TAG_STORAGE},
    {"SYMINT", TENON_TAG_SYMINT},
    {"SYMFLOAT", TENON_TAG_SYMFLOAT},
    {"SYMBOOL", TENON_TAG_SYMBOOL},
    {"FUNCTION", TENON_TAG_FUNCTION},
    {"OBJECT", TENON_TAG_OBJECT},
    {"INT_LIST", TENON_TAG_INT_LIST},
    {"FLOAT_LIST", TENON_TAG_FLOAT_LIST},
    {"BOOL_LIST", TENON_TAG_BOOL_LIST},
    {"TENSOR_LIST", TENON_TAG_TENSOR_LIST},
    {"LIST", TENON_TAG_LIST},
    {"TUPLE", TENON_TAG_TUPLE},
    {"DICT", TENON_TAG_DICT},
};

// An example for each type that the header describes only in words.
const std::map<std::string, std::string> kExamples = {
    {"a class", "__torch__.torch.classes.test.Own"},
    {"a function type", "Function"},
    {"T?", "int?"},
    {"every other list", "str[]"},
    {"(T, U)", "(int, str)"},
    {"Dict(K, V)", "Dict(str, int)"},
    {"Union(T, U)", "Union(int, str)"},
};

struct Row {
  std::vector<std::string> types;
  std::set<uint16_t> tags;
};

// Splits "int, DeviceIndex" at commas, but not "(T, U)".
std::vector<std::string> split_types(const std::string& text) {
  std::vector<std::string> types(1);
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      types.emplace_back();
    } else if (letter != ' ' || !types.back().empty()) {
      types.back() += letter;
    }
  }
  if (types.back().empty()) types.pop_back();
  return types;
}

std::set<uint16_t> tags_in(const std::string& text) {
  std::set<uint16_t> tags;
  if (text.find("every tag") != std::string::npos) {
    for (const auto& [name, tag] : kTags) tags.insert(tag);
  }
  static const std::regex word("[A-Z_]{2,}");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), word); it != std::sregex_iterator();
       ++it) {
    const auto found = kTags.find(it->str());
    if (found != kTags.end()) tags.insert(found->second);
  }
  // In the examples T is int and U is str.
  if (text.find("the tags of T") != std::string::npos) tags.insert(TENON_TAG_INT);
  if (text.find("the tags of T and U") != std::string::npos) {
    tags.insert({TENON_TAG_INT, TENON_TAG_STRING});
  }
  return tags;
}

std::vector<Row> read_table() {
  std::ifstream file(TENON_SCHEMA_HEADER);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const size_t begin = text.find(" *   Tensor  ");
  const size_t end = text.find(" *\n * An OBJECT whose type overrides", begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::istringstream lines(text.substr(begin, end - begin));
  std::vector<Row> rows;
  std::vector<std::string> continued;
  constexpr size_t kTypes = 5;
  constexpr size_t kTagColumn = 34;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> types = split_types(
        std::regex_replace(line.substr(kTypes, kTagColumn - kTypes), std::regex(" +$"), ""));
    types.insert(types.begin(), continued.begin(), continued.end());
    continued.clear();
    if (line.size() <= kTagColumn) {
      continued = types;  // the tags follow on the next line
    } else {
      rows.push_back({types, tags_in(line.substr(kTagColumn))});
    }
  }
  return rows;
}

// One value of each tag; elements of lists fit the examples.
class Samples {
 public:
  Samples() {
    own_.struct_size = sizeof own_;
    own_.name = "test.Own";
    object_ = value::ObjectPtr::adopt(tenon_object::make(&own_, nullptr));
    EXPECT_EQ(tenon_generator_new(nullptr, 0, &generator_), TENON_OK);
    EXPECT_EQ(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 0, nullptr, nullptr, &tensor_), TENON_OK);
    texts_[0] = tenon_value_of_string("a", 1);
    pair_[0] = tenon_value_of_int(1);
    pair_[1] = tenon_value_of_string("b", 1);
    entry_[0] = tenon_value_of_string("k", 1);
    entry_[1] = tenon_value_of_int(2);
    tensors_[0] = tenon_tensor_undefined();
  }
  ~Samples() {
    tenon_generator_release(generator_);
    tenon_tensor_release(tensor_);
  }

  tenon_value of(uint16_t tag) {
    switch (tag) {
      case TENON_TAG_STRING:
        return texts_[0];
      case TENON_TAG_GENERATOR:
        return tenon_value_of_generator(generator_);
      case TENON_TAG_TENSOR:
        return tenon_value_of_tensor(tenon_tensor_undefined());
      case TENON_TAG_STORAGE:
        return tenon_value_of_storage(tenon_tensor_storage(tensor_));
      case TENON_TAG_FUNCTION:
        return tenon_value_of_function(object_.get());
      case TENON_TAG_OBJECT:
        return tenon_value_of_object(object_.get());
      case TENON_TAG_SYMINT:
      case TENON_TAG_SYMFLOAT:
      case TENON_TAG_SYMBOOL: {
        tenon_value value{};
        value.tag = tag;
        value.as.symbol = &symbol_;
        return value;
      }
      case TENON_TAG_INT_LIST:
        return tenon_value_of_ints(&int_, 1);
      case TENON_TAG_FLOAT_LIST:
        return tenon_value_of_floats(&float_, 1);
      case TENON_TAG_BOOL_LIST:
        return tenon_value_of_bools(&truth_, 1);
      case TENON_TAG_TENSOR_LIST:
        return tenon_value_of_tensors(tensors_, 1);
      case TENON_TAG_LIST:
        return tenon_value_of_elements(tag, texts_, 1);
      case TENON_TAG_TUPLE:
        return tenon_value_of_elements(tag, pair_, 2);
      case TENON_TAG_DICT:
        return tenon_value_of_elements(tag, entry_, 1);
      default:
        return tenon_value_of_number(tag, 0);
    }
  }

 private:
  tenon_symbol symbol_{nullptr, TENON_TAG_SYMINT};  // never dereferenced
  tenon_object_type own_{};
  value::ObjectPtr object_;
  tenon_generator* generator_ = nullptr;
  tenon_tensor* tensor_ = nullptr;
  const int64_t int_ = 1;
  const double float_ = 1.0;
  const uint8_t truth_ = 1;
  tenon_tensor* tensors_[1];
  tenon_value texts_[1], pair_[2], entry_[2];
};

const schema::Type& type_of(const std::string& text) {
  if (text == "a type variable") return *schema::variable_type("t");
  return *schema::parse_schema("f(" + text + " x) -> ()")->arguments()[0].type;
}

std::string names_of(const std::set<uint16_t>& tags) {
  std::string text;
  for (const auto& [name, tag] : kTags) {
    if (tags.count(tag) != 0) text += name + ' ';
  }
  return text;
}

TEST(ArgumentTable, Header_SaysWhatIsChecked) {
  const std::vector<Row> rows = read_table();
  ASSERT_GE(rows.size(), 28u);
  Samples samples;
  std::set<uint32_t> kinds;
  for (const Row& row : rows) {
    EXPECT_FALSE(row.tags.empty());
    for (const std::string& named : row.types) {
      const auto example = kExamples.find(named);
      const std::string text = example != kExamples.end() ? example->second : named;
      const schema::Type& type = type_of(text);
      kinds.insert(type.kind);
      std::set<uint16_t> taken;
      for (const auto& [name, tag] : kTags) {
        if (value_matches(samples.of(tag), type)) taken.insert(tag);
      }
      EXPECT_EQ(names_of(taken), names_of(row.tags)) << named;
    }
  }
  // Tests all kinds that values have.
  for (uint32_t kind = TENON_TYPE_TENSOR; kind <= TENON_TYPE_UNION; ++kind) {
    const bool exists = kind <= TENON_TYPE_FUNCTION || kind >= TENON_TYPE_OPTIONAL;
    EXPECT_EQ(kinds.count(kind) != 0, exists) << "TENON_TYPE " << kind;
  }
}

}  // namespace
}  // namespace tenon::dispatch
