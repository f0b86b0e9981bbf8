// SPDX-License-Identifier: Apache-2.0
// Replacements for LAPACK in builds without OpenBLAS: they throw.
#include "kernels/cpu/linalg/lapack.h"

namespace tenon::kernels::cpu {
namespace {

[[noreturn]] int refuse(const char* function) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {function, ": LAPACK must be available, got a build without OpenBLAS"});
}

}  // namespace

template <class T>
int lapack_getrf(int, int, T*, int, int*) {
  return refuse("getrf");
}
template <class T>
int lapack_getrs(char, int, int, const T*, int, const int*, T*, int) {
  return refuse("getrs");
}
template <class T>
int lapack_getri(int, T*, int, const int*) {
  return refuse("getri");
}
template <class T>
int lapack_potrf(char, int, T*, int) {
  return refuse("potrf");
}
template <class T>
int lapack_geqrf(int, int, T*, int, T*) {
  return refuse("geqrf");
}
template <class T>
int lapack_orgqr(int, int, int, T*, int, const T*) {
  return refuse("orgqr");
}
template <class T>
int lapack_ormqr(char, char, int, int, int, const T*, int, const T*, T*, int) {
  return refuse("ormqr");
}
template <class T>
int lapack_geev(char, int, T*, int, ComplexOf<T>*, ComplexOf<T>*, int) {
  return refuse("geev");
}
template <class T>
int lapack_sytrf(bool, int, T*, int, int*) {
  return refuse("sytrf");
}
template <class T>
int lapack_sytrs(bool, int, int, const T*, int, const int*, T*, int) {
  return refuse("sytrs");
}
template <class T>
int lapack_gesdd(char, int, int, T*, int, Real<T>*, T*, int, T*, int) {
  return refuse("gesdd");
}
template <class T>
int lapack_heevd(char, char, int, T*, int, Real<T>*) {
  return refuse("heevd");
}
template <class T>
int lapack_trtrs(char, char, char, int, int, const T*, int, T*, int) {
  return refuse("trtrs");
}
template <class T>
int lapack_gelsd(int, int, int, T*, int, T*, int, Real<T>*, Real<T>, int*) {
  return refuse("gelsd");
}

#define TENON_LAPACK(T)                                                                      \
  template int lapack_getrf<T>(int, int, T*, int, int*);                                     \
  template int lapack_getrs<T>(char, int, int, const T*, int, const int*, T*, int);          \
  template int lapack_getri<T>(int, T*, int, const int*);                                    \
  template int lapack_potrf<T>(char, int, T*, int);                                          \
  template int lapack_geqrf<T>(int, int, T*, int, T*);                                       \
  template int lapack_orgqr<T>(int, int, int, T*, int, const T*);                            \
  template int lapack_ormqr<T>(char, char, int, int, int, const T*, int, const T*, T*, int); \
  template int lapack_geev<T>(char, int, T*, int, ComplexOf<T>*, ComplexOf<T>*, int);        \
  template int lapack_sytrf<T>(bool, int, T*, int, int*);                                    \
  template int lapack_sytrs<T>(bool, int, int, const T*, int, const int*, T*, int);          \
  template int lapack_gesdd<T>(char, int, int, T*, int, Real<T>*, T*, int, T*, int);         \
  template int lapack_heevd<T>(char, char, int, T*, int, Real<T>*);                          \
  template int lapack_trtrs<T>(char, char, char, int, int, const T*, int, T*, int);          \
  template int lapack_gelsd<T>(int, int, int, T*, int, T*, int, Real<T>*, Real<T>, int*);
TENON_LAPACK(float)
TENON_LAPACK(double)
TENON_LAPACK(Complex64)
TENON_LAPACK(Complex128)
#undef TENON_LAPACK

}  // namespace tenon::kernels::cpu
