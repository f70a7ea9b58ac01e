// sys/socket.h: the old name of sys/sockets.h, which hid the system's <sys/socket.h> under -Isrc; to be deleted.

#pragma once
#pragma GCC system_header

#include_next <sys/socket.h>

#include "sys/sockets.h"
