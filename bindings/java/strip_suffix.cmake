# SPDX-License-Identifier: Apache-2.0
# Takes C's suffixes off the numbers in SWIG's file of constants: Java knows no `u`, and one L only.
file(READ ${FILE} _text)
string(REGEX REPLACE "([ (|])(0x[0-9A-Fa-f]+|[0-9]+)u" "\\1\\2" _text "${_text}")
string(REGEX REPLACE "([0-9])LL" "\\1L" _text "${_text}")
file(WRITE ${FILE} "${_text}")
