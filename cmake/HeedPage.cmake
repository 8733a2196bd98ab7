# The page: apps/web becomes one HTML file, which is linked into the library heed_page. esbuild checks no
# types; `make test-page` does.
#
#   cmake -D SCRIPT=page.js -D STYLE=page.css -D TEMPLATE=index.html -D OUT=page.html -P HeedPage.cmake
#
# as a script, joins the three files.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${SCRIPT}" HEED_SCRIPT)
  file(READ "${STYLE}" HEED_STYLE)
  configure_file("${TEMPLATE}" "${OUT}" @ONLY)
  file(TOUCH "${OUT}")
  return()
endif()

find_program(HEED_ESBUILD esbuild)
if(NOT HEED_ESBUILD)
  message(FATAL_ERROR "esbuild is missing: scripts/install-deps installs it (Debian's package esbuild)")
endif()
find_path(
  HEED_NODE_MODULES d3-selection/package.json
  PATHS /usr/share/nodejs /usr/share/javascript
  DOC "The folder of the JavaScript packages, of Debian's node-d3-selection")
if(NOT HEED_NODE_MODULES)
  message(FATAL_ERROR "d3 is missing: scripts/install-deps installs it (Debian's node-d3-selection and others)")
endif()

# heed_page(): the library heed_page, whose header is apps/web/page.h.
function(heed_page)
  set(web "${PROJECT_SOURCE_DIR}/apps/web")
  set(out "${PROJECT_BINARY_DIR}/page")
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS "${web}/src/*.ts")
  file(GLOB styles CONFIGURE_DEPENDS "${web}/style/*.css")
  add_custom_command(
    OUTPUT "${out}/page.html"
    COMMAND
      ${CMAKE_COMMAND} -E env "NODE_PATH=${HEED_NODE_MODULES}" "${HEED_ESBUILD}" "${web}/src/main.ts"
      --bundle --minify --format=iife --target=es2020 --charset=utf8 --legal-comments=none
      --log-level=warning "--outfile=${out}/page.js"
    COMMAND "${HEED_ESBUILD}" "${web}/style/page.css" --bundle --minify --charset=utf8
            --log-level=warning "--outfile=${out}/page.css"
    COMMAND
      ${CMAKE_COMMAND} -D "SCRIPT=${out}/page.js" -D "STYLE=${out}/page.css" -D
      "TEMPLATE=${web}/index.html" -D "OUT=${out}/page.html" -P
      "${PROJECT_SOURCE_DIR}/cmake/HeedPage.cmake"
    DEPENDS ${scripts} ${styles} "${web}/index.html" "${PROJECT_SOURCE_DIR}/cmake/HeedPage.cmake"
    COMMENT "Building the page"
    VERBATIM)
  add_library(heed_page STATIC "${web}/page.cpp")
  heed_compile_settings(heed_page)
  target_include_directories(heed_page PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(heed_page PRIVATE "-Wa,-I,${out}")
  set_source_files_properties("${web}/page.cpp" PROPERTIES OBJECT_DEPENDS "${out}/page.html")
endfunction()
