// sys/memory.cpp: how much memory this process may use.

#include "sys/memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

using Text = std::array<char, 4096>;

// The first bytes of a small file; empty when there is none.
std::string_view read_file(const char* path, Text* room) noexcept {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::size_t size = 0;
  ssize_t count = 0;
  while (size < room->size() &&
         (count = ::read(fd, room->data() + size, room->size() - size)) > 0) {
    size += static_cast<std::size_t>(count);
  }
  ::close(fd);
  return {room->data(), size};
}

// "max", and v1's way to say so (the largest multiple of a page), are above any machine's.
std::uint64_t limit_in(const char* directory, std::string_view group, const char* file) noexcept {
  std::array<char, PATH_MAX> path{};
  Text room;
  const int length = std::snprintf(path.data(), path.size(), "%s%.*s/%s", directory,
                                   static_cast<int>(group.size()), group.data(), file);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return UINT64_MAX;
  const std::string_view text = read_file(path.data(), &room);
  std::uint64_t bytes = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return parsed.ec == std::errc() ? bytes : UINT64_MAX;
}

// A group's limit holds for the groups in it. Inside a container the path may be that of the host,
// of which only the root is to be seen here.
std::uint64_t least_limit(const char* root, const char* hierarchy, std::string_view group,
                          const char* file) noexcept {
  std::array<char, PATH_MAX> directory{};
  const int length = std::snprintf(directory.data(), directory.size(), "%s%s", root, hierarchy);
  if (length < 0 || static_cast<std::size_t>(length) >= directory.size()) return UINT64_MAX;
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    least = std::min(least, limit_in(directory.data(), group, file));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string_view::npos) return least;
    group = group.substr(0, slash);
  }
}

// A line of /proc/self/cgroup: "0::/a/b" (v2), or "4:cpu,memory:/a/b" (v1).
std::uint64_t limit_of_line(const char* root, std::string_view line) noexcept {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return UINT64_MAX;
  std::string_view names = line.substr(first + 1, second - first - 1);
  std::string_view group = line.substr(second + 1);
  if (group == "/") group = {};
  if (names.empty()) return least_limit(root, "/sys/fs/cgroup", group, "memory.max");
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    if (names.substr(0, comma) == "memory") {
      return least_limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return UINT64_MAX;
}

}  // namespace

std::uint64_t memory_bytes(const char* root) noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  std::uint64_t least = UINT64_MAX;
  if (pages > 0 && page_bytes > 0) {
    least = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
  std::array<char, PATH_MAX> path{};
  const int length = std::snprintf(path.data(), path.size(), "%s/proc/self/cgroup", root);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return least;
  Text room;
  std::string_view text = read_file(path.data(), &room);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    least = std::min(least, limit_of_line(root, text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return least;
}

}  // namespace lanner::sys
