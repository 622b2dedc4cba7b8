// Memory of large data.
#pragma once

#include <cstddef>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace xofm::detail {

constexpr std::size_t many_cells = 4'000'000;  // from here on memory counts: 40 MB encoded

// What was freed goes back to the system: the allocator would keep it beside what comes next. Costs milliseconds.
inline void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace xofm::detail
