# The page of `xofm report`: TypeScript bundled by esbuild and embedded as a C++ source.
#
# Packages come from the npm registry once, and again only when the lock file changes; they live in the build tree.
set(report_page_source ${PROJECT_BINARY_DIR}/web/report_page.cpp)
set(web_source ${PROJECT_SOURCE_DIR}/src/report/web)
set(web_build ${PROJECT_BINARY_DIR}/web)
set(web_modules ${web_build}/node_modules)
if(NOT XOFM_REPORT)
  file(CONFIGURE OUTPUT ${report_page_source} CONTENT
       "#include \"report/report_page.hpp\"\nstd::string_view xofm::detail::report_page() { return {}; }\n")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/third_party/report_page.cpp)
  set(report_page_source ${PROJECT_SOURCE_DIR}/third_party/report_page.cpp)  # bundled when the source distribution was made
else()
  find_program(XOFM_NODE NAMES node nodejs)
  find_program(XOFM_NPM npm)
  if(NOT XOFM_NODE OR NOT XOFM_NPM)
    message(FATAL_ERROR "The report page needs Node.js (18 or later) and npm: run scripts/setup, "
                        "or leave the report out with -DXOFM_REPORT=OFF")
  endif()
  file(MAKE_DIRECTORY ${web_build})
  add_custom_command(
    OUTPUT ${web_build}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -DNPM=${XOFM_NPM} -DSOURCE=${web_source} -DBUILD=${web_build}
            -P ${PROJECT_SOURCE_DIR}/cmake/npm_packages.cmake
    DEPENDS ${web_source}/package.json ${web_source}/package-lock.json
    COMMENT "Installing the report's packages from the npm registry"
    VERBATIM)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web_source}/src/*)
  add_custom_command(
    OUTPUT ${report_page_source} ${web_build}/page.html ${web_build}/model.mjs
    COMMAND ${XOFM_NODE} ${web_source}/build.mjs --modules ${web_modules} --cpp ${report_page_source}
            --html ${web_build}/page.html --model ${web_build}/model.mjs
    DEPENDS ${web_build}/packages.stamp ${web_source}/build.mjs ${web_sources}
    COMMENT "Bundling the report page"
    VERBATIM)
endif()

# A target of its own: clang-tidy has nothing to say about a megabyte of text.
add_library(xofm_report_page OBJECT ${report_page_source})
set_target_properties(xofm_report_page PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_CLANG_TIDY "")
target_include_directories(xofm_report_page PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(xofm_report_page PRIVATE nlohmann_json::nlohmann_json)
