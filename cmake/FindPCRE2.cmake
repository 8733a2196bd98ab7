# PCRE2, whose Debian package has no CMake files of its own. Gives the target PCRE2::8BIT, the name
# that PCRE2's own package uses.

if(NOT TARGET PCRE2::8BIT)
  find_path(PCRE2_INCLUDE_DIR pcre2.h)
  find_library(PCRE2_LIBRARY pcre2-8)
  mark_as_advanced(PCRE2_INCLUDE_DIR PCRE2_LIBRARY)

  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    PCRE2 REQUIRED_VARS PCRE2_LIBRARY PCRE2_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "on Debian, install libpcre2-dev")

  if(PCRE2_FOUND)
    add_library(PCRE2::8BIT UNKNOWN IMPORTED)
    set_target_properties(
      PCRE2::8BIT PROPERTIES IMPORTED_LOCATION "${PCRE2_LIBRARY}"
                             INTERFACE_INCLUDE_DIRECTORIES "${PCRE2_INCLUDE_DIR}")
  endif()
endif()
