#include "json/scan.h"

#include <cstring>

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

StringScan copy_string_scalar(const char* at, const char* end, char* to) noexcept {
  const StringScan scan = scan_string_scalar(at, end);
  if (scan.stop != at) std::memcpy(to, at, static_cast<std::size_t>(scan.stop - at));
  return scan;
}

}  // namespace

const ScanKernels kScalarScans = {scan_string_scalar, copy_string_scalar, read_number};

}  // namespace detail

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Scans;
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
