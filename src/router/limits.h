// router/limits.h: what routes may have; all are checked when a route is added.

#pragma once

#include <cstddef>

namespace lanner::router {

inline constexpr std::size_t kRoutesMax = 100'000;
inline constexpr std::size_t kPatternBytesMax = 2048;    // of a path, or of a host
inline constexpr std::size_t kSegmentsMax = 64;          // of a path; bounds the depth of the walk
inline constexpr std::size_t kParametersMax = 16;        // of a route, its host's included
inline constexpr std::size_t kSegmentParametersMax = 4;  // in one segment
inline constexpr std::size_t kLiteralBytesMax = 255;  // of the text before, or between, parameters
inline constexpr std::size_t kMethodsMax = 54;        // without an id in http/method.h
inline constexpr std::size_t kMethodBytesMax = 32;
// What is tried one after the other: segments of text and parameters beside each other, hosts with
// parameters.
inline constexpr std::size_t kMixedSegmentsMax = 1000;
inline constexpr std::size_t kHostPatternsMax = 256;
// As in schema/scalars.h: an integer of more digits cannot be converted.
inline constexpr std::size_t kIntegerDigitsMax = 4300;

}  // namespace lanner::router
