// SPDX-License-Identifier: Apache-2.0
// The order in which registry listeners receive events from several threads.
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "support.h"

namespace tenon::test {
namespace {

using Listeners = DispatchTest;

// A listener that blocks in its first event until it is released.
struct Stopping {
  std::mutex mutex;
  std::vector<std::string> heard;
  std::atomic<bool> stopped{false}, go_on{false};
  static void tell(void* ctx, uint32_t event, const tenon_op* op) {
    auto* self = static_cast<Stopping*>(ctx);
    if (std::string_view(tenon_op_name(op)).substr(0, 7) != "order::") return;
    {
      const std::lock_guard lock(self->mutex);
      self->heard.push_back(std::string(event == TENON_EVENT_OP_DEFINED ? "+" : "-") +
                            (tenon_op_name(op) + 7));
    }
    self->stopped = true;
    while (!self->go_on) std::this_thread::yield();
  }
  void wait() const {
    while (!stopped) std::this_thread::yield();
  }
};

TEST_F(Listeners, OperatorThatGoesWhileAListenerIsAdded_IsToldInThatOrder) {
  TestLibrary first(TENON_LIBRARY_FRAGMENT, "order"), second(TENON_LIBRARY_FRAGMENT, "order");
  first.define("a() -> ()");
  second.define("b() -> ()");
  Stopping listener;
  tenon_registration* registration = nullptr;
  std::thread adding([&] {
    TENON_EXPECT_OK(
        tenon_registry_add_listener(&Stopping::tell, &listener, nullptr, &registration));
  });
  listener.wait();
  std::thread closing([&] { second.close(); });
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    listener.go_on = true;
  });
  closing.join();
  adding.join();
  helper.join();
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  EXPECT_EQ(listener.heard, (std::vector<std::string>{"+a", "+b", "-b"}));
}

TEST_F(Listeners, OperatorThatGoesWhileItIsTold_IsToldInThatOrder) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "order");
  Stopping listener;
  tenon_registration* registration = nullptr;
  TENON_ASSERT_OK(tenon_registry_add_listener(&Stopping::tell, &listener, nullptr, &registration));
  std::thread defining([&] { library.define("c() -> ()"); });
  listener.wait();
  library.close();  // leaves its event to the other thread
  listener.go_on = true;
  defining.join();
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  EXPECT_EQ(listener.heard, (std::vector<std::string>{"+c", "-c"}));
}

TEST_F(Listeners, ListenerThatRemovesWhatItIsToldOf_HearsOfIt) {
  struct Context {
    TestLibrary library{TENON_LIBRARY_FRAGMENT, "order"};
    std::vector<uint32_t> events;
  } context;
  tenon_registration* registration = nullptr;
  const auto tell = [](void* ctx, uint32_t event, const tenon_op* op) {
    auto* self = static_cast<Context*>(ctx);
    if (std::string_view(tenon_op_name(op)) != "order::d") return;
    self->events.push_back(event);
    if (event == TENON_EVENT_OP_DEFINED) self->library.close();
  };
  TENON_ASSERT_OK(tenon_registry_add_listener(tell, &context, nullptr, &registration));
  context.library.define("d() -> ()");
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  EXPECT_EQ(context.events,
            (std::vector<uint32_t>{TENON_EVENT_OP_DEFINED, TENON_EVENT_OP_REMOVED}));
}

// Listens from construction to stop().
struct EventLog {
  std::string heard;  // "+name " or "-name " for each namespace event, in order
  tenon_registration* registration = nullptr;
  EventLog() {
    const auto tell = [](void* ctx, uint32_t event, const tenon_op* op) {
      const std::string name = tenon_op_name(op);
      if (name.substr(0, 7) != "order::") return;
      static_cast<EventLog*>(ctx)->heard +=
          (event == TENON_EVENT_OP_DEFINED ? "+" : "-") + name.substr(7) + " ";
    };
    TENON_EXPECT_OK(tenon_registry_add_listener(tell, this, nullptr, &registration));
  }
  void stop() {
    tenon_registration_remove(registration);
    tenon_registration_release(std::exchange(registration, nullptr));
  }
};

TEST_F(Listeners, OperatorsFromBeforeAndAfterAListenerCame_AreToldWhenTheyGo) {
  TestLibrary first(TENON_LIBRARY_FRAGMENT, "order"), second(TENON_LIBRARY_FRAGMENT, "order");
  first.define("a() -> ()");
  first.define("b() -> ()");
  EventLog hearing;
  second.define("c() -> ()");
  first.close();
  second.define("a() -> ()");
  second.close();
  hearing.stop();
  EXPECT_EQ(hearing.heard, "+a +b +c -b -a +a -a -c ");
}

TEST_F(Listeners, OperatorsThatCameAndWentUnheard_AreNotTold) {
  TestLibrary first(TENON_LIBRARY_FRAGMENT, "order"), second(TENON_LIBRARY_FRAGMENT, "order");
  EventLog before;
  first.define("a() -> ()");
  before.stop();
  first.close();
  second.define("b() -> ()");
  second.define("c() -> ()");
  EventLog after;
  second.close();
  after.stop();
  EXPECT_EQ(before.heard, "+a ");
  EXPECT_EQ(after.heard, "+b +c -c -b ");
}

}  // namespace
}  // namespace tenon::test
