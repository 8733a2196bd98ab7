# How every file of heed is compiled.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Sanitizers must see the whole program, so these flags are global.
if(HEED_SANITIZE)
  add_compile_options(-fsanitize=${HEED_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEED_SANITIZE})
endif()

# heed_compile_quickly(TARGET): for code whose speed does not matter (commands, tests), so that the
# build is quicker. The library keeps the optimization of the build type.
function(heed_compile_quickly TARGET)
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1>)
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
            $<$<BOOL:${HEED_WARNINGS_AS_ERRORS}>:-Werror>)

  target_compile_definitions(
    ${TARGET} PRIVATE $<$<BOOL:${HEED_PASS_THROUGH_POOL}>:HEED_PASS_THROUGH_POOL=1>)
endfunction()
