// SPDX-License-Identifier: Apache-2.0
#include "value/object.h"

#include "value_testing.h"

namespace tenon::value {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

struct Counts {
  int retained = 0;
  int released = 0;
};

tenon_object_type make_type(const char* name, const tenon_object_type* base = nullptr) {
  tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = name;
  type.base = base;
  type.retain = [](void* self) { ++static_cast<Counts*>(self)->retained; };
  type.release = [](void* self) { ++static_cast<Counts*>(self)->released; };
  return type;
}

TEST(Object, RetainsItsSelfOnceAndReleasesItOnce) {
  const LeakCheck nothing_left;
  const tenon_object_type type = make_type("tests.Thing");
  Counts counts;
  auto object = ObjectPtr::adopt(Object::make(&type, &counts));
  EXPECT_EQ(counts.retained, 1);
  OwnedValue value(copy(object_value(object.get())));
  EXPECT_EQ(print(value.get()), "<tests.Thing object>");
  object.reset();
  EXPECT_EQ(counts.released, 0);
  value = OwnedValue();
  EXPECT_EQ(counts.retained, 1);
  EXPECT_EQ(counts.released, 1);
}

TEST(Object, HooksMayBeMissing) {
  const LeakCheck nothing_left;
  tenon_object_type type = make_type("tests.Plain");
  type.retain = nullptr;
  type.release = nullptr;
  const auto object = ObjectPtr::adopt(Object::make(&type, nullptr));
  EXPECT_EQ(object->self(), nullptr);
  EXPECT_EQ(object->type(), &type);
}

TEST(Object, BadType_IsRefusedUntouched) {
  Counts counts;
  tenon_object_type type = make_type("tests.Bad");
  type.struct_size = 8;
  EXPECT_NE(error_of(TENON_ERROR_ABI, [&] { Object::make(&type, &counts); }).find("struct_size"),
            std::string::npos);
  type = make_type("tests.Bad");
  type.reserved[0] = 1;
  error_of(TENON_ERROR_ABI, [&] { Object::make(&type, &counts); });
  type = make_type(nullptr);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { Object::make(&type, &counts); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { Object::make(nullptr, &counts); });
  EXPECT_EQ(counts.retained, 0);
  EXPECT_EQ(counts.released, 0);
}

TEST(Object, IsAFollowsBases) {
  const tenon_object_type base = make_type("shapes.Shape");
  const tenon_object_type derived = make_type("shapes.Circle", &base);
  EXPECT_TRUE(is_a(&derived, "shapes.Circle"));
  EXPECT_TRUE(is_a(&derived, "shapes.Shape"));
  EXPECT_TRUE(is_a(&derived, "__torch__.torch.classes.shapes.Shape"));
  EXPECT_FALSE(is_a(&base, "shapes.Circle"));
  EXPECT_FALSE(is_a(&derived, "Shape"));
}

}  // namespace
}  // namespace tenon::value
