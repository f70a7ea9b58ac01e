// json/scan.h: the kernels for reading: the end of a string literal, its content, numbers: with
// vectors of 128 bits, AVX2, AVX-512, chosen at run time.

#pragma once

#include <cstddef>

#include "base/cpu.h"
#include "json/number.h"
#include "json/unescape.h"

namespace lanner::json {

struct StringScan {
  const char* stop;  // the first quote, backslash or control byte (< 0x20); `end` if there is none
  bool high;         // a byte above 0x7F stands before it
};

// Reads nothing outside [at, end).
using StringScanFunction = StringScan (*)(const char* at, const char* end) noexcept;

struct ScanKernels {
  StringScanFunction string;
  UnescapeFunction unescape;
  NumberFunction number;
};

// The best kernels that this machine supports, chosen at the first call.
const ScanKernels& scan_kernels() noexcept;
// For tests. REQUIRES: level <= simd_level()
const ScanKernels& scan_kernels_of(SimdLevel level) noexcept;

namespace detail {

extern const ScanKernels kBaselineScans;
#if defined(__x86_64__)
extern const ScanKernels kAvx2Scans;
extern const ScanKernels kAvx512Scans;
#endif

}  // namespace detail
}  // namespace lanner::json
