// SPDX-License-Identifier: Apache-2.0
// Thread slots: one word per layer on each thread, which thread states capture.
#include <thread>

#include "base/error.h"
#include "support.h"

namespace tenon::test {
namespace {

// A numbered slot value with a count of live copies; copies get new numbers.
struct Word {
  int number;
  int copies = 0;
};
std::atomic<int> live{0};
std::vector<int> dropped;
bool copy_fails = false;

Word* new_word(int number) {
  ++live;
  return new Word{number};
}
tenon_status copy_word(void* word, void** out_word) {
  if (copy_fails) return tenon_error_raise(TENON_ERROR_BUSY, "not now");
  auto* from = static_cast<Word*>(word);
  Word* copy = new_word(from->number);
  copy->copies = from->copies + 1;
  *out_word = copy;
  return TENON_OK;
}
void drop_word(void* word) {
  dropped.push_back(static_cast<Word*>(word)->number);
  --live;
  delete static_cast<Word*>(word);
}

tenon_thread_slot slot_of(tenon_status (*copy)(void*, void**), void (*drop)(void*)) {
  tenon_thread_slot slot{};
  slot.struct_size = sizeof slot;
  slot.copy = copy;
  slot.drop = drop;
  return slot;
}

uint32_t declare(const char* name, const tenon_thread_slot& slot) {
  uint32_t index = 99;
  EXPECT_EQ(tenon_thread_slot_register(name, &slot, &index), TENON_OK) << take_error();
  return index;
}

class ThreadSlots : public DispatchTest {
 protected:
  void SetUp() override {
    carried_ = declare("test carried", slot_of(&copy_word, &drop_word));
    dropped.clear();
  }
  void TearDown() override {
    set(nullptr);
    copy_fails = false;
    EXPECT_EQ(live, 0);
    DispatchTest::TearDown();
  }
  Word* get() const { return static_cast<Word*>(*tenon_thread_slot_peek(carried_)); }
  void set(Word* word) const {
    void** place = tenon_thread_slot_peek(carried_);
    if (*place != nullptr) drop_word(*place);
    *place = word;
  }
  uint32_t carried_ = 0;
};

TEST_F(ThreadSlots, EachThreadHasItsOwnWord_DroppedWhenItExits) {
  set(new_word(1));
  std::thread([&] {
    EXPECT_EQ(get(), nullptr);
    set(new_word(2));
    EXPECT_EQ(tenon_thread_slot_peek(carried_), tenon_thread_slot_peek(carried_));
  }).join();
  EXPECT_EQ(dropped, std::vector<int>{2});
  EXPECT_EQ(get()->number, 1);
}

TEST_F(ThreadSlots, State_CarriesACopyToAnotherThread) {
  set(new_word(1));
  tenon_thread_state* state = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  set(new_word(2));
  std::thread([&] {
    set(new_word(3));
    void** place = tenon_thread_slot_peek(carried_);
    tenon_thread_state* previous = nullptr;
    TENON_ASSERT_OK(tenon_thread_state_enter(state, &previous));
    EXPECT_EQ(tenon_thread_slot_peek(carried_), place) << "the address must stay";
    EXPECT_EQ(get()->number, 1);
    EXPECT_EQ(get()->copies, 2);  // one when captured, one when entered
    get()->number = 4;
    dropped.clear();
    TENON_EXPECT_OK(tenon_thread_state_leave(previous));
    EXPECT_EQ(dropped, std::vector<int>{4});
    EXPECT_EQ(get()->number, 3);
  }).join();
  dropped.clear();
  tenon_thread_state_release(state);
  EXPECT_EQ(dropped, std::vector<int>{1});
  EXPECT_EQ(get()->number, 2);
}

TEST_F(ThreadSlots, StateWithoutWord_EmptiesTheSlotUntilItIsLeft) {
  tenon_thread_state* state = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  set(new_word(1));
  tenon_thread_state* previous = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_enter(state, &previous));
  EXPECT_EQ(get(), nullptr);
  set(new_word(2));
  TENON_EXPECT_OK(tenon_thread_state_leave(previous));
  EXPECT_EQ(dropped, std::vector<int>{2});
  EXPECT_EQ(get()->number, 1);
  tenon_thread_state_release(state);
}

TEST_F(ThreadSlots, StateThatIsNeverLeft_GivesBackEverything) {
  set(new_word(1));
  tenon_thread_state* state = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  std::thread([&] {
    set(new_word(2));
    tenon_thread_state* previous = nullptr;
    TENON_ASSERT_OK(tenon_thread_state_enter(state, &previous));
    tenon_thread_state_release(previous);
  }).join();
  tenon_thread_state_release(state);
  EXPECT_EQ(live, 1);
}

TEST_F(ThreadSlots, CopyThatFails_IsTheErrorOfCaptureAndOfEnter) {
  set(new_word(1));
  tenon_thread_state* state = nullptr;
  copy_fails = true;
  TENON_EXPECT_ERROR(tenon_thread_state_capture(&state), TENON_ERROR_BUSY, "not now");
  EXPECT_EQ(state, nullptr);
  copy_fails = false;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  set(new_word(2));
  copy_fails = true;
  tenon_thread_state* previous = nullptr;
  TENON_EXPECT_ERROR(tenon_thread_state_enter(state, &previous), TENON_ERROR_BUSY, "not now");
  EXPECT_EQ(previous, nullptr);
  EXPECT_EQ(get()->number, 2);
  tenon_thread_state_release(state);
}

TEST_F(ThreadSlots, SlotWithoutCopy_StaysWithItsThread) {
  static int word = 0;
  const uint32_t index = declare("test stays", slot_of(nullptr, nullptr));
  tenon_thread_state* state = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  *tenon_thread_slot_peek(index) = &word;
  tenon_thread_state* previous = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_enter(state, &previous));
  EXPECT_EQ(*tenon_thread_slot_peek(index), &word);
  TENON_EXPECT_OK(tenon_thread_state_leave(previous));
  EXPECT_EQ(*tenon_thread_slot_peek(index), &word);
  *tenon_thread_slot_peek(index) = nullptr;
  tenon_thread_state_release(state);
}

TEST_F(ThreadSlots, Registering_SameAgainOthersRefusedAndNoMoreThan32) {
  EXPECT_EQ(declare("test carried", slot_of(&copy_word, &drop_word)), carried_);
  uint32_t index = 99;
  tenon_thread_slot other = slot_of(&copy_word, nullptr);
  TENON_EXPECT_ERROR(tenon_thread_slot_register("test carried", &other, &index),
                     TENON_ERROR_ALREADY_EXISTS, "test carried");
  EXPECT_EQ(index, 0u);
  TENON_EXPECT_ERROR(tenon_thread_slot_register("", &other, &index), TENON_ERROR_INVALID_ARGUMENT,
                     "name");
  TENON_EXPECT_ERROR(tenon_thread_slot_register(nullptr, &other, &index),
                     TENON_ERROR_INVALID_ARGUMENT, "name");
  TENON_EXPECT_ERROR(tenon_thread_slot_register("x", nullptr, &index), TENON_ERROR_INVALID_ARGUMENT,
                     "slot");
  other.reserved[2] = 1;
  TENON_EXPECT_ERROR(tenon_thread_slot_register("x", &other, &index), TENON_ERROR_INVALID_ARGUMENT,
                     "reserved");
  other = slot_of(nullptr, nullptr);
  other.struct_size = 8;
  TENON_EXPECT_ERROR(tenon_thread_slot_register("x", &other, &index), TENON_ERROR_ABI,
                     "struct_size");
  EXPECT_EQ(tenon_thread_slot_peek(31), nullptr) << "not declared so far";
  EXPECT_EQ(tenon_thread_slot_peek(32), nullptr);
  const tenon_thread_slot filling = slot_of(nullptr, nullptr);
  tenon_status status = TENON_OK;
  for (int i = 0; status == TENON_OK && i < 40; ++i) {
    status = tenon_thread_slot_register(("test " + std::to_string(i)).c_str(), &filling, &index);
  }
  TENON_EXPECT_ERROR(status, TENON_ERROR_STATE, "at most 32");
  EXPECT_NE(tenon_thread_slot_peek(31), nullptr);
}

}  // namespace
}  // namespace tenon::test
