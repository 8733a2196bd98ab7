# Installs the library, its public headers, the program and the CMake package heed.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEED_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/heed")

target_include_directories(heed PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS heed EXPORT heed)
if(TARGET heed_cli)
  install(TARGETS heed_cli)
endif()

# Every header is public except the kernels, which are raw loops, and those whose name says that
# they are not.
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/heed"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "heed/kernels" EXCLUDE
  PATTERN "*_internal.h" EXCLUDE
  PATTERN "*-inl.h" EXCLUDE)

install(
  EXPORT heed
  NAMESPACE heed::
  FILE heed-targets.cmake
  DESTINATION "${HEED_PACKAGE_DIR}")
get_target_property(HEED_LIBRARY_TYPE heed TYPE)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/heed-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/heed-config.cmake"
                              INSTALL_DESTINATION "${HEED_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heed-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/heed-config.cmake"
              "${PROJECT_BINARY_DIR}/heed-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindPCRE2.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSentencePiece.cmake"
        DESTINATION "${HEED_PACKAGE_DIR}")
