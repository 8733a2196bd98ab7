# The package as others see it: install it, compile each installed header alone, and build and run a
# project that finds it. Not with sanitizers, whose flags the outside project would need too.

if(HEED_INSTALL AND NOT HEED_SANITIZE)
  set(heed_package_prefix "${PROJECT_BINARY_DIR}/tests/package/prefix")

  add_test(NAME package_install
           COMMAND "${CMAKE_COMMAND}" -DBINARY_DIR=${PROJECT_BINARY_DIR}
                   -DPREFIX=${heed_package_prefix} -P "${CMAKE_CURRENT_LIST_DIR}/install.cmake")

  add_test(NAME package_headers
           COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/headers.sh" "${CMAKE_CXX_COMPILER}"
                   "${heed_package_prefix}/${CMAKE_INSTALL_INCLUDEDIR}"
                   "${PROJECT_BINARY_DIR}/tests/package/headers")

  add_test(NAME package_public
           COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/public_headers.sh" "${CMAKE_CXX_COMPILER}"
                   "${heed_package_prefix}/${CMAKE_INSTALL_INCLUDEDIR}"
                   "${CMAKE_CURRENT_LIST_DIR}/public_headers.list"
                   "${PROJECT_BINARY_DIR}/tests/package/public")

  add_test(NAME package_headers_offences
           COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/headers_offences.sh" "${CMAKE_CXX_COMPILER}"
                   "${CMAKE_CURRENT_LIST_DIR}/headers.sh"
                   "${PROJECT_BINARY_DIR}/tests/package/headers_offences")

  add_test(
    NAME package_consumer
    COMMAND
      "${CMAKE_CTEST_COMMAND}" --build-and-test "${PROJECT_SOURCE_DIR}/examples/consumer"
      "${PROJECT_BINARY_DIR}/tests/package/consumer" --build-generator "${CMAKE_GENERATOR}"
      --build-options -DCMAKE_PREFIX_PATH=${heed_package_prefix}
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
      --test-command consumer)

  set_tests_properties(
    package_install package_headers package_public package_headers_offences package_consumer
    PROPERTIES TIMEOUT 600 LABELS package)
  set_tests_properties(package_install PROPERTIES FIXTURES_SETUP package)
  set_tests_properties(package_headers package_public package_consumer PROPERTIES FIXTURES_REQUIRED package)
endif()
