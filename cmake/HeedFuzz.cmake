# The fuzz targets: each tests/fuzz/NAME_fuzz.cpp is a program build-fuzz/fuzz/NAME. It is linked
# with the static libraries alone, of which the linker takes what the target calls. As a test, each
# runs for a short time; for a long run, call the program yourself:
#
#   build-fuzz/fuzz/NAME -max_total_time=3600 CORPUS_FOLDER

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HEED_BUILD_FUZZERS needs clang++: use cmake --preset fuzz")
endif()

file(GLOB heed_fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp")
foreach(source IN LISTS heed_fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name "${name}")
  add_executable(fuzz_${name} "${source}")
  heed_compile_settings(fuzz_${name})
  set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                                    "${PROJECT_BINARY_DIR}/fuzz")
  target_link_libraries(fuzz_${name} PRIVATE heed_server heed_inside)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer -Wl,--as-needed)
  add_test(NAME fuzz_${name} COMMAND fuzz_${name} -max_total_time=20 -rss_limit_mb=1024)
  set_tests_properties(fuzz_${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endforeach()
