/* Records what a program does to the files below one folder, so that a test can replay any part of it.
 *
 * VEIL_SHIM_ROOT  the folder (absolute)
 * VEIL_SHIM_LOG   where to append the record, outside of the folder
 * VEIL_SHIM_AT    before this call of fsync or fdatasync (from 1) ...
 * VEIL_SHIM_MOVE  ... rename this file ...
 * VEIL_SHIM_TO    ... to this name; remove it if there is none
 * VEIL_SHIM_FULL  after this call of fsync or fdatasync (from 1) no file grows any more: ENOSPC
 *
 * A record is one line, with the bytes of a write after it:
 *   C INODE PATH         a file was created            M INODE PATH    a folder was created
 *   W INODE OFFSET SIZE  bytes were written            T INODE SIZE    the size was set
 *   S INODE              a file or folder was synced   U PATH          a name was removed
 *   R PATH <tab> PATH    renamed                       L PATH <tab> PATH    linked
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int log_fd = -1;
static long syncs = 0;
static int full = 0;

/* Whether the disk is full for bytes up to this place of an open file. */
static int no_space(int fd, unsigned long file, off_t end) {
    struct stat found;
    return full && file && fstat(fd, &found) == 0 && end > found.st_size;
}

static const char *root(void) { return getenv("VEIL_SHIM_ROOT"); }

static void put(const void *bytes, size_t size) {
    if (log_fd < 0) log_fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("VEIL_SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (syscall(SYS_write, log_fd, bytes, size) != (long)size) abort();
}

static void record(const char *format, ...) {
    char line[3 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put(line, (size_t)size);
}

/* An absolute path without dots, if it lies below the root. The last part may not exist. */
static int resolve(int folder, const char *path, char *out) {
    char joined[2 * PATH_MAX], parent[2 * PATH_MAX];
    if (!root() || !path) return 0;
    if (path[0] == '/') {
        snprintf(joined, sizeof joined, "%s", path);
    } else {
        char base[PATH_MAX], name[64];
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
            ssize_t size = readlink(name, base, sizeof base - 1);
            if (size < 0) return 0;
            base[size] = 0;
        }
        snprintf(joined, sizeof joined, "%s/%s", base, path);
    }
    size_t size = strlen(joined);
    while (size > 1 && joined[size - 1] == '/') joined[--size] = 0;
    char *slash = strrchr(joined, '/');
    if (!slash) return 0;
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - joined), joined);
    char real[PATH_MAX];
    if (!realpath(parent[0] ? parent : "/", real)) return 0;
    if (snprintf(out, PATH_MAX, "%s/%s", real, slash + 1) >= PATH_MAX) return 0;
    size_t length = strlen(root());
    return strncmp(out, root(), length) == 0 && out[length] == '/';
}

/* The inode of an open file below the root; 0 for any other. */
static unsigned long inode(int fd) {
    char name[64], path[PATH_MAX];
    struct stat found;
    if (!root()) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(name, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    size_t length = strlen(root());
    if (strncmp(path, root(), length) != 0 || (path[length] != '/' && path[length] != 0)) return 0;
    if (fstat(fd, &found) != 0) return 0;
    return found.st_ino;
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    struct stat before, after;
    pthread_mutex_lock(&lock);
    int ours = (flags & (O_CREAT | O_TRUNC)) && resolve(folder, path, full);
    int existed = ours && lstat(full, &before) == 0;
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    int error = errno;
    if (ours && fd >= 0 && fstat(fd, &after) == 0) {
        if (!existed) record("C %lu %s\n", after.st_ino, full);
        else if (flags & O_TRUNC) record("T %lu 0\n", after.st_ino);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

#define MODE(flags)                                   \
    mode_t mode = 0;                                  \
    if ((flags) & (O_CREAT | O_TMPFILE)) {            \
        va_list arguments;                            \
        va_start(arguments, flags);                   \
        mode = va_arg(arguments, mode_t);             \
        va_end(arguments);                            \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static void wrote(unsigned long file, off_t offset, const void *bytes, ssize_t size) {
    if (!file || size <= 0) return;
    record("W %lu %ld %ld\n", file, (long)offset, (long)size);
    put(bytes, (size_t)size);
}

/* Where the next write goes. */
static off_t place(int fd) {
    struct stat found;
    if ((fcntl(fd, F_GETFL) & O_APPEND) && fstat(fd, &found) == 0) return found.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    pthread_mutex_lock(&lock);
    unsigned long file = inode(fd);
    off_t offset = file ? place(fd) : 0;
    int refused = no_space(fd, file, offset + (off_t)size);
    ssize_t done = refused ? -1 : syscall(SYS_write, fd, bytes, size);
    int error = refused ? ENOSPC : errno;
    wrote(file, offset, bytes, done);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    pthread_mutex_lock(&lock);
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len == 0) continue;
        ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0) { if (total == 0) total = -1; break; }
        total += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    pthread_mutex_unlock(&lock);
    return total;
}

static ssize_t wrote_at(int fd, const void *bytes, size_t size, off_t offset) {
    pthread_mutex_lock(&lock);
    int refused = no_space(fd, inode(fd), offset + (off_t)size);
    ssize_t done = refused ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
    int error = refused ? ENOSPC : errno;
    wrote(inode(fd), offset, bytes, done);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return wrote_at(fd, bytes, size, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return wrote_at(fd, bytes, size, offset); }

static int resized(int fd, off_t size) {
    pthread_mutex_lock(&lock);
    unsigned long file = inode(fd);
    int done = (int)syscall(SYS_ftruncate, fd, size);
    int error = errno;
    if (done == 0 && file) record("T %lu %ld\n", file, (long)size);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int ftruncate(int fd, off_t size) { return resized(fd, size); }
int ftruncate64(int fd, off64_t size) { return resized(fd, size); }

static int reserved(int fd, int mode, off_t offset, off_t size) {
    struct stat found;
    pthread_mutex_lock(&lock);
    unsigned long file = inode(fd);
    int refused = no_space(fd, file, offset + size);
    int done = refused ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, size);
    int error = refused ? ENOSPC : errno;
    if (done == 0 && file && fstat(fd, &found) == 0) record("T %lu %ld\n", file, (long)found.st_size);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int fallocate(int fd, int mode, off_t offset, off_t size) { return reserved(fd, mode, offset, size); }
int fallocate64(int fd, int mode, off64_t offset, off64_t size) { return reserved(fd, mode, offset, size); }
int posix_fallocate(int fd, off_t offset, off_t size) { return reserved(fd, 0, offset, size) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off64_t offset, off64_t size) { return reserved(fd, 0, offset, size) == 0 ? 0 : errno; }

static int synced(int fd, long call) {
    pthread_mutex_lock(&lock);
    unsigned long file = inode(fd);
    const char *at = getenv("VEIL_SHIM_AT");
    if (file && at && ++syncs == atol(at)) {
        const char *to = getenv("VEIL_SHIM_TO");
        if (to) syscall(SYS_renameat2, AT_FDCWD, getenv("VEIL_SHIM_MOVE"), AT_FDCWD, to, 0);
        else syscall(SYS_unlinkat, AT_FDCWD, getenv("VEIL_SHIM_MOVE"), 0);
    }
    int done = (int)syscall(call, fd);
    int error = errno;
    if (done == 0 && file) record("S %lu\n", file);
    const char *last = getenv("VEIL_SHIM_FULL");
    if (file && last) {
        if (!at) syncs++;
        if (syncs >= atol(last)) full = 1;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int made(int folder, const char *path, mode_t mode) {
    char full[PATH_MAX];
    struct stat found;
    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_mkdirat, folder, path, mode);
    int error = errno;
    if (done == 0 && resolve(folder, path, full) && lstat(full, &found) == 0) record("M %lu %s\n", found.st_ino, full);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return made(folder, path, mode); }

static int removed(int folder, const char *path, int flags) {
    char full[PATH_MAX];
    pthread_mutex_lock(&lock);
    int ours = resolve(folder, path, full);
    int done = (int)syscall(SYS_unlinkat, folder, path, flags);
    int error = errno;
    if (done == 0 && ours) record("U %s\n", full);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, flags); }
int remove(const char *path) { return removed(AT_FDCWD, path, 0) == 0 ? 0 : removed(AT_FDCWD, path, AT_REMOVEDIR); }

static int renamed(int from, const char *old, int into, const char *new, unsigned flags) {
    char one[PATH_MAX], other[PATH_MAX];
    pthread_mutex_lock(&lock);
    int ours = resolve(from, old, one) && resolve(into, new, other);
    int done = (int)syscall(SYS_renameat2, from, old, into, new, flags);
    int error = errno;
    if (done == 0 && ours) record("R %s\t%s\n", one, other);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int into, const char *new) { return renamed(from, old, into, new, 0); }
int renameat2(int from, const char *old, int into, const char *new, unsigned flags) { return renamed(from, old, into, new, flags); }

static int linked(int from, const char *old, int into, const char *new, int flags) {
    char one[PATH_MAX], other[PATH_MAX];
    pthread_mutex_lock(&lock);
    int ours = resolve(from, old, one) && resolve(into, new, other);
    int done = (int)syscall(SYS_linkat, from, old, into, new, flags);
    int error = errno;
    if (done == 0 && ours) record("L %s\t%s\n", one, other);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
int link(const char *old, const char *new) { return linked(AT_FDCWD, old, AT_FDCWD, new, 0); }
int linkat(int from, const char *old, int into, const char *new, int flags) { return linked(from, old, into, new, flags); }
