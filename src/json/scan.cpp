#include "json/scan.h"

#include "json/escape.h"

namespace lanner::json {

namespace detail {
namespace {

StringScan scan_string_scalar(const char* at, const char* end) noexcept {
  unsigned char bits = 0;
  for (; at != end; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x20 || byte == '"' || byte == '\\') break;
    bits |= byte;
  }
  return {at, bits >= 0x80};
}

}  // namespace

const ScanKernels kScalarScans = {scan_string_scalar, unescape_scalar, read_number};

}  // namespace detail

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512)
    return has_vbmi2() ? detail::kAvx512Scans : detail::kAvx512NarrowScans;
  if (level == SimdLevel::avx2) return detail::kAvx2Scans;
#endif
  static_cast<void>(level);
  return detail::kScalarScans;
}

const ScanKernels& scan_kernels() noexcept {
  static const ScanKernels& kernels = scan_kernels_of(simd_level());
  return kernels;
}

}  // namespace lanner::json
