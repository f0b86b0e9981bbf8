// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of tests/conformance for suites in C++: whole files, fields in their order.
#pragma once

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

struct JsonField;

struct Json {
  enum Kind { kNull, kTrue, kFalse, kNumber, kText, kList, kObject };
  Kind kind = kNull;
  std::string text;  // a number's digits, or a string without escapes
  std::vector<Json> items;
  std::vector<JsonField> fields;

  bool is_null() const { return kind == kNull; }
  bool truth() const { return kind == kTrue; }
  long long integer() const { return std::strtoll(text.c_str(), nullptr, 10); }
  double number() const { return std::strtod(text.c_str(), nullptr); }
  const Json* find(const std::string& name) const;
  const Json& operator[](const std::string& name) const {
    const Json* found = find(name);
    if (found == nullptr) throw std::runtime_error("no field " + name);
    return *found;
  }
};

struct JsonField {
  std::string name;
  Json value;
};

inline const Json* Json::find(const std::string& name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

class JsonReader {
 public:
  explicit JsonReader(std::string text) : text_(std::move(text)) {}

  Json read() {
    Json value = read_value();
    skip_space();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error("JSON: expected " + expected + " at byte " + std::to_string(at_));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char letter) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }
  bool take_word(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void need(char letter) {
    if (!take(letter)) fail(std::string(1, letter));
  }

  Json read_value() {
    skip_space();
    Json value;
    if (take_word("null")) return value;
    if (take_word("true")) return value.kind = Json::kTrue, value;
    if (take_word("false")) return value.kind = Json::kFalse, value;
    if (take('"')) return value.kind = Json::kText, value.text = read_text(), value;
    if (take('[')) {
      value.kind = Json::kList;
      while (!take(']')) {
        if (!value.items.empty()) need(',');
        value.items.push_back(read_value());
      }
      return value;
    }
    if (take('{')) {
      value.kind = Json::kObject;
      while (!take('}')) {
        if (!value.fields.empty()) need(',');
        need('"');
        std::string name = read_text();
        need(':');
        value.fields.push_back({std::move(name), read_value()});
      }
      return value;
    }
    value.kind = Json::kNumber;
    const size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    value.text = text_.substr(at_, end - at_);
    if (value.text.empty()) fail("a value");
    at_ += value.text.size();
    return value;
  }

  std::string read_text() {
    std::string text;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') ++at_;  // only \" and \\ occur
      text += text_[at_++];
    }
    need('"');
    return text;
  }

  std::string text_;
  size_t at_ = 0;
};

inline Json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::stringstream text;
  text << file.rdbuf();
  return JsonReader(text.str()).read();
}

}  // namespace conformance
