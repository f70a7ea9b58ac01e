/* failing_malloc.c: preloaded (LD_PRELOAD), it lets one chosen C allocation of the extension fail, or
 * all from that one on. Those of the interpreter and of other libraries go past; those of the C++
 * library, which the extension's `new` comes down to, do not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

struct range {
  uintptr_t begin, end;
};
static struct range ranges[16];
static int range_count;
static int on, lasts;
static long left, failed;

static int add_object(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  if (!strstr(info->dlpi_name, "/lanner/_core.") && strncmp(name, "libstdc++.", 10) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum && range_count < 16; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    ranges[range_count].begin = info->dlpi_addr + part->p_vaddr;
    ranges[range_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
  }
  return 0;
}

/* To be called first, once all is loaded. Returns how many pieces of code were found whose
 * allocations count: 2. */
int failing_malloc_watch(void) {
  range_count = 0;
  dl_iterate_phdr(add_object, NULL);
  return range_count;
}

/* The allocation number `number`, counted from 0 and from here on, fails. */
void failing_malloc_begin(long number, int stays) {
  left = number;
  lasts = stays;
  failed = 0;
  on = 1;
}

/* How many failed. */
long failing_malloc_end(void) {
  on = 0;
  return failed;
}

static int strikes(const void *caller) {
  if (!on) return 0;
  const uintptr_t at = (uintptr_t)caller;
  int counts = 0;
  for (int i = 0; i < range_count; ++i) counts |= at >= ranges[i].begin && at < ranges[i].end;
  if (!counts) return 0;
  const long number = left--;
  if (number != 0 && !(number < 0 && lasts)) return 0;
  ++failed;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return strikes(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return strikes(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  return strikes(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
