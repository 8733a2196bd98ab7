# The commit that is built, as a function of its own. Every build asks git; only if the answer is
# another one, the small file that holds it is compiled again, and the program linked.
#
#   cmake -D SOURCE=folder -D OUT=commit.cpp -D GIT=git -P HeedCommit.cmake
#
# as a script, writes the file. Without git, or if the folder is not the root of a checkout, the
# commit is empty.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(commit "")
  if(GIT)
    execute_process(
      COMMAND "${GIT}" --no-optional-locks rev-parse --show-prefix
      WORKING_DIRECTORY "${SOURCE}"
      RESULT_VARIABLE failed
      OUTPUT_VARIABLE prefix
      ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND prefix STREQUAL "")
      execute_process(
        COMMAND "${GIT}" --no-optional-locks describe --always --dirty --abbrev=12 "--exclude=*"
        WORKING_DIRECTORY "${SOURCE}"
        OUTPUT_VARIABLE commit
        ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
  endif()
  file(
    CONFIGURE
    OUTPUT "${OUT}"
    CONTENT
      "#include \"apps/commit.h\"

namespace heed {

const char* built_from_commit() { return \"@commit@\"; }

}  // namespace heed
"
    @ONLY)
  return()
endif()

# heed_commit(): the library heed_commit, whose header is apps/commit.h.
function(heed_commit)
  find_package(Git QUIET)
  set(out "${PROJECT_BINARY_DIR}/commit/commit.cpp")
  add_custom_target(
    heed_commit_file
    COMMAND ${CMAKE_COMMAND} -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "OUT=${out}" -D
            "GIT=${GIT_EXECUTABLE}" -P "${PROJECT_SOURCE_DIR}/cmake/HeedCommit.cmake"
    BYPRODUCTS "${out}"
    COMMENT "Asking git for the commit"
    VERBATIM)
  add_library(heed_commit STATIC "${out}")
  heed_compile_settings(heed_commit)
  target_include_directories(heed_commit PRIVATE "${PROJECT_SOURCE_DIR}")
  add_dependencies(heed_commit heed_commit_file)
endfunction()
