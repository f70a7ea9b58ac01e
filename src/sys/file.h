// sys/file.h: the old name of sys/files.h, which hid the system's <sys/file.h> under -Isrc; to be deleted.

#pragma once
#pragma GCC system_header

#include_next <sys/file.h>

#include "sys/files.h"
