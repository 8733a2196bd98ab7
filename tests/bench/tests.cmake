# The memory of attention as the operating system sees it. Not with sanitizers, which need their own.

if(TARGET heed_cli AND NOT HEED_SANITIZE)
  add_test(NAME memory COMMAND "${PROJECT_SOURCE_DIR}/scripts/check-memory" $<TARGET_FILE:heed_cli>)
  set_tests_properties(memory PROPERTIES TIMEOUT 120)
endif()

# oneDNN, several times as large as heed, is loaded by benchmarks alone.
if(TARGET heed_cli)
  add_test(NAME onednn_not_linked COMMAND sh -c "! ldd '$<TARGET_FILE:heed_cli>' | grep dnnl")
  set_tests_properties(onednn_not_linked PROPERTIES TIMEOUT 30)
endif()

# The build needs no Python; where there is one, the comparison with PyTorch is checked without PyTorch.
find_program(HEED_PYTHON python3)
if(HEED_PYTHON)
  add_test(NAME compare_with_torch
           COMMAND "${HEED_PYTHON}" -B "${PROJECT_SOURCE_DIR}/tests/bench/compare_test.py")
  set_tests_properties(compare_with_torch PROPERTIES TIMEOUT 30)
endif()
