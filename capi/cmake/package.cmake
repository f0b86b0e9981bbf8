# SPDX-License-Identifier: Apache-2.0
# Settings of cpack, which `./dev dist` runs: it makes one archive, a Debian package of the
# libraries, and a Debian package for development.
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VENDOR "Tenon maintainers")
set(CPACK_PACKAGE_CONTACT "Tenon maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
string(TOLOWER ${CMAKE_SYSTEM_NAME} _system)
set(CPACK_PACKAGE_FILE_NAME tenon-${PROJECT_VERSION}-${_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL runtime cpu development)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)

# ---- Debian: libtenon0 (libtenon, and the kernels of ATen's operators) and libtenon-dev ----------
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_options.cmake)
set(CPACK_COMPONENT_RUNTIME_GROUP libraries)
set(CPACK_COMPONENT_CPU_GROUP libraries)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libtenon${TENON_ABI_MAJOR})
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "${PROJECT_DESCRIPTION}: libraries")
if(TENON_GLIBC_STUBS)
  # dpkg-shlibdeps would require glibc 2.34, because it looks up functions of libpthread and libdl
  # in the glibc of this machine, which has them in libc itself. ./dev dist checks the symbols.
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS "libc6 (>= 2.27), libgcc-s1 (>= 4.2)")
else()
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
endif()
# Loaded by the first matrix product that needs them.
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SUGGESTS "libdnnl2, libopenblas0")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtenon-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: headers, CMake and pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libtenon${TENON_ABI_MAJOR} (= ${PROJECT_VERSION})")

# Debian's symbols file: all exported functions, for packages of programs that use the library.
file(READ ${PROJECT_SOURCE_DIR}/capi/abi/tenon.abi.json _abi)
string(JSON _count LENGTH "${_abi}" functions)
set(_symbols "libtenon.so.${TENON_ABI_MAJOR} libtenon${TENON_ABI_MAJOR} #MINVER#\n")
string(APPEND _symbols " TENON_${TENON_ABI_MAJOR}@TENON_${TENON_ABI_MAJOR} ${PROJECT_VERSION}\n")
math(EXPR _last "${_count} - 1")
foreach(_at RANGE ${_last})
  string(JSON _name MEMBER "${_abi}" functions ${_at})
  string(APPEND _symbols " ${_name}@TENON_${TENON_ABI_MAJOR} ${PROJECT_VERSION}\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/debian/symbols "${_symbols}")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/symbols)
include(CPack)
include(CPackComponent)
