#include "http1/scan.h"

#include <cstdint>

#include "http/ascii.h"

namespace lanner::http1 {

namespace {

template <std::uint8_t byte_class>
const char* scan_scalar(const char* at, const char* end) noexcept {
  while (at != end && http::is_byte(*at, byte_class)) ++at;
  return at;
}

}  // namespace

namespace detail {

const ScanKernels kScalarKernels = {scan_scalar<http::kTokenByte>, scan_scalar<http::kValueByte>,
                                    scan_scalar<http::kTargetByte>};

}  // namespace detail

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Kernels;
  if (level == SimdLevel::avx2) return detail::kAvx2Kernels;
#endif
  static_cast<void>(level);
  return detail::kScalarKernels;
}

const ScanKernels& scan_kernels() noexcept {
  static const ScanKernels& kernels = scan_kernels_of(simd_level());
  return kernels;
}

}  // namespace lanner::http1
