# Toolchain file: for aarch64, by Debian's cross compiler; tests run under qemu-user. LANNER_ARM64_ROOT: where
# tools/setup.sh has unpacked the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(LANNER_ARM64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/root CACHE PATH "Libraries for arm64")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${LANNER_ARM64_ROOT}/usr/include")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${LANNER_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
