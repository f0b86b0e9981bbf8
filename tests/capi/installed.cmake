# SPDX-License-Identifier: Apache-2.0
# Installs the native part, and builds and runs the quick start in C with what pkg-config says.
# Takes BUILD, SOURCE, CC, PKG_CONFIG and WORK, a folder of its own.
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component native
                        --prefix ${WORK}/first
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${WORK}/first ${WORK}/moved)
set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/lib/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs tenon
                OUTPUT_VARIABLE _flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(_flags UNIX_COMMAND "${_flags}")
execute_process(COMMAND ${CC} ${SOURCE} -o ${WORK}/quickstart ${_flags} COMMAND_ERROR_IS_FATAL ANY)
set(ENV{LD_LIBRARY_PATH} ${WORK}/moved/lib)
execute_process(COMMAND ${WORK}/quickstart COMMAND_ERROR_IS_FATAL ANY)
