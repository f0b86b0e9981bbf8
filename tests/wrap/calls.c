/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the C wrappers of the namespace `wrapped`; returns the number of wrong results. */
#include <stdio.h>

#include "aten.h"
#include "wrapped.h"

static int failures;

static void is_text(const char* what, tenon_status status, tenon_value got, const char* expected) {
  const char* text = got.tag == TENON_TAG_STRING ? got.as.list.data : "no text";
  if (status != TENON_OK || strcmp(text, expected) != 0) {
    fprintf(stderr, "%s: status %d, must be\n  %s, got\n  %s\n", what, status, expected, text);
    ++failures;
  }
  tenon_value_clear(&got);
}

static void is_true(const char* what, int truth) {
  if (!truth) {
    fprintf(stderr, "%s: must hold\n", what);
    ++failures;
  }
}

static float first(tenon_tensor* tensor) {
  void* data = NULL;
  return tenon_tensor_data(tensor, &data) == TENON_OK ? *(const float*)data : -1;
}

static void call_all_types(tenon_tensor* x, tenon_generator* generator) {
  const tenon_complex one_two = {1, 2};
  tenon_tensor* const some[] = {x, NULL};
  const int64_t ints[] = {1, 2, 3};
  const double floats[] = {0.5, 1.5};
  const uint8_t bools[] = {1, 0};
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  const int32_t yes = 1;
  const double half = 0.5;
  tenon_value got = tenon_value_of_none();
  const tenon_value none = tenon_value_of_none();
  tenon_status status;
  status = wrapped_plain(x, tenon_value_of_float(2.5), 3, 4, 0.25, 1, "text", one_two, &got);
  is_text("plain", status, got, "a=Tensor[1,2] b=2.5 c=3 d=4 e=0.25 f=True g=text h=(1,2)");
  status = wrapped_lists(some, 1, some, 2, ints, 3, ints, 1, floats, 2, bools, 2, ints, 2, &got);
  is_text("lists", status, got,
          "a=[Tensor[1,2]] b=[Tensor[1,2],None] c=[1,2,3] d=[1] e=[0.5,1.5] f=[True,False] "
          "g=[1,2]");
  status = wrapped_codes(TENON_DTYPE_F64, TENON_LAYOUT_STRIDED, TENON_MEMORY_FORMAT_PRESERVE, cpu,
                         generator, tenon_value_of_int(5), &got);
  is_text("codes", status, got, "a=7 b=0 c=1 d=cpu e=Generator(11) f=5");
  status = wrapped_absent(NULL, none, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0,
                          NULL, 0, &got);
  is_text("absent", status, got,
          "a=None b=None c=None d=None e=None f=None g=None h=None i=None j=None k=None l=None "
          "m=None");
  status = wrapped_absent(x, tenon_value_of_int(2), ints, &half, &yes, "t", NULL, NULL, NULL, &cpu,
                          generator, ints, 0, floats, 1, &got);
  is_text("present", status, got,
          "a=Tensor[1,2] b=2 c=1 d=0.5 e=True f=t g=None h=None i=None j=cpu k=Generator(11) l=[] "
          "m=[0.5]");
}

static void call_defaults(tenon_tensor* x) {
  wrapped_defaults_options options = wrapped_defaults_defaults();
  tenon_value got = tenon_value_of_none();
  tenon_status status = wrapped_defaults(1, NULL, &got);
  is_text("defaults", status, got,
          "a=1 b=-2 c=[0.5,1] d=0.001 e=say \"a\\b\" f=6 g=cpu h=[1,1] i=True j=2.5 k=(0,1) l=None "
          "m=None n=inf o=-9223372036854775808");
  options.b = 7;
  options.e = "other";
  options.i = 0;
  options.m = x;
  status = wrapped_defaults(1, &options, &got);
  is_text("options", status, got,
          "a=1 b=7 c=[0.5,1] d=0.001 e=other f=6 g=cpu h=[1,1] i=False j=2.5 k=(0,1) l=None "
          "m=Tensor[1,2] n=inf o=-9223372036854775808");
  status = wrapped_named(x, 0.5, NULL, &got);
  is_text("named", status, got, "self=Tensor[1,2] slope=0.5 again=False");
}

static void call_results(tenon_tensor* x) {
  tenon_tensor *made = NULL, *absent = x;
  int64_t number = 0;
  double real = 0;
  int32_t truth = 0;
  tenon_complex complex = {0, 0};
  tenon_dtype dtype = 0;
  tenon_device device = {9, 9};
  tenon_value text = tenon_value_of_none(), scalar = text, floats = text, tensors = text;
  is_true("several", wrapped_several(x, &made, &number, &text, &absent) == TENON_OK);
  is_true("several's", first(made) == 2 && number == 2 && absent == NULL);
  is_text("third", TENON_OK, text, "third");
  tenon_tensor_release(made);
  is_true("numbers",
          wrapped_numbers(&scalar, &real, &truth, &complex, &dtype, &device) == TENON_OK);
  is_true("numbers'", scalar.as.i == 2 && real == 0.5 && truth == 1 && complex.real == 1 &&
                          complex.imag == 2 && dtype == TENON_DTYPE_F64 &&
                          device.type == TENON_DEVICE_CPU);
  is_true("listed", wrapped_listed(&scalar, &floats, &tensors) == TENON_OK);
  is_true("listed's", scalar.count == 2 && floats.count == 1 && tensors.count == 2);
  tenon_value_clear(&scalar);
  tenon_value_clear(&floats);
  tenon_value_clear(&tensors);
  is_true("maybe", wrapped_maybe(0, &scalar, &made) == TENON_OK);
  is_true("maybe's", scalar.tag == TENON_TAG_NONE && made == NULL);
  is_true("any", wrapped_any(tenon_value_of_float(1.5), &scalar) == TENON_OK);
  is_true("any's", scalar.tag == TENON_TAG_FLOAT && scalar.as.f == 1.5);
  is_true("nothing", wrapped_nothing() == TENON_OK);
}

static void call_writers(tenon_tensor* x, tenon_tensor* y) {
  tenon_tensor* row = NULL;
  int64_t number = 0;
  is_true("fill_", wrapped_fill_(x, tenon_value_of_int(4)) == TENON_OK && first(x) == 4);
  is_true("twice.out", wrapped_twice_out(x, y) == TENON_OK && first(y) == 8);
  is_true("both_", wrapped_both_(x, y) == TENON_OK && first(x) == 1 && first(y) == 2);
  is_true("counted_", wrapped_counted_(x, &number) == TENON_OK && first(x) == 3 && number == 2);
  is_true("row", wrapped_row(x, NULL, &row) == TENON_OK && tenon_tensor_ndim(row) == 0);
  tenon_tensor_release(row);
}

static void call_names(void) {
  wrapped_class_options options = wrapped_class_defaults();
  tenon_value got = tenon_value_of_none();
  int64_t number = 0;
  options.self = 5;
  is_true("class", wrapped_class(1, 2, &options, &number) == TENON_OK && number == 125);
  is_true("lambda", wrapped_lambda(1, &number) == TENON_OK && number == 2);
  is_text("clash.first", wrapped_clash_first(1, &got), got, "x=1");
  is_text("clash.second", wrapped_clash_second(1, &got), got, "y=1");
  is_text("clash_first", wrapped_clash_first_(1, &got), got, "x=1");
}

static void call_aten(tenon_tensor* x) {
  aten_add_Tensor_options options = aten_add_Tensor_defaults();
  const int64_t size[] = {2};
  tenon_tensor *sum = NULL, *ones = NULL;
  /* [quote.begin c] */
  options.alpha = tenon_value_of_int(10);
  tenon_status status = aten_ones(size, 1, NULL, &ones);
  if (!status) status = aten_add_Tensor(ones, x, &options, &sum);
  /* [quote.end] */
  is_true("add", status == TENON_OK && first(sum) == 31);
  tenon_tensor_release(sum);
  tenon_tensor_release(ones);
}

int run_calls(void);
int run_calls(void) {
  const int64_t sizes[] = {2};
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  tenon_tensor *x = NULL, *y = NULL;
  tenon_generator* generator = NULL;
  void* data = NULL;
  failures = 0;
  if (tenon_tensor_new(TENON_DTYPE_F32, &cpu, 1, sizes, NULL, &x) != TENON_OK ||
      tenon_tensor_new(TENON_DTYPE_F32, &cpu, 1, sizes, NULL, &y) != TENON_OK ||
      tenon_generator_new(&cpu, 11, &generator) != TENON_OK ||
      tenon_tensor_data(x, &data) != TENON_OK) {
    return -1;
  }
  ((float*)data)[0] = 1;
  ((float*)data)[1] = 2;
  call_all_types(x, generator);
  call_defaults(x);
  call_results(x);
  call_writers(x, y);
  call_names();
  call_aten(x);
  tenon_generator_release(generator);
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  return failures;
}
