// SPDX-License-Identifier: Apache-2.0
// Helpers of the native behaviour tests: a check of thrown errors, and frames of boxed calls.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>

namespace tenon_behaviour {

/// Fails unless `body` throws an error with this code and a message that contains all the texts.
template <class Body, class... Texts>
void expect_error(tenon_status code, Body&& body, Texts... texts) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tenon::Error& error) {
    EXPECT_EQ(error.code(), code) << error.format();
    for (const std::string& text : std::vector<std::string>{texts...}) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(tenon_error_peek(), nullptr);
}

inline tenon::Tensor one() { return tenon::Tensor::from({1.0f}, {1}); }

/// Makes a borrowed value, as a C caller does.
inline tenon_value borrowed(const tenon::Tensor& tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor.get();
  return value;
}
inline tenon_value integer(int64_t number) {
  tenon_value value{};
  value.tag = TENON_TAG_INT;
  value.as.i = number;
  return value;
}

/// The frame of one boxed call, which clears its results.
class Frame {
 public:
  Frame(std::vector<tenon_value> args, uint32_t nrets) : args_(std::move(args)), rets_(nrets) {
    stack_.args = args_.data();
    stack_.nargs = static_cast<uint32_t>(args_.size());
    stack_.rets = rets_.data();
    stack_.nrets = nrets;
  }
  ~Frame() { tenon_value_clear_n(rets_.data(), static_cast<int64_t>(rets_.size())); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  tenon_stack* stack() { return &stack_; }
  const tenon_value& ret(size_t index = 0) const { return rets_[index]; }
  const tenon_value& arg(size_t index) const { return args_[index]; }

 private:
  std::vector<tenon_value> args_;
  std::vector<tenon_value> rets_;
  tenon_stack stack_{};
};

}  // namespace tenon_behaviour
