// http1/scan.h: scanning kernels: find the end of a run of bytes of one class, with vectors of
// 128 bits (base/simd128.h), by AVX2 and by AVX-512.
//
// Each takes [begin, end) and returns the first byte outside its class, or `end`. None reads
// outside the range.

#pragma once

#include "base/cpu.h"

namespace lanner::http1 {

using ScanFunction = const char* (*)(const char* begin, const char* end) noexcept;

struct ScanKernels {
  ScanFunction token;  // tchar (RFC 9110, section 5.6.2)
  ScanFunction value;  // HTAB, SP, VCHAR, obs-text: stops at any other CTL and at DEL (section 5.5)
  ScanFunction target;  // 0x21..0x7E but '#'
};

// The best kernels that this machine supports, chosen at the first call.
const ScanKernels& scan_kernels() noexcept;
// For tests. REQUIRES: level <= simd_level()
const ScanKernels& scan_kernels_of(SimdLevel level) noexcept;

namespace detail {

extern const ScanKernels kBaselineKernels;
#if defined(__x86_64__)
extern const ScanKernels kAvx2Kernels;
extern const ScanKernels kAvx512Kernels;
#endif

}  // namespace detail
}  // namespace lanner::http1
