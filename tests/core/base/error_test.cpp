// SPDX-License-Identifier: Apache-2.0
// Tests of the error object, the exception and the thread's slot, through the C functions.
#include "tenon/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/live_count.h"

namespace {

using tenon::base::live_count;

class ErrorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tenon_error_set(nullptr);
    before_ = live_count(TENON_HANDLE_ERROR);
  }
  void TearDown() override { EXPECT_EQ(live_count(TENON_HANDLE_ERROR), before_); }
  int64_t before_ = 0;
};

int deaths = 0;
void count_death(void*) { ++deaths; }

TEST_F(ErrorTest, New_CarriesCodeKindAndMessage) {
  tenon_error* error = tenon_error_new(TENON_ERROR_TYPE, nullptr, "op: x must be int");
  EXPECT_EQ(tenon_error_code(error), TENON_ERROR_TYPE);
  EXPECT_STREQ(tenon_error_kind(error), "TypeError");
  EXPECT_STREQ(tenon_error_message(error), "op: x must be int");
  EXPECT_EQ(live_count(TENON_HANDLE_ERROR), before_ + 1);
  tenon_error_release(error);

  error = tenon_error_new(TENON_ERROR_FOREIGN, "java.io.IOException", "disk");
  EXPECT_STREQ(tenon_error_kind(error), "java.io.IOException");
  tenon_error_release(error);
}

TEST_F(ErrorTest, NewWithOk_IsNeverOk) {
  tenon_error* error = tenon_error_new(TENON_OK, nullptr, nullptr);
  EXPECT_EQ(tenon_error_code(error), TENON_ERROR_INTERNAL);
  EXPECT_STREQ(tenon_error_message(error), "");
  tenon_error_release(error);
}

TEST_F(ErrorTest, Slot_SetTakePeek) {
  EXPECT_EQ(tenon_error_take(), nullptr);
  tenon_error* error = tenon_error_new(TENON_ERROR_INDEX, nullptr, "first");
  EXPECT_EQ(tenon_error_set(error), TENON_ERROR_INDEX);
  EXPECT_EQ(tenon_error_peek(), error);
  EXPECT_EQ(tenon_error_raise(TENON_ERROR_STATE, "second"), TENON_ERROR_STATE);  // releases `error`
  tenon_error* taken = tenon_error_take();
  EXPECT_STREQ(tenon_error_message(taken), "second");
  EXPECT_EQ(tenon_error_peek(), nullptr);
  EXPECT_EQ(tenon_error_set(nullptr), TENON_OK);
  tenon_error_release(taken);
}

TEST_F(ErrorTest, Slot_IsPerThreadAndFreedAtItsExit) {
  tenon_error_raise(TENON_ERROR_STATE, "here");
  deaths = 0;
  std::thread([] {
    EXPECT_EQ(tenon_error_peek(), nullptr);
    tenon_error* error = tenon_error_new(TENON_ERROR_TYPE, nullptr, "there");
    tenon_error_set_payload(error, TENON_LANGUAGE_PYTHON, &deaths, count_death);
    tenon_error_set(error);
  }).join();
  EXPECT_EQ(deaths, 1);
  EXPECT_STREQ(tenon_error_message(tenon_error_peek()), "here");
  tenon_error_set(nullptr);
}

TEST_F(ErrorTest, TakenError_HopsThreads) {
  tenon_error* error = nullptr;
  std::thread([&error] {
    tenon_error_raise(TENON_ERROR_BUSY, "hop");
    error = tenon_error_take();
  }).join();
  EXPECT_EQ(tenon_error_set(error), TENON_ERROR_BUSY);
  EXPECT_STREQ(tenon_error_message(tenon_error_peek()), "hop");
  tenon_error_set(nullptr);
}

TEST_F(ErrorTest, Payload_BelongsToItsLanguageAndIsDeletedOnce) {
  deaths = 0;
  int object = 0, other = 0;
  tenon_error* error = tenon_error_new(TENON_ERROR_FOREIGN, "E", "m");
  tenon_error_set_payload(error, TENON_LANGUAGE_JAVA, &object, count_death);
  EXPECT_EQ(tenon_error_payload(error, TENON_LANGUAGE_JAVA), &object);
  EXPECT_EQ(tenon_error_payload(error, TENON_LANGUAGE_PYTHON), nullptr);
  tenon_error_set_payload(error, TENON_LANGUAGE_PYTHON, &other, count_death);
  EXPECT_EQ(deaths, 1);
  tenon_error_retain(error);
  tenon_error_release(error);
  EXPECT_EQ(deaths, 1);
  tenon_error_release(error);
  EXPECT_EQ(deaths, 2);
}

TEST_F(ErrorTest, NotesFramesAndCause_AreKeptInOrderAndPrinted) {
  tenon_error* cause = tenon_error_new(TENON_ERROR_SYSTEM, nullptr, "disk full");
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, nullptr, "vision::blur failed");
  tenon_error_set_cause(error, cause);
  tenon_error_add_note(error, "while reading the picture");
  tenon_error_add_frame(error, TENON_LANGUAGE_CPP, "blur_cpu", "blur.cpp", 12);
  tenon_error_add_frame(error, TENON_LANGUAGE_PYTHON, "main", nullptr, 0);
  EXPECT_EQ(tenon_error_note_count(error), 1);
  EXPECT_STREQ(tenon_error_note(error, 0), "while reading the picture");
  EXPECT_EQ(tenon_error_note(error, 1), nullptr);
  EXPECT_EQ(tenon_error_note(error, -1), nullptr);
  EXPECT_EQ(tenon_error_cause(error), cause);
  tenon_error_frame frame;
  ASSERT_EQ(tenon_error_get_frame(error, 0, &frame), TENON_OK);
  EXPECT_EQ(frame.language, TENON_LANGUAGE_CPP);
  EXPECT_STREQ(frame.function, "blur_cpu");
  EXPECT_STREQ(frame.file, "blur.cpp");
  EXPECT_EQ(frame.line, 12);
  EXPECT_STREQ(tenon_error_format(error),
               "RuntimeError: vision::blur failed\n"
               "  note: while reading the picture\n"
               "  at blur_cpu (blur.cpp:12) [C++]\n"
               "  at main [Python]\n"
               "caused by OSError: disk full");
  tenon_error_release(error);
}

TEST_F(ErrorTest, ManyFrames_BothEndsArePrintedAndAllAreKept) {
  const auto lines = [](int count) {
    tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, nullptr, "deep");
    for (int i = 0; i < count; ++i) {
      tenon_error_add_frame(error, TENON_LANGUAGE_C, ("f" + std::to_string(i)).c_str(), "", 0);
    }
    EXPECT_EQ(tenon_error_frame_count(error), count);
    std::string text = tenon_error_format(error);
    tenon_error_release(error);
    return text;
  };
  EXPECT_EQ(lines(64).find("more frames"), std::string::npos);
  EXPECT_NE(lines(64).find("at f31 [C]\n  at f32 [C]"), std::string::npos);
  const std::string text = lines(4096);
  EXPECT_NE(text.find("at f31 [C]\n  ... 4032 more frames ...\n  at f4064 [C]"), std::string::npos);
  EXPECT_EQ(text.substr(text.rfind('\n')), "\n  at f4095 [C]");
}

TEST_F(ErrorTest, FrameOutOfRange_IsIndexError) {
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, nullptr, "m");
  tenon_error_frame frame;
  EXPECT_EQ(tenon_error_get_frame(error, 0, &frame), TENON_ERROR_INDEX);
  EXPECT_EQ(frame.function, nullptr);
  EXPECT_STREQ(tenon_error_message(tenon_error_peek()),
               "tenon_error_get_frame: index must be in [0, 0), got 0");
  tenon_error_set(nullptr);
  tenon_error_release(error);
}

TEST_F(ErrorTest, CauseThatLeadsBack_IsRefused) {
  tenon_error* a = tenon_error_new(TENON_ERROR_RUNTIME, nullptr, "a");
  tenon_error* b = tenon_error_new(TENON_ERROR_RUNTIME, nullptr, "b");
  tenon_error_set_cause(a, tenon_error_retain(b));
  tenon_error_set_cause(b, tenon_error_retain(a));
  EXPECT_EQ(tenon_error_cause(b), nullptr);
  tenon_error_release(a);
  tenon_error_release(b);
}

TEST_F(ErrorTest, NullHandles_AreAccepted) {
  EXPECT_EQ(tenon_error_retain(nullptr), nullptr);
  tenon_error_release(nullptr);
}

TEST_F(ErrorTest, OutOfMemoryError_IgnoresChangesAndNeverDies) {
  tenon_error* error = tenon_error::out_of_memory();
  tenon_error_add_note(error, "ignored");
  deaths = 0;
  tenon_error_set_payload(error, TENON_LANGUAGE_PYTHON, &deaths, count_death);
  EXPECT_EQ(deaths, 1);  // the error takes the payload and, having no room for it, deletes it
  EXPECT_EQ(tenon_error_payload(error, TENON_LANGUAGE_PYTHON), nullptr);
  EXPECT_EQ(tenon_error_note_count(error), 0);
  tenon_error_release(error);
  tenon_error_release(error);
  EXPECT_EQ(tenon_error_code(error), TENON_ERROR_OUT_OF_MEMORY);
  EXPECT_STREQ(tenon_error_format(error), "out of memory");
}

TEST_F(ErrorTest, MessageTooLargeForMemory_GivesTheOutOfMemoryError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end the program on a request of this size";
#endif
  // The text is not read: its size alone exceeds any allocation.
  const std::string_view huge("x", size_t{1} << 62);
  EXPECT_EQ(tenon_error::make(TENON_ERROR_TYPE, {}, huge), tenon_error::out_of_memory());
}

TEST_F(ErrorTest, StatusNames_CoverEveryNumber) {
  for (tenon_status status = 0; status <= TENON_ERROR_INTERNAL; ++status) {
    EXPECT_STRNE(tenon_status_name(status), "TENON_ERROR_UNKNOWN") << status;
  }
  EXPECT_STREQ(tenon_status_name(TENON_ERROR_FOREIGN), "TENON_ERROR_FOREIGN");
  EXPECT_STREQ(tenon_status_kind(TENON_ERROR_DATA_DEPENDENT), "DataDependentError");
  EXPECT_STREQ(tenon_status_kind(TENON_ERROR_INTERNAL), "InternalError");
  EXPECT_STREQ(tenon_status_name(TENON_DECLINED), "TENON_DECLINED");
  EXPECT_STREQ(tenon_status_name(-5), "TENON_ERROR_UNKNOWN");
  EXPECT_STREQ(tenon_status_name(500), "TENON_ERROR_UNKNOWN");
}

}  // namespace
