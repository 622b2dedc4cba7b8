# What `pip install .` builds: the C interface alone, with as few libraries beside it as can be.
foreach(part BUILD_TESTS BUILD_EXPERIMENTS BASELINES BUILD_BENCH BUILD_FUZZ INSTALL BUILD_APP)
  set(XOFM_${part} OFF)
endforeach()
set(XOFM_C_API ON)
set(XOFM_STD_THREADS ON)
set(BUILD_SHARED_LIBS OFF)
