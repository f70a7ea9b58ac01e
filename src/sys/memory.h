// sys/memory.h: how much memory this process may use.

#pragma once

#include <cstdint>

namespace lanner::sys {

// The machine's memory, or what the container's control group (v1 or v2) leaves of it, whichever is
// less. `root`: where /proc and /sys are (tests).
std::uint64_t memory_bytes(const char* root = "") noexcept;

}  // namespace lanner::sys
