// SPDX-License-Identifier: Apache-2.0
// Factorizations of column-major matrices of float, double and their complex types by LAPACK, which
// is part of OpenBLAS. In a build without OpenBLAS each call throws.
#pragma once

#include <type_traits>

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

template <class T>
using ComplexOf = std::conditional_t<sizeof(Real<T>) == sizeof(float), Complex64, Complex128>;

// FloatAndComplexTypes without the small floats.
using LapackTypes = ElementTypes<float, double, Complex64, Complex128>;

// The functions return LAPACK's `info`: 0, or k > 0 if the k-th pivot, minor or value fails. They
// allocate their workspace and overwrite `a` with its factors.

// P L U = A, with m rows and n columns.
template <class T>
int lapack_getrf(int m, int n, T* a, int lda, int* pivots);
// Solves A X = B with the factors of getrf; `trans` is 'N', 'T' or 'C'.
template <class T>
int lapack_getrs(char trans, int n, int columns, const T* lu, int lda, const int* pivots, T* b,
                 int ldb);
// Computes the inverse from the factors of getrf, in place.
template <class T>
int lapack_getri(int n, T* lu, int lda, const int* pivots);
// Computes the Cholesky factor in the triangle `uplo`, 'L' or 'U'; the other triangle is unchanged.
template <class T>
int lapack_potrf(char uplo, int n, T* a, int lda);
// Q R = A: R in the upper triangle, the reflectors of Q below it and min(m, n) scalars in `tau`.
template <class T>
int lapack_geqrf(int m, int n, T* a, int lda, T* tau);
// Computes the first n columns of Q from k reflectors.
template <class T>
int lapack_orgqr(int m, int n, int k, T* a, int lda, const T* tau);
// C becomes Q C for `side` 'L', or C Q for 'R', with Q given by k reflectors of geqrf. `trans` is
// 'N', or 'C' for Q^H.
template <class T>
int lapack_ormqr(char side, char trans, int m, int n, int k, const T* a, int lda, const T* tau,
                 T* c, int ldc);
// Computes the eigenvalues of any square matrix and, for `job` 'V', eigenvectors of length 1 in the
// columns of `vectors`. Destroys `a`.
template <class T>
int lapack_geev(char job, int n, T* a, int lda, ComplexOf<T>* values, ComplexOf<T>* vectors,
                int ldv);
// L D L^T = A, or L D L^H for a Hermitian matrix, from its lower triangle. D has blocks of 1 or 2
// rows; negative pivots mark the latter.
template <class T>
int lapack_sytrf(bool is_hermitian, int n, T* a, int lda, int* pivots);
// Solves A X = B with the factors of sytrf.
template <class T>
int lapack_sytrs(bool is_hermitian, int n, int columns, const T* ld, int lda, const int* pivots,
                 T* b, int ldb);
// U diag(s) Vh = A. `job` is 'A', 'S' or 'N' and determines the number of columns of U and rows of
// Vh.
template <class T>
int lapack_gesdd(char job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vh, int ldvh);
// Computes the eigenvalues of a Hermitian matrix from its triangle `uplo`, in ascending order. For
// `job` 'V' the eigenvectors replace the matrix.
template <class T>
int lapack_heevd(char job, char uplo, int n, T* a, int lda, Real<T>* values);
// Solves A X = B for a triangular matrix A.
template <class T>
int lapack_trtrs(char uplo, char trans, char diag, int n, int columns, const T* a, int lda, T* b,
                 int ldb);
// Computes the X of least norm that minimizes |A X - B|. B has max(m, n) rows. Singular values are
// stored in `s`; those below rcond times the largest count as 0.
template <class T>
int lapack_gelsd(int m, int n, int columns, T* a, int lda, T* b, int ldb, Real<T>* s, Real<T> rcond,
                 int* rank);

}  // namespace tenon::kernels::cpu
