# SPDX-License-Identifier: Apache-2.0
# Writes /usr/share/doc/PACKAGE/copyright into each Debian package, in Debian's format. It refers to
# the licence texts that every Debian system has, instead of repeating them.
foreach(_group libraries development)
  string(TOUPPER ${_group} _upper)
  file(GLOB _root ${CPACK_TEMPORARY_DIRECTORY}/${_group})
  if(_root)
    set(_doc ${_root}/usr/share/doc/${CPACK_DEBIAN_${_upper}_PACKAGE_NAME})
    file(MAKE_DIRECTORY ${_doc})
    file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/debian_copyright.txt ${_doc}/copyright)
  endif()
endforeach()
