# Toolchain file: builds for 64-bit Arm on another machine, with Debian's cross compiler, and runs tests
# in QEMU. HEED_ARM_PACKAGES is the folder that Debian's arm64 packages were unpacked into.
# scripts/check-arm prepares all of this.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

# Libraries of the other architecture come from that folder alone, never from this machine's.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEED_ARM_PACKAGES)
set(CMAKE_FIND_ROOT_PATH "${HEED_ARM_PACKAGES}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
