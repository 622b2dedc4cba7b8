# What `pip install .` builds: the C interface alone, with as few libraries beside it as can be.
foreach(part BUILD_TESTS BUILD_EXPERIMENTS BASELINES BUILD_BENCH BUILD_FUZZ INSTALL BUILD_APP)
  set(XOFM_${part} OFF)
endforeach()
set(XOFM_C_API ON)
set(XOFM_STD_THREADS ON)
set(BUILD_SHARED_LIBS OFF)
find_program(ccache ccache)
if(ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
endif()
# Without the page of the source distribution and without Node the package has no report page, and says so when it is asked
# for.
find_program(XOFM_NODE NAMES node nodejs)
find_program(XOFM_NPM npm)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/third_party/report_page.cpp AND (NOT XOFM_NODE OR NOT XOFM_NPM))
  message(STATUS "No Node.js and npm: the package is built without the report page")
  set(XOFM_REPORT OFF)
endif()
