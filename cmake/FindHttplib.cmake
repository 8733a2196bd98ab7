# cpp-httplib, whose Debian package has no CMake files of its own. Gives the target
# Httplib::Httplib. The library was built with these definitions, on which the layout of its types
# depends.

if(NOT TARGET Httplib::Httplib)
  find_path(Httplib_INCLUDE_DIR httplib.h)
  find_library(Httplib_LIBRARY cpp-httplib)
  mark_as_advanced(Httplib_INCLUDE_DIR Httplib_LIBRARY)

  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    Httplib REQUIRED_VARS Httplib_LIBRARY Httplib_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "on Debian, install libcpp-httplib-dev")

  if(Httplib_FOUND)
    add_library(Httplib::Httplib UNKNOWN IMPORTED)
    set_target_properties(
      Httplib::Httplib
      PROPERTIES IMPORTED_LOCATION "${Httplib_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${Httplib_INCLUDE_DIR}"
                 INTERFACE_COMPILE_DEFINITIONS
                 "CPPHTTPLIB_OPENSSL_SUPPORT;CPPHTTPLIB_ZLIB_SUPPORT;CPPHTTPLIB_BROTLI_SUPPORT")
  endif()
endif()
