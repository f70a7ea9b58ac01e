#include "http1/scan.h"

#include "http1/scan_inl.h"

namespace lanner::http1 {

namespace detail {

const ScanKernels kBaselineKernels = {scan<Token>, scan<Value>, scan<Target>};

}  // namespace detail

const ScanKernels& scan_kernels_of(SimdLevel level) noexcept {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::kAvx512Kernels;
  if (level == SimdLevel::avx2) return detail::kAvx2Kernels;
#endif
  static_cast<void>(level);
  return detail::kBaselineKernels;
}

const ScanKernels& scan_kernels() noexcept {
  static const ScanKernels& kernels = scan_kernels_of(simd_level());
  return kernels;
}

}  // namespace lanner::http1
