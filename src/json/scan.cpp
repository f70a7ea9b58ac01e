#include "json/scan.h"

#include "json/specials.h"

namespace lanner::json {

namespace detail {
namespace {

using simd128::kBytes;
using simd128::Mask;
using simd128::U8;

StringScan scan_string(const char* at, const char* end) noexcept {
  U8 all{};  // bits of what was passed over
  while (end - at >= kBytes) {
    const U8 bytes = simd128::load(at);
    const Mask stops = simd128::mask_of(specials(bytes));
    if (stops) {
      const bool high = bool(simd128::high_bytes(bytes).before(stops)) || simd128::high_bytes(all);
      return {at + stops.first(), high};
    }
    all |= bytes;
    at += kBytes;
  }
  const auto left = static_cast<std::size_t>(end - at);
  const U8 bytes = simd128::load_front(at, left);
  const Mask stops = simd128::mask_of(specials(bytes));  // the zeros behind the end, too
  const bool high = bool(simd128::high_bytes(bytes).before(stops)) || simd128::high_bytes(all);
  return {at + stops.first(), high};
}

}  // namespace

const ScanKernels kBaselineScans = {scan_string, unescape_baseline, read_number};

}  // namespace detail

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Scans;
  if (level == SimdLevel::avx2) return detail::kAvx2Scans;
#endif
  static_cast<void>(level);
  return detail::kBaselineScans;
}

const ScanKernels& scan_kernels() noexcept {
  static const ScanKernels& kernels = scan_kernels_of(simd_level());
  return kernels;
}

}  // namespace lanner::json
