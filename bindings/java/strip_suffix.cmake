# SPDX-License-Identifier: Apache-2.0
# Takes C's `u` suffix off the numbers in SWIG's file of constants: Java does not know it.
file(READ ${FILE} _text)
string(REGEX REPLACE "([ (|])(0x[0-9A-Fa-f]+|[0-9]+)u" "\\1\\2" _text "${_text}")
file(WRITE ${FILE} "${_text}")
