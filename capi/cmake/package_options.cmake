# SPDX-License-Identifier: Apache-2.0
# Settings that differ between the archive and the Debian packages; cpack reads this file for each.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  # Each Debian package has its licences in the place that Debian prescribes.
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_copyright.cmake)
else()
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
