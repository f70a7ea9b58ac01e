#include "http1/scan.h"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "http/ascii.h"

namespace lanner::http1 {
namespace {

struct Kernel {
  const char* name;
  ScanFunction ScanKernels::*function;
  std::uint8_t byte_class;
};

constexpr std::array<Kernel, 3> kKernels = {{{"token", &ScanKernels::token, http::kTokenByte},
                                             {"value", &ScanKernels::value, http::kValueByte},
                                             {"target", &ScanKernels::target, http::kTargetByte}}};

std::vector<SimdLevel> levels() {
  std::vector<SimdLevel> all;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level)
    all.push_back(static_cast<SimdLevel>(level));
  return all;
}

// What a kernel should say, written once more and differently.
std::size_t expected(const Kernel& kernel, const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((http::kByteClasses[static_cast<unsigned char>(text[i])] & kernel.byte_class) == 0)
      return i;
  }
  return text.size();
}

template <class F>
void each_kernel(F&& check) {
  for (const SimdLevel level : levels()) {
    for (const Kernel& kernel : kKernels) {
      SCOPED_TRACE(std::string(kernel.name) + " at level " +
                   std::to_string(static_cast<int>(level)));
      check(kernel, scan_kernels_of(level).*kernel.function);
    }
  }
}

TEST(Scan, StopsAtEachByteOutsideTheClass) {
  each_kernel([](const Kernel& kernel, ScanFunction scan) {
    for (int value = 0; value < 256; ++value) {
      for (std::size_t at = 0; at < 70; ++at) {
        std::string text(140, 'a');
        text[at] = static_cast<char>(value);
        const char* found = scan(text.data(), text.data() + text.size());
        ASSERT_EQ(static_cast<std::size_t>(found - text.data()), expected(kernel, text))
            << value << " at " << at;
      }
    }
  });
}

TEST(Scan, StopsAtEachPlaceOfAShortText) {
  each_kernel([](const Kernel& kernel, ScanFunction scan) {
    for (std::size_t size = 1; size < 70; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        for (const char stop : {'\n', '\x7f', '\0'}) {
          std::string text(size, 'z');
          text[at] = stop;
          text.shrink_to_fit();
          const char* found = scan(text.data(), text.data() + size);
          ASSERT_EQ(static_cast<std::size_t>(found - text.data()), expected(kernel, text)) << size;
        }
      }
    }
  });
}

TEST(Scan, FindsTheFirstOfMany) {
  each_kernel([](const Kernel& kernel, ScanFunction scan) {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
      std::string text(random() % 300, 'x');
      const auto rarity = 1 + random() % 60;
      for (char& byte : text) {
        if (random() % rarity == 0) byte = static_cast<char>(random());
      }
      const char* found = scan(text.data(), text.data() + text.size());
      ASSERT_EQ(static_cast<std::size_t>(found - text.data()), expected(kernel, text));
    }
  });
}

// The bytes end at a page that must not be touched, and begin at one.
class GuardedPage {
 public:
  GuardedPage() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    memory_ =
        static_cast<char*>(mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(begin(), page_, PROT_READ | PROT_WRITE);
  }
  ~GuardedPage() { munmap(memory_, 3 * page_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;
  char* begin() { return memory_ + page_; }
  char* end() { return begin() + page_; }

 private:
  std::size_t page_;
  char* memory_;
};

TEST(Scan, ReadsNothingOutsideTheInput) {
  GuardedPage page;
  std::memset(page.begin(), 'a', static_cast<std::size_t>(page.end() - page.begin()));
  each_kernel([&](const Kernel&, ScanFunction scan) {
    for (std::ptrdiff_t bytes = 0; bytes <= 200; ++bytes) {
      ASSERT_EQ(scan(page.end() - bytes, page.end()), page.end()) << bytes;
      ASSERT_EQ(scan(page.begin(), page.begin() + bytes), page.begin() + bytes) << bytes;
    }
  });
}

TEST(Scan, DoesNotSeeBytesBesideTheInput) {
  each_kernel([](const Kernel&, ScanFunction scan) {
    for (std::size_t offset = 0; offset < 64; ++offset) {
      for (std::size_t bytes = 0; bytes < 140; ++bytes) {
        std::string text(offset + bytes + 80, '\0');
        text.replace(offset, bytes, bytes, 'b');
        const char* begin = text.data() + offset;
        ASSERT_EQ(scan(begin, begin + bytes), begin + bytes);
        ASSERT_EQ(scan(begin, begin + bytes + 80), begin + bytes);
      }
    }
  });
}

TEST(Scan, TheChosenKernelsAreOfThisMachine) {
  EXPECT_EQ(&scan_kernels(), &scan_kernels_of(simd_level()));
}

}  // namespace
}  // namespace lanner::http1
