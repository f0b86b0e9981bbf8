# SPDX-License-Identifier: Apache-2.0
# Libraries for release: linked a second time from the same objects, so that they run on older
# systems than the one that builds them. `./dev dist` enables this.
set(TENON_GLIBC_STUBS "" CACHE PATH
    "Folder with the symbols of an older glibc, which shipped libraries are linked against.")

# Functions that an older glibc lacks, compiled once for all libraries.
if(TENON_GLIBC_STUBS)
  add_library(tenon_older_glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/older_glibc.c)
  target_link_libraries(tenon_older_glibc PRIVATE tenon_library_flags)
  # gnu99 declares Linux's additions to POSIX.
  set_target_properties(tenon_older_glibc PROPERTIES C_EXTENSIONS ON EXCLUDE_FROM_ALL ON)
endif()

# tenon_ship(TARGET OUT)
# Stores in OUT the target to install for TARGET: TARGET itself, or TARGET_shipped, whose file has
# the same name, contains the C++ library and needs no symbol that the stubs lack. Call it after all
# properties of TARGET are set. A target that was imported from another build is shipped unchanged.
function(tenon_ship target out)
  get_target_property(_imported ${target} IMPORTED)
  if(NOT TENON_GLIBC_STUBS OR _imported)
    set(${out} ${target} PARENT_SCOPE)
    return()
  endif()
  set(_shipped ${target}_shipped)
  set(${out} ${_shipped} PARENT_SCOPE)
  if(TARGET ${_shipped})
    return()
  endif()
  get_target_property(_type ${target} TYPE)
  string(REPLACE _LIBRARY "" _type ${_type})
  add_library(${_shipped} ${_type} EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:tenon_older_glibc>)
  set_target_properties(${_shipped} PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${target} BUILD_WITH_INSTALL_RPATH ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shipped)
  foreach(_property OUTPUT_NAME PREFIX SUFFIX VERSION SOVERSION INSTALL_RPATH LINK_DEPENDS
                    LINK_LIBRARIES LINK_OPTIONS)
    get_target_property(_value ${target} ${_property})
    if(NOT _value MATCHES "-NOTFOUND$")
      set_property(TARGET ${_shipped} PROPERTY ${_property} "${_value}")
    endif()
  endforeach()
  # In an older glibc, threads and the loader are separate libraries.
  target_link_libraries(${_shipped} PRIVATE pthread dl)
  target_link_options(${_shipped} PRIVATE -s -L${TENON_GLIBC_STUBS} -static-libstdc++
    LINKER:--as-needed LINKER:--exclude-libs,libstdc++.a
    # The map lists which object each part is from; the bill of materials is made from it.
    LINKER:-Map=${PROJECT_BINARY_DIR}/shipped/${target}.map)
endfunction()

# tenon_install_shipped(TARGET COMPONENT)
# Replaces the file that install(TARGETS) has installed, together with its exports, by the file to
# ship.
function(tenon_install_shipped target component)
  tenon_ship(${target} _shipped)
  if(NOT _shipped STREQUAL target)
    # Remove the file first: install() would keep it if both files have the same timestamp.
    set(_there "${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${_shipped}>")
    install(CODE "file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${_there}\")"
            COMPONENT ${component})
    install(PROGRAMS $<TARGET_FILE:${_shipped}> DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT ${component})
  endif()
endfunction()
