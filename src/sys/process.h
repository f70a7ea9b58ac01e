// sys/process.h: this process.

#pragma once

#include <cstdint>

namespace lanner::sys {

std::uint32_t process_id() noexcept;
// How many descriptors it may have open (RLIMIT_NOFILE); the largest number if there is no limit.
std::uint64_t descriptors_max() noexcept;

}  // namespace lanner::sys
