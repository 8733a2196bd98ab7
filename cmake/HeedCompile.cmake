# How every file of heed is compiled.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(HEED_FEW_TARGETS "With sanitizers: without AVX-512, which would take as long again" ON)

# Sanitizers must see the whole program, so these flags are global.
if(HEED_SANITIZE)
  add_compile_options(-fsanitize=${HEED_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEED_SANITIZE})
  # What the address sanitizer sees anyway, and what would take a fifth of the build.
  if(HEED_SANITIZE MATCHES "address.*undefined")
    add_compile_options(-fno-sanitize=null,object-size,vptr)
  endif()
endif()

# heed_compile_quickly(TARGET): for programs whose own speed does not matter (commands, tests), so
# that the build is quicker. The library keeps the optimization of the build type.
function(heed_compile_quickly TARGET)
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
endfunction()

# heed_trust(TARGET): tests need no checks of their own undefined behavior, only of what they call.
function(heed_trust TARGET)
  if(HEED_SANITIZE MATCHES "undefined")
    target_compile_options(${TARGET} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# heed_compile_settings(TARGET): the language, the arithmetic, the visibility and the warnings.
function(heed_compile_settings TARGET)
  target_compile_features(${TARGET} PUBLIC cxx_std_20)
  set_target_properties(
    ${TARGET}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)

  # A product and a sum are contracted only where the code says so: results must not depend on what
  # the compiler feels like fusing. The target is the plain instruction set of the architecture;
  # faster ones are chosen at run time.
  target_compile_options(${TARGET} PRIVATE -ffp-contract=off)

  # g++ would spend a tenth of its time on keeping below 128 MB; so a compilation takes 100 MB more.
  target_compile_options(
    ${TARGET} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=262144>)

  target_compile_options(
    ${TARGET}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wno-sign-conversion
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
            # It takes files that are compiled together for headers.
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${HEED_UNITY}>>:-Wno-subobject-linkage>
            # False alarms of g++ 12 about std::string (its bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
            # False alarms about members with defaults and loops of no turns, which come and go with
            # what is compiled together.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
            # False alarms of g++ 14, about functions that take the text of an error message by
            # reference.
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
            $<$<BOOL:${HEED_WARNINGS_AS_ERRORS}>:-Werror>
            -Wno-error=invalid-pch)

  target_compile_definitions(
    ${TARGET} PRIVATE $<$<BOOL:${HEED_PASS_THROUGH_POOL}>:HEED_PASS_THROUGH_POOL=1>)
  if(HEED_SANITIZE AND HEED_FEW_TARGETS)
    target_compile_definitions(${TARGET} PRIVATE HEED_FEW_TARGETS=1)
  endif()
endfunction()

# heed_unite(TARGET [AT_MOST n]): compiles the target's files, folder by folder, up to two dozen (n) at
# a time, so that headers are read and templates compiled once for all of them. What Highway compiles
# once per instruction set stays alone. Names in anonymous namespaces must differ within a folder:
# scripts/check-names.
option(HEED_UNITY "Compile several files of a folder at once: quicker, unless only one changed" ON)
function(heed_unite TARGET)
  cmake_parse_arguments(ARG "" "AT_MOST" "" ${ARGN})
  if(NOT HEED_UNITY)
    return()
  endif()
  if(NOT ARG_AT_MOST)
    set(ARG_AT_MOST 24)
  endif()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${TARGET} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" many REGEX "hwy/foreach_target\\.h" LIMIT_COUNT 1)
    if(NOT many)
      get_filename_component(folder "${source}" DIRECTORY)
      get_filename_component(folder "${folder}" NAME)
      list(APPEND folders ${folder})
      list(APPEND files_${folder} "${source}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(index 0)
    foreach(source IN LISTS files_${folder})
      math(EXPR group "${index} / ${ARG_AT_MOST}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()

# Headers that many files include are compiled once per group of targets with the same flags. ccache
# reuses whole files instead, which is better still, and wants no precompiled headers.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# heed_precompile(GROUP LINK libs... HEADERS headers...): the target GROUP, which holds the compiled
# headers. Others use them with target_precompile_headers(TARGET REUSE_FROM GROUP); a file still
# includes what it needs, as scripts/lint and builds with ccache check.
function(heed_precompile GROUP)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  set(empty "${PROJECT_BINARY_DIR}/${GROUP}.cpp")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "")
  add_library(${GROUP} OBJECT "${empty}")
  heed_compile_settings(${GROUP})
  target_link_libraries(${GROUP} PRIVATE ${ARG_LINK})
  target_precompile_headers(${GROUP} PRIVATE ${ARG_HEADERS})
endfunction()
