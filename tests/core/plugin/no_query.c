/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that is not a plugin. */
int tenon_test_no_query(void);
int tenon_test_no_query(void) { return 1; }
