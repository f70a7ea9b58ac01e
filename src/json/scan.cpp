#include "json/scan.h"

namespace lanner::json {

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

constexpr ScanKernels kScalarKernels = {scan_string_scalar};

}  // namespace

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
  static_cast<void>(level);
  return kScalarKernels;
}

const ScanKernels& scan_kernels() noexcept {
  static const ScanKernels& kernels = scan_kernels_of(simd_level());
  return kernels;
}

}  // namespace lanner::json
