# What `cmake --install` gives: headers, library, CMake package, pkg-config file, the program, its manual page and shell
# completion.
include(CMakePackageConfigHelpers)

# A static library hands its consumer what it was linked with; a shared one hands on nothing.
get_target_property(xofm_type xofm TYPE)
set(XOFM_STATIC OFF)
set(XOFM_REQUIRES_PRIVATE "")
set(XOFM_LIBS_PRIVATE "")
if(xofm_type STREQUAL "STATIC_LIBRARY")
  set(XOFM_STATIC ON)
  set(XOFM_REQUIRES_PRIVATE "zlib, libzstd")
  if(XOFM_STD_THREADS)
    set(XOFM_LIBS_PRIVATE "-pthread")
  else()
    string(APPEND XOFM_REQUIRES_PRIVATE ", tbb")
  endif()
endif()

install(TARGETS xofm EXPORT xofmTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/xofm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
if(XOFM_C_API)
  install(TARGETS xofm_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xofm)
install(EXPORT xofmTargets NAMESPACE xofm:: DESTINATION ${package_dir})
configure_package_config_file(cmake/xofmConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/xofmConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its consumers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/xofmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/xofmConfig.cmake ${PROJECT_BINARY_DIR}/cmake/xofmConfigVersion.cmake
        DESTINATION ${package_dir})

# The prefix is found from the place of the file, so the tree may be moved or installed with --prefix.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(APPEND pkgconfig_place ${CMAKE_INSTALL_PREFIX} ${pkgconfig_dir})
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pkgconfig_place} OUTPUT_VARIABLE XOFM_PREFIX)
cmake_path(APPEND XOFM_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND XOFM_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/xofm.pc.in ${PROJECT_BINARY_DIR}/cmake/xofm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/xofm.pc DESTINATION ${pkgconfig_dir})

if(NOT XOFM_STATIC)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
             OUTPUT_VARIABLE library_from_program)
  set_target_properties(xofm_app PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
endif()
install(TARGETS xofm_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Manual page and completion are printed by scripts that read the program's own --help.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR CMAKE_CROSSCOMPILING)
  message(WARNING "No manual page and no shell completion: they need Python 3 and a program that runs on this machine")
  return()
endif()
function(xofm_from_help script output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/${script} ${ARGN} > ${output}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${output}.part ${output}
    DEPENDS xofm_app scripts/${script} scripts/cli_help.py
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Making ${output} from the program's help"
    VERBATIM)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
xofm_from_help(make_man share/xofm.1 $<TARGET_FILE:xofm_app> ${PROJECT_VERSION})
foreach(shell bash zsh fish)
  xofm_from_help(make_completion share/xofm.${shell} ${shell} $<TARGET_FILE:xofm_app>)
endforeach()
add_custom_target(xofm_help_files ALL DEPENDS share/xofm.1 share/xofm.bash share/xofm.zsh share/xofm.fish)

set(share ${PROJECT_BINARY_DIR}/share)
install(FILES ${share}/xofm.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${share}/xofm.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME xofm)
install(FILES ${share}/xofm.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _xofm)
install(FILES ${share}/xofm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
