// sys/process.h: this process.

#pragma once

#include <cstdint>

namespace lanner::sys {

std::uint32_t process_id() noexcept;

}  // namespace lanner::sys
