# SPDX-License-Identifier: Apache-2.0
# Converts the suffixes of numbers in SWIG's file of constants from C to Java, which has no `u` and
# writes `L` instead of `LL`.
file(READ ${FILE} _text)
string(REGEX REPLACE "([ (|])(0x[0-9A-Fa-f]+|[0-9]+)u" "\\1\\2" _text "${_text}")
string(REGEX REPLACE "([0-9])LL" "\\1L" _text "${_text}")
file(WRITE ${FILE} "${_text}")
