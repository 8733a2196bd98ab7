# The examples, as programs of their own. A test runs each.

file(GLOB heed_examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
foreach(source IN LISTS heed_examples)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(example_${name} "${source}")
  heed_compile_settings(example_${name})
  heed_compile_quickly(example_${name})
  set_target_properties(
    example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                   "${PROJECT_BINARY_DIR}/examples")
  target_link_libraries(example_${name} PRIVATE heed::heed)
  add_dependencies(test_examples example_${name})
endforeach()
target_compile_definitions(test_examples PRIVATE HEED_EXAMPLES="${PROJECT_BINARY_DIR}/examples"
                                                 HEED_SOURCES="${PROJECT_SOURCE_DIR}")
