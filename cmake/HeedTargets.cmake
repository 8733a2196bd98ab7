# The targets of heed. Sources are globbed: a new file needs no edit here.
#
# Nothing here uses add_subdirectory, so that the build folder has room for the program, build/heed.

set(HEED_OBJECTS "")

# What many files include, whether library, program or tests.
set(HEED_COMMON_HEADERS
    <algorithm>
    <array>
    <cmath>
    <cstdint>
    <functional>
    <limits>
    <memory>
    <optional>
    <span>
    <string>
    <string_view>
    <unordered_map>
    <utility>
    <vector>
    <fmt/format.h>)
heed_precompile(heed_library_headers LINK fmt::fmt HEADERS ${HEED_COMMON_HEADERS})
# The same without optimization, which gcc's precompiled headers depend on, where there is a difference.
set(HEED_PLAIN_HEADERS heed_library_headers)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(HEED_PLAIN_HEADERS heed_plain_headers)
  heed_precompile(heed_plain_headers LINK fmt::fmt HEADERS ${HEED_COMMON_HEADERS})
  target_compile_options(heed_plain_headers PRIVATE -O0)
endif()

# The folders whose loops even a test with sanitizers waits for; the others are compiled for such
# tests without optimization, which takes half the time.
set(HEED_LOOPS base tensor kernels autograd ops optim attention)

# heed_folder(NAME [QUICK] [LINK libs...]): the object library heed_NAME from heed/NAME/*.cpp. QUICK:
# the folder has no loops that anyone waits for.
function(heed_folder NAME)
  cmake_parse_arguments(ARG "QUICK" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/heed/${NAME}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(heed_${NAME} OBJECT ${sources})
  heed_compile_settings(heed_${NAME})
  heed_unite(heed_${NAME})
  if(ARG_QUICK)
    target_compile_options(heed_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  set(headers heed_library_headers)
  if(NOT NAME IN_LIST HEED_LOOPS)
    target_compile_options(heed_${NAME} PRIVATE $<$<CONFIG:Debug>:-O0>)
    set(headers ${HEED_PLAIN_HEADERS})
  endif()
  target_include_directories(heed_${NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(heed_${NAME} PRIVATE fmt::fmt ${ARG_LINK})
  target_precompile_headers(heed_${NAME} REUSE_FROM ${headers})
  set(HEED_OBJECTS ${HEED_OBJECTS} $<TARGET_OBJECTS:heed_${NAME}> PARENT_SCOPE)
endfunction()

# heed_library(LINK libs...): the library heed, alias heed::heed, made of the folders; and
# heed_inside, the same code for the tests, the benchmarks and the program, which may also call
# what the library does not export.
function(heed_library)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(
    GLOB sources
    CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}/heed"
    "${PROJECT_SOURCE_DIR}/heed/*/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    if(NOT TARGET heed_${folder})
      message(FATAL_ERROR "heed/${source} is in no library: "
                          "add heed_folder(${folder}) to CMakeLists.txt")
    endif()
  endforeach()

  add_library(heed ${HEED_OBJECTS})
  add_library(heed::heed ALIAS heed)
  heed_describe_library(heed ${ARG_LINK})
  set_target_properties(heed PROPERTIES VERSION ${PROJECT_VERSION}
                                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

  get_target_property(type heed TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    add_library(heed_inside ALIAS heed)
  else()
    add_library(heed_inside STATIC EXCLUDE_FROM_ALL ${HEED_OBJECTS})
    heed_describe_library(heed_inside ${ARG_LINK})
  endif()
endfunction()

function(heed_describe_library TARGET)
  set_target_properties(${TARGET} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(${TARGET} PUBLIC cxx_std_20)
  target_include_directories(${TARGET} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${TARGET} PRIVATE ${ARGN})
endfunction()

# heed_bench(LINK libs... ONEDNN lib): the object library heed_bench from bench/*.cpp, the code of
# `heed bench`. oneDNN is not linked but loaded when a benchmark calls it.
function(heed_bench)
  cmake_parse_arguments(ARG "" "ONEDNN" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(heed_bench OBJECT ${sources})
  heed_compile_settings(heed_bench)
  heed_unite(heed_bench)
  target_link_libraries(heed_bench PRIVATE heed_inside fmt::fmt ${ARG_LINK} ${CMAKE_DL_LIBS})
  target_include_directories(
    heed_bench SYSTEM PRIVATE $<TARGET_PROPERTY:${ARG_ONEDNN},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(heed_bench
                             PRIVATE HEED_ONEDNN="$<TARGET_SONAME_FILE_NAME:${ARG_ONEDNN}>")
  target_precompile_headers(heed_bench REUSE_FROM heed_library_headers)
endfunction()

# heed_server(LINK libs...): the library heed_server from apps/server, the code of `heed serve`, and
# from what the server and the commands share.
function(heed_server)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/apps/*.cpp"
       "${PROJECT_SOURCE_DIR}/apps/server/*.cpp")
  add_library(heed_server STATIC EXCLUDE_FROM_ALL ${sources})
  heed_compile_settings(heed_server)
  heed_unite(heed_server)
  heed_compile_quickly(heed_server)
  target_compile_definitions(heed_server PRIVATE HEED_VERSION="${PROJECT_VERSION}")
  target_link_libraries(heed_server PUBLIC heed_inside fmt::fmt ${ARG_LINK})
  target_precompile_headers(heed_server REUSE_FROM ${HEED_PLAIN_HEADERS})
endfunction()

# heed_program(LINK libs...): the program heed from apps/cli and the benchmarks.
function(heed_program)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/apps/cli/*.cpp"
       "${PROJECT_SOURCE_DIR}/apps/cli/*/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(heed_cli ${sources})
  heed_compile_settings(heed_cli)
  heed_unite(heed_cli)
  heed_compile_quickly(heed_cli)
  set_target_properties(heed_cli PROPERTIES OUTPUT_NAME heed RUNTIME_OUTPUT_DIRECTORY
                                                             "${PROJECT_BINARY_DIR}")
  target_compile_definitions(heed_cli PRIVATE HEED_VERSION="${PROJECT_VERSION}")
  target_link_libraries(heed_cli PRIVATE heed_server heed_inside fmt::fmt ${ARG_LINK})
  target_precompile_headers(heed_cli PRIVATE ${HEED_COMMON_HEADERS})
  if(TARGET heed_bench)
    target_link_libraries(heed_cli PRIVATE heed_bench)
  endif()
endfunction()
