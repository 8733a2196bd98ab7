# The memory of attention as the operating system sees it. Not with sanitizers, which need their own.

if(TARGET heed_cli AND NOT HEED_SANITIZE)
  add_test(NAME memory COMMAND "${PROJECT_SOURCE_DIR}/scripts/check-memory" $<TARGET_FILE:heed_cli>)
  set_tests_properties(memory PROPERTIES TIMEOUT 120)
endif()
