// sys/process.cpp: this process.

#include "sys/process.h"

#include <unistd.h>

namespace lanner::sys {

std::uint32_t process_id() noexcept { return static_cast<std::uint32_t>(::getpid()); }

}  // namespace lanner::sys
