# Run by cmake/report_page.cmake: installs the locked packages into BUILD. Says what to do where there is no network.
foreach(file package.json package-lock.json .npmrc)
  configure_file(${SOURCE}/${file} ${BUILD}/${file} COPYONLY)
endforeach()
execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm could not install the packages of the report page:\n${output}\n"
                      "It needs the npm registry, or its packages in npm's cache. "
                      "To build without the report: cmake -DXOFM_REPORT=OFF ...")
endif()
file(TOUCH ${BUILD}/packages.stamp)
