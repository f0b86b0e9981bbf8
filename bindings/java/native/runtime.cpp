// SPDX-License-Identifier: Apache-2.0
// Threads of the virtual machine, and the queue of references that C has dropped.
#include "runtime.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace tenon::java {

JavaVM* g_vm = nullptr;
jclass g_natives = nullptr;
std::atomic<bool> g_closed{false};
std::atomic<int64_t> g_dropped{0};
std::atomic<int64_t> g_definitions{1};

namespace {

std::atomic<Ref*> g_queue{nullptr};
std::atomic<int> g_thread_number{0};
pthread_key_t g_detach_key;
pthread_once_t g_detach_once = PTHREAD_ONCE_INIT;
bool g_detach_ready = false;

// Runs when a thread that we attached ends. It uses a pthread key and not a thread_local:
// thread-exit functions of other libraries may still call a kernel, and the key's destructor then
// runs again.
void detach(void*) {
  if (!g_closed.load(std::memory_order_acquire)) g_vm->DetachCurrentThread();
}

void make_detach_key() { g_detach_ready = pthread_key_create(&g_detach_key, detach) == 0; }

JNIEnv* attach() {
  pthread_once(&g_detach_once, make_detach_key);
  if (!g_detach_ready) return nullptr;
  char name[32];
  std::snprintf(name, sizeof(name), "tenon-native-%d", ++g_thread_number);
  JavaVMAttachArgs args{JNI_VERSION_10, name, nullptr};
  void* env = nullptr;
  if (g_vm->AttachCurrentThreadAsDaemon(&env, &args) != JNI_OK) return nullptr;
  pthread_setspecific(g_detach_key, env);
  return static_cast<JNIEnv*>(env);
}

}  // namespace

JNIEnv* environment() {
  if (g_closed.load(std::memory_order_acquire)) return nullptr;
  // Queried on each call, because a host may detach and attach its threads itself.
  void* env = nullptr;
  const jint status = g_vm->GetEnv(&env, JNI_VERSION_10);
  if (status == JNI_OK) return static_cast<JNIEnv*>(env);
  return status == JNI_EDETACHED ? attach() : nullptr;
}

Ref* new_ref(int32_t id) {
  void* memory = std::malloc(sizeof(Ref));
  return memory == nullptr ? nullptr : new (memory) Ref{nullptr, id, 0};
}

void drop_ref(void* ref) {
  Ref* node = static_cast<Ref*>(ref);
  if (node == nullptr) return;
  Ref* head = g_queue.load(std::memory_order_relaxed);
  do {
    node->next = head;
  } while (!g_queue.compare_exchange_weak(head, node, std::memory_order_release,
                                          std::memory_order_relaxed));
  g_dropped.fetch_add(1, std::memory_order_release);
}

int32_t take_dropped(int32_t* out_ids, int32_t capacity) {
  Ref* node = g_queue.exchange(nullptr, std::memory_order_acquire);
  int32_t count = 0;
  while (node != nullptr && count < capacity) {
    Ref* next = node->next;
    out_ids[count++] = node->id;
    std::free(node);
    node = next;
  }
  g_dropped.fetch_sub(count, std::memory_order_relaxed);
  while (node != nullptr) {  // more than requested: put them back into the queue
    Ref* next = node->next;
    g_dropped.fetch_sub(1, std::memory_order_relaxed);
    drop_ref(node);
    node = next;
  }
  return count;
}

}  // namespace tenon::java
