// sys/process.cpp: this process.

#include "sys/process.h"

#include <sys/resource.h>
#include <unistd.h>

namespace lanner::sys {

std::uint32_t process_id() noexcept { return static_cast<std::uint32_t>(::getpid()); }

std::uint64_t descriptors_max() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return ~std::uint64_t{0};
  }
  return limit.rlim_cur;
}

}  // namespace lanner::sys
