# Warnings for our own code; errors only where CI asks for it (-DXOFM_WERROR=ON).
option(XOFM_WERROR "Treat warnings as errors" OFF)
add_library(xofm_warnings INTERFACE)
target_compile_options(xofm_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                               -Wdouble-promotion
                                               $<$<BOOL:${XOFM_WERROR}>:-Werror>)
