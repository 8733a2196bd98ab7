# Tests of the repository itself: the layers of its includes, its names, the table of requirements.

add_test(NAME layers COMMAND "${PROJECT_SOURCE_DIR}/scripts/check-layers")
add_test(NAME layers_offences COMMAND sh "${PROJECT_SOURCE_DIR}/tests/frame/layers_offences.sh"
                                      "${PROJECT_SOURCE_DIR}/scripts/check-layers")
set_tests_properties(layers layers_offences PROPERTIES TIMEOUT 30 LABELS frame)

# The names that files of a folder must not share.
find_program(HEED_PYTHON python3)
if(HEED_PYTHON)
  add_test(NAME names COMMAND "${HEED_PYTHON}" "${PROJECT_SOURCE_DIR}/scripts/check-names")
  add_test(NAME names_offences COMMAND sh "${PROJECT_SOURCE_DIR}/tests/frame/names_offences.sh"
                                       "${PROJECT_SOURCE_DIR}/scripts/check-names")
  set_tests_properties(names names_offences PROPERTIES TIMEOUT 120 LABELS frame)
endif()

# The page that leads from requirements to tests, by way of what the program has.
if(TARGET heed_cli)
  add_test(NAME requirements COMMAND "${PROJECT_SOURCE_DIR}/scripts/requirements" --check)
  set_tests_properties(requirements PROPERTIES TIMEOUT 60 LABELS frame ENVIRONMENT
                                               "HEED=$<TARGET_FILE:heed_cli>")
endif()
