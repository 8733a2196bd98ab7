# The tests. Every folder tests/NAME with *_test.cpp files is one binary, test_NAME, and one ctest
# entry; on x86, tests of the fast paths run again limited to AVX2, and those of kernels, ops and
# optim to SSE4.

set(HEED_TEST_TIMEOUT 300)
if(HEED_SANITIZE)
  set(HEED_TEST_TIMEOUT 900)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(HEED_TESTS_AVX2 kernels ops attention optim)
  set(HEED_TESTS_SSE4 kernels ops optim)
endif()

heed_precompile(
  heed_test_headers
  LINK fmt::fmt GTest::gtest
  HEADERS ${HEED_COMMON_HEADERS} <filesystem> <fstream> <gtest/gtest.h> <sstream>)
heed_compile_quickly(heed_test_headers)
heed_trust(heed_test_headers)
# Programs are compiled with -fPIE, not with the -fPIC of libraries.
set_target_properties(heed_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(heed_test_headers PRIVATE -fPIE)

# heed_add_test(NAME): the ctest entry of a folder. With sanitizers the tests of the program, which
# start it hundreds of times, are cut in two that can run at once, and those that read help texts or
# train again what the tests of the library train are left out (build-asan/tests/test_cli runs all);
# so is the program in an emulator, which has no room for the memory of the address sanitizer.
set(HEED_NOT_SANITIZED *.EveryHelp* *.HelpFits* Tour.* FinishedTour.* CliOldProcessor.* Train.* Resume.* Minutes.* CliDemo.*)
function(heed_add_test NAME)
  if(NOT HEED_SANITIZE OR NOT NAME STREQUAL "cli")
    add_test(NAME ${NAME} COMMAND test_${NAME} --gtest_brief=1)
    set_tests_properties(${NAME} PROPERTIES TIMEOUT ${HEED_TEST_TIMEOUT})
    return()
  endif()
  list(JOIN HEED_NOT_SANITIZED : left_out)
  foreach(half 0 1)
    add_test(NAME ${NAME}_${half} COMMAND test_${NAME} --gtest_brief=1
                                          "--gtest_filter=-${left_out}")
    set_tests_properties(
      ${NAME}_${half} PROPERTIES TIMEOUT ${HEED_TEST_TIMEOUT} ENVIRONMENT
                                 "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
  endforeach()
endfunction()

function(heed_test_folder NAME)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${NAME}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  # The program and its benchmarks are tested where they are built.
  if(NAME MATCHES "^(cli|bench)$" AND NOT TARGET heed_cli)
    return()
  endif()
  file(GLOB helpers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${NAME}/*.cpp")
  add_executable(test_${NAME} ${helpers})
  heed_compile_settings(test_${NAME})
  heed_unite(test_${NAME} AT_MOST 12) # nothing checks their names
  heed_compile_quickly(test_${NAME})
  heed_trust(test_${NAME})
  set_target_properties(test_${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                "${PROJECT_BINARY_DIR}/tests")
  target_link_libraries(test_${NAME} PRIVATE heed_inside hwy::hwy fmt::fmt GTest::gtest_main)
  target_precompile_headers(test_${NAME} REUSE_FROM heed_test_headers)
  # Where a test finds its data files and, if it runs it, the program.
  target_compile_definitions(
    test_${NAME} PRIVATE HEED_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/${NAME}"
                         HEED_PROGRAM="${PROJECT_BINARY_DIR}/heed")
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    target_compile_definitions(test_${NAME} PRIVATE HEED_EMULATED=1)
  endif()
  if(NAME STREQUAL "cli")
    target_link_libraries(test_${NAME} PRIVATE nlohmann_json::nlohmann_json)
    add_dependencies(test_${NAME} heed_cli)
  elseif(NAME STREQUAL "bench")
    target_link_libraries(test_${NAME} PRIVATE heed_bench)
  elseif(NAME STREQUAL "server")
    target_link_libraries(test_${NAME} PRIVATE heed_server)
  endif()

  heed_add_test(${NAME})
  foreach(isa AVX2 SSE4)
    if(NAME IN_LIST HEED_TESTS_${isa} AND NOT HEED_SANITIZE)
      string(TOLOWER ${isa} suffix)
      add_test(NAME ${NAME}_${suffix} COMMAND test_${NAME} --gtest_brief=1)
      set_tests_properties(
        ${NAME}_${suffix} PROPERTIES TIMEOUT ${HEED_TEST_TIMEOUT} LABELS ${suffix} ENVIRONMENT
                                                                          HEED_MAX_ISA=${suffix})
    endif()
  endforeach()
endfunction()

file(
  GLOB heed_test_folders
  CONFIGURE_DEPENDS
  RELATIVE "${PROJECT_SOURCE_DIR}/tests"
  "${PROJECT_SOURCE_DIR}/tests/*")
foreach(folder IN LISTS heed_test_folders)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/${folder}" AND NOT folder STREQUAL "fuzz")
    heed_test_folder(${folder})
    if(EXISTS "${PROJECT_SOURCE_DIR}/tests/${folder}/tests.cmake")
      include("${PROJECT_SOURCE_DIR}/tests/${folder}/tests.cmake")
    endif()
  endif()
endforeach()
