# Installs the library, its public headers, the program and the CMake package heed.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEED_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/heed")

target_include_directories(heed PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS heed EXPORT heed)
if(TARGET heed_cli)
  install(TARGETS heed_cli)
endif()

# Public are the headers that these reach by includes: the one for everyone, and those of the wings.
set(HEED_FRONT_DOORS heed/heed.h heed/textbook.h heed/corpora.h heed/tuning.h
    heed/layers.h)

# heed_reached_headers(OUT PATH...): the headers of heed that these reach, themselves among them.
function(heed_reached_headers OUT)
  set(reached "")
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST reached)
      continue()
    endif()
    list(APPEND reached "${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                           "${PROJECT_SOURCE_DIR}/${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines REGEX "^#include \"heed/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
      list(APPEND waiting "${included}")
    endforeach()
  endwhile()
  set(${OUT} ${reached} PARENT_SCOPE)
endfunction()

heed_reached_headers(HEED_PUBLIC_HEADERS ${HEED_FRONT_DOORS})
foreach(header IN LISTS HEED_PUBLIC_HEADERS)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()

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
