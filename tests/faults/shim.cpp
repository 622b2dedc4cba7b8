// Preloaded into the program: makes one allocation or one write to the disk fail, as a test asks.
//   XOFM_FAIL_ALLOCATION=N   the N-th allocation since main began, and all after it, find no memory
//   XOFM_FAIL_WRITE=N        the N-th call that changes a file (write, fsync, linkat, rename) fails: the disk is full
//   XOFM_FAULT_COUNT=FILE    the counts at the end of the program go there
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<bool> is_counting = false;
std::atomic<long> allocations = 0;
std::atomic<long> writes = 0;
long failing_allocation = 0;
long failing_write = 0;

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

bool no_memory() {
  if (!is_counting) return false;
  const long count = ++allocations;
  return failing_allocation > 0 && count >= failing_allocation;
}

bool no_space(int file) {
  if (!is_counting || file == STDOUT_FILENO || file == STDERR_FILENO) return false;
  if (++writes != failing_write) return false;
  errno = ENOSPC;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((destructor)) void report() {
  is_counting = false;
  const char* const path = std::getenv("XOFM_FAULT_COUNT");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "%ld %ld\n", allocations.load(), writes.load());
  std::fclose(file);
}

}  // namespace

extern "C" {

// The first thing that main does: before it, and after main, when the C library unloads others, nothing can be
// promised.
int mallopt(int parameter, int value) {
  std::atexit([] { is_counting = false; });
  failing_allocation = number("XOFM_FAIL_ALLOCATION");
  failing_write = number("XOFM_FAIL_WRITE");
  is_counting = true;
  return next<int(int, int)>("mallopt")(parameter, value);
}

void* malloc(std::size_t size) { return no_memory() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return no_memory() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* block, std::size_t size) { return no_memory() ? nullptr : __libc_realloc(block, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return no_memory() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return no_memory() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = no_memory() ? nullptr : __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  return no_space(file) ? -1 : next<ssize_t(int, const void*, std::size_t)>("write")(file, bytes, size);
}
int fsync(int file) { return no_space(file) ? -1 : next<int(int)>("fsync")(file); }
int rename(const char* from, const char* to) {
  return no_space(-1) ? -1 : next<int(const char*, const char*)>("rename")(from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return no_space(-1)
             ? -1
             : next<int(int, const char*, int, const char*, int)>("linkat")(from_folder, from, to_folder, to, flags);
}

}  // extern "C"
