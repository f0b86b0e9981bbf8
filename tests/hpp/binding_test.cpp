// SPDX-License-Identifier: Apache-2.0
// The bindings and signatures of tests/conformance: as C binds them, and as calls in C++ arrive.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <conformance/json.h>
#include <tenon/tenon.hpp>

namespace {

using conformance::Json;
using tenon::Error;
using tenon::Library;
using tenon::Op;
using tenon::Schema;
using tenon::Tensor;
using tenon::Value;

Json read_table(const char* file) {
  return conformance::read_json(std::string(TENON_CONFORMANCE) + "/" + file);
}

// The values that one case is written with; tensors of one name are one tensor.
class Values {
 public:
  tenon_value read(const Json& json) {
    if (json.is_null()) return tenon_value_of_none();
    const auto& [kind, content] = json.fields.at(0);
    if (kind == "bool") return tenon_value_of_bool(content.truth() ? 1 : 0);
    if (kind == "int") return tenon_value_of_int(content.integer());
    if (kind == "float") return tenon_value_of_float(content.number());
    if (kind == "complex") {
      return tenon_value_of_complex(content.items[0].number(), content.items[1].number());
    }
    if (kind == "str") return text(content);
    if (kind == "dtype") return dtype(content);
    if (kind == "device") return device(content);
    if (kind == "tensor") return tenon_value_of_tensor(tensor(content));
    if (kind == "ints") {
      return list<int64_t>(TENON_TAG_INT_LIST, content, [](const Json& j) { return j.integer(); });
    }
    if (kind == "floats") {
      return list<double>(TENON_TAG_FLOAT_LIST, content, [](const Json& j) { return j.number(); });
    }
    if (kind == "bools") {
      return list<uint8_t>(TENON_TAG_BOOL_LIST, content,
                           [](const Json& j) { return static_cast<uint8_t>(j.truth()); });
    }
    if (kind == "tensors") {
      return list<tenon_tensor*>(TENON_TAG_TENSOR_LIST, content,
                                 [this](const Json& j) { return tensor(j); });
    }
    if (kind == "list") {
      return list<tenon_value>(TENON_TAG_LIST, content, [this](const Json& j) { return read(j); });
    }
    throw std::runtime_error("unknown kind of value: " + kind);
  }
  std::vector<tenon_value> read_all(const Json& list) {
    std::vector<tenon_value> values;
    for (const Json& item : list.items) values.push_back(read(item));
    return values;
  }

 private:
  tenon_tensor* tensor(const Json& name) {
    if (name.is_null()) return nullptr;
    auto found = tensors_.find(name.text);
    if (found == tensors_.end()) {
      found = tensors_.emplace(name.text, Tensor::from({1.0f}, {1})).first;
    }
    return found->second.get();
  }
  tenon_value text(const Json& json) {
    const std::string& kept = texts_.emplace_back(json.text);
    return tenon_value_of_string(kept.data(), static_cast<uint32_t>(kept.size()));
  }
  static tenon_value dtype(const Json& json) {
    tenon_dtype dtype{};
    tenon::check(tenon_dtype_parse(json.text.c_str(), &dtype));
    return tenon_value_of_dtype(dtype);
  }
  static tenon_value device(const Json& json) {
    tenon_device device{};
    tenon::check(tenon_device_parse(json.text.c_str(), &device));
    return tenon_value_of_device(device);
  }
  template <class T, class Read>
  tenon_value list(uint16_t tag, const Json& json, const Read& read) {
    std::vector<T> elements;
    for (const Json& item : json.items) elements.push_back(read(item));
    const Value& kept = lists_.emplace_back(tag, elements.data(), elements.size());
    tenon_value borrowed = kept.get();
    borrowed.flags = 0;
    return borrowed;
  }

  std::map<std::string, Tensor> tensors_;
  std::deque<std::string> texts_;
  std::deque<Value> lists_;
};

// Tag, then content; of tensors the handle: two are the same or not.
std::string describe(const tenon_value& value) {
  std::string text = std::string(tenon_tag_name(value.tag)) + ' ';
  const auto handle = [](const void* pointer) {
    return std::to_string(reinterpret_cast<uintptr_t>(pointer));
  };
  if (value.tag == TENON_TAG_TENSOR) return text + handle(value.as.tensor);
  if (value.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      text += handle(static_cast<tenon_tensor* const*>(value.as.list.data)[i]) + ' ';
    }
    return text;
  }
  if (value.tag == TENON_TAG_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      text += describe(static_cast<const tenon_value*>(value.as.list.data)[i]) + ' ';
    }
    return text;
  }
  tenon_value borrowed = value;
  borrowed.flags = 0;
  return text + Value(borrowed).str();
}

std::string describe_all(const tenon_value* values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += describe(values[i]) + "; ";
  return text;
}

struct PassedArguments {
  std::vector<tenon_value> positional;
  std::vector<const char*> names;
  std::vector<tenon_value> named;
};

PassedArguments read_given(const Json& row, Values* values) {
  PassedArguments given;
  given.positional = values->read_all(row["positional"]);
  if (const Json* named = row.find("named")) {
    for (const auto& [name, value] : named->fields) {
      given.names.push_back(name.c_str());
      given.named.push_back(values->read(value));
    }
  }
  return given;
}

template <class Test>
void for_each_binding(const Test& test) {
  const Json table = read_table("bindings.json");
  size_t good = 0;
  size_t bad = 0;
  for (const Json& row : table["bindings"].items) {
    SCOPED_TRACE(row["name"].text);
    Values values;
    (row.find("bound") != nullptr ? good : bad) += 1;
    test(row, read_given(row, &values), &values);
  }
  EXPECT_GE(good, 30u);
  EXPECT_GE(bad, 30u);
}

TEST(Binding, TableInC_GivesValuesAndMessages) {
  for_each_binding([](const Json& row, const PassedArguments& given, Values* values) {
    const Schema schema = Schema::parse(row["schema"].text);
    std::vector<tenon_value> bound(
        std::max(static_cast<size_t>(schema.argument_count()), given.positional.size()));
    const tenon_status status = tenon_schema_bind(
        schema.get(), given.positional.data(), static_cast<int64_t>(given.positional.size()),
        given.names.data(), given.named.data(), static_cast<int64_t>(given.named.size()),
        bound.data());
    if (const Json* expected = row.find("bound")) {
      ASSERT_EQ(status, TENON_OK) << tenon_error_message(tenon_error_peek());
      const std::vector<tenon_value> wanted = values->read_all(*expected);
      EXPECT_EQ(describe_all(bound.data(), bound.size()),
                describe_all(wanted.data(), wanted.size()));
    } else {
      EXPECT_EQ(status, TENON_ERROR_TYPE);
      tenon_error* error = tenon_error_take();
      ASSERT_NE(error, nullptr);
      EXPECT_EQ(tenon_error_message(error), row["error"].text);
      tenon_error_release(error);
      for (const tenon_value& value : bound) EXPECT_EQ(value.tag, TENON_TAG_NONE);
    }
    tenon_value_clear_n(bound.data(), static_cast<int64_t>(bound.size()));
  });
}

// Arguments of the last call of the kernel that all operators of the table share.
std::string arrived;

tenon_status note_arguments(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  arrived = describe_all(stack->args, stack->nargs);
  return TENON_OK;
}

Value copied(const tenon_value& value) {
  tenon_value copy{};
  tenon::check(tenon_value_copy(&value, &copy));
  return Value(copy);
}

TEST(Binding, TableInCpp_ArrivesAndThrows) {
  Library library(Library::Def, "bind");
  for_each_binding([&](const Json& row, const PassedArguments& given, Values* values) {
    const std::string text = row["schema"].text;
    library.def(text.substr(text.find("::") + 2));
    const std::string name = text.substr(0, text.find('('));
    library.impl_boxed(name, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, note_arguments);
    std::vector<Value> positional;
    for (const tenon_value& value : given.positional) positional.push_back(copied(value));
    std::vector<tenon::Keyword> named;
    for (size_t i = 0; i < given.named.size(); ++i) {
      named.push_back(tenon::kw(given.names[i], copied(given.named[i])));
    }
    arrived.clear();
    try {
      Op(name).call(std::move(positional), std::move(named));
      const Json* expected = row.find("bound");
      ASSERT_NE(expected, nullptr) << "nothing was thrown";
      const std::vector<tenon_value> wanted = values->read_all(*expected);
      EXPECT_EQ(arrived, describe_all(wanted.data(), wanted.size()));
    } catch (const Error& error) {
      ASSERT_NE(row.find("error"), nullptr) << error.format();
      EXPECT_EQ(error.code(), TENON_ERROR_TYPE);
      EXPECT_EQ(error.what(), row["error"].text);
    }
  });
}

TEST(Signature, Table_GivesLettersAndHash) {
  const Json table = read_table("signatures.json");
  ASSERT_GE(table["signatures"].items.size(), 40u);
  for (const Json& row : table["signatures"].items) {
    const Schema schema = Schema::parse(row["schema"].text);
    EXPECT_EQ(schema.signature(), row["letters"].text) << schema.text();
    EXPECT_EQ(tenon_schema_signature_hash(schema.get()), std::stoull(row["hash"].text, nullptr, 16))
        << schema.text();
  }
}

}  // namespace
