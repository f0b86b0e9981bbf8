/* SPDX-License-Identifier: Apache-2.0 */
/* The number protocol of Tensor: every operation is an operator call. */
#ifndef TENON_PYTHON_NUMBER_H
#define TENON_PYTHON_NUMBER_H

#include "native.h"

PyObject* tnp_add(PyObject* a, PyObject* b);
PyObject* tnp_subtract(PyObject* a, PyObject* b);
PyObject* tnp_multiply(PyObject* a, PyObject* b);
PyObject* tnp_divide(PyObject* a, PyObject* b);
PyObject* tnp_floor_divide(PyObject* a, PyObject* b);
PyObject* tnp_and(PyObject* a, PyObject* b);
PyObject* tnp_or(PyObject* a, PyObject* b);
PyObject* tnp_xor(PyObject* a, PyObject* b);
PyObject* tnp_and_in_place(PyObject* a, PyObject* b);
PyObject* tnp_or_in_place(PyObject* a, PyObject* b);
PyObject* tnp_xor_in_place(PyObject* a, PyObject* b);
PyObject* tnp_invert(PyObject* a);
PyObject* tnp_remainder(PyObject* a, PyObject* b);
PyObject* tnp_matmul(PyObject* a, PyObject* b);
PyObject* tnp_power(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* tnp_power_in_place(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* tnp_negative(PyObject* a);
PyObject* tnp_positive(PyObject* a);
PyObject* tnp_absolute(PyObject* a);
PyObject* tnp_add_in_place(PyObject* a, PyObject* b);
PyObject* tnp_subtract_in_place(PyObject* a, PyObject* b);
PyObject* tnp_multiply_in_place(PyObject* a, PyObject* b);
PyObject* tnp_divide_in_place(PyObject* a, PyObject* b);
PyObject* tnp_floor_divide_in_place(PyObject* a, PyObject* b);
PyObject* tnp_remainder_in_place(PyObject* a, PyObject* b);
int tnp_truth(PyObject* a);
PyObject* tnp_as_int(PyObject* a);
PyObject* tnp_as_float(PyObject* a);
PyObject* tnp_as_index(PyObject* a);

#define TNP_NUMBER_SLOTS                                                                           \
  {Py_nb_add, tnp_add}, {Py_nb_subtract, tnp_subtract}, {Py_nb_multiply, tnp_multiply},            \
      {Py_nb_true_divide, tnp_divide}, {Py_nb_floor_divide, tnp_floor_divide},                     \
      {Py_nb_remainder, tnp_remainder}, {Py_nb_matrix_multiply, tnp_matmul}, {Py_nb_and, tnp_and}, \
      {Py_nb_or, tnp_or}, {Py_nb_xor, tnp_xor}, {Py_nb_inplace_and, tnp_and_in_place},             \
      {Py_nb_inplace_or, tnp_or_in_place}, {Py_nb_inplace_xor, tnp_xor_in_place},                  \
      {Py_nb_invert, tnp_invert}, {Py_nb_power, tnp_power},                                        \
      {Py_nb_inplace_power, tnp_power_in_place}, {Py_nb_negative, tnp_negative},                   \
      {Py_nb_positive, tnp_positive}, {Py_nb_absolute, tnp_absolute},                              \
      {Py_nb_inplace_add, tnp_add_in_place}, {Py_nb_inplace_subtract, tnp_subtract_in_place},      \
      {Py_nb_inplace_multiply, tnp_multiply_in_place},                                             \
      {Py_nb_inplace_true_divide, tnp_divide_in_place},                                            \
      {Py_nb_inplace_floor_divide, tnp_floor_divide_in_place},                                     \
      {Py_nb_inplace_remainder, tnp_remainder_in_place}, {Py_nb_bool, tnp_truth},                  \
      {Py_nb_int, tnp_as_int}, {Py_nb_float, tnp_as_float}, {                                      \
    Py_nb_index, tnp_as_index                                                                      \
  }

#endif
