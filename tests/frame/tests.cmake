# Tests of the repository itself: the layers of its includes, the table of requirements.

add_test(NAME layers COMMAND "${PROJECT_SOURCE_DIR}/scripts/check-layers")
add_test(NAME layers_offences COMMAND sh "${PROJECT_SOURCE_DIR}/tests/frame/layers_offences.sh"
                                      "${PROJECT_SOURCE_DIR}/scripts/check-layers")
set_tests_properties(layers layers_offences PROPERTIES TIMEOUT 30 LABELS frame)

# The page that leads from requirements to tests.
add_test(NAME requirements COMMAND "${PROJECT_SOURCE_DIR}/scripts/requirements" --check)
set_tests_properties(requirements PROPERTIES TIMEOUT 60 LABELS frame)
