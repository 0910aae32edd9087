/* Preloaded into a process: fails some of its calls, or records what it writes and flushes, for a power loss.
 *
 * FAULT_PATH    only files whose path contains this text
 * FAULT_CALL    open, write, truncate or flush
 * FAULT_FIRST   the first call that fails, from 1
 * FAULT_LAST    the last one
 * FAULT_ERRNO   the error
 * FAULT_NOTE    part of the path of a file that can never be opened
 * FAULT_COUNT   file to which a letter is appended for each call of that kind
 * FAULT_BUDGET  bytes that the files beside each other in a folder may have together: the size of a disk
 * FAULT_QUOTA   set: the budget is a quota, which the free space of the disk does not show
 * FAULT_RECORD  file to which each change is appended: kind, lengths, offset, path, data (see record)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static int calls = 0;

static int append(const char *variable, struct iovec *parts, int count)
{
    static int (*real_open)(const char *, int, ...);
    const char *path = getenv(variable);
    int file;
    if (!path)
        return 0;
    if (!real_open)
        real_open = REAL("open", int (*)(const char *, int, ...));
    file = real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || writev(file, parts, count) < 0)
        abort();
    close(file);
    return 1;
}

static int path_of(int descriptor, char *path, size_t size)
{
    char link[64];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

static int is_meant(const char *path)
{
    const char *wanted = getenv("FAULT_PATH");
    return wanted && strstr(path, wanted) != NULL;
}

/* Counts a call; returns 1, with errno set, when it is to fail. */
static int fails(const char *kind, const char *path)
{
    const char *wanted = getenv("FAULT_CALL"), *first = getenv("FAULT_FIRST"), *last = getenv("FAULT_LAST");
    const char *never = getenv("FAULT_NOTE");
    struct iovec letter = {(void *)kind, 1};
    if (never && !strcmp(kind, "open") && strstr(path, never)) {
        errno = atoi(getenv("FAULT_ERRNO"));
        return 1;
    }
    if (!wanted || strcmp(wanted, kind) || !is_meant(path))
        return 0;
    append("FAULT_COUNT", &letter, 1);
    calls++;
    if (!first || calls < atoi(first) || (last && calls > atoi(last)))
        return 0;
    errno = atoi(getenv("FAULT_ERRNO"));
    return 1;
}

static int fails_at(const char *kind, int descriptor)
{
    char path[4096];
    return getenv("FAULT_CALL") && path_of(descriptor, path, sizeof path) && fails(kind, path);
}

/* Bytes that are left of the budget, for the folder of a file. */
static int64_t left_beside(const char *path)
{
    char other[8192];
    int64_t left = atoll(getenv("FAULT_BUDGET"));
    int length = strrchr(path, '/') - path;
    struct dirent *entry;
    struct stat found;
    DIR *folder;
    snprintf(other, sizeof other, "%.*s", length, path);
    folder = opendir(other);
    while (folder && (entry = readdir(folder))) {
        snprintf(other, sizeof other, "%.*s/%s", length, path, entry->d_name);
        if (!lstat(other, &found) && S_ISREG(found.st_mode))
            left -= found.st_size;
    }
    if (folder)
        closedir(folder);
    return left;
}

/* Returns 1, with errno set, when the disk has no room for a file to be so long. */
static int is_full(int descriptor, int64_t length)
{
    char path[4096];
    struct stat found;
    if (!getenv("FAULT_BUDGET") || !path_of(descriptor, path, sizeof path) || !is_meant(path) ||
        fstat(descriptor, &found) || length <= found.st_size || length - found.st_size <= left_beside(path))
        return 0;
    errno = ENOSPC;
    return 1;
}

/* A record: kind (w write, t truncate, f flush, x failed flush, u unlink), length of the path, offset or size, length of the data. */
static void record_path(char kind, const char *path, uint64_t offset, const void *data, uint64_t length)
{
    struct {
        uint32_t kind, path_length;
        uint64_t offset, length;
    } header = {kind, strlen(path), offset, length};
    struct iovec parts[] = {{&header, sizeof header}, {(void *)path, header.path_length}, {(void *)data, length}};
    if (is_meant(path))
        append("FAULT_RECORD", parts, 3);
}

static void record(char kind, int descriptor, uint64_t offset, const void *data, uint64_t length)
{
    char path[4096];
    if (getenv("FAULT_RECORD") && path_of(descriptor, path, sizeof path))
        record_path(kind, path, offset, data, length);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        int mode;                                                                                                      \
        va_start(rest, flags);                                                                                         \
        mode = va_arg(rest, int);                                                                                      \
        va_end(rest);                                                                                                  \
        if (fails("open", path))                                                                                       \
            return -1;                                                                                                 \
        return REAL(#name, int (*)(const char *, int, ...))(path, flags, mode);                                        \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    int name(int folder, const char *path, int flags, ...)                                                             \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        int mode;                                                                                                      \
        va_start(rest, flags);                                                                                         \
        mode = va_arg(rest, int);                                                                                      \
        va_end(rest);                                                                                                  \
        if (fails("open", path))                                                                                       \
            return -1;                                                                                                 \
        return REAL(#name, int (*)(int, const char *, int, ...))(folder, path, flags, mode);                           \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int descriptor, const void *data, size_t length)
{
    off_t offset;
    ssize_t done;
    if (fails_at("write", descriptor) || is_full(descriptor, lseek(descriptor, 0, SEEK_CUR) + length))
        return -1;
    offset = getenv("FAULT_RECORD") ? lseek(descriptor, 0, SEEK_CUR) : 0;
    done = REAL("write", ssize_t(*)(int, const void *, size_t))(descriptor, data, length);
    if (done > 0 && offset >= 0)
        record('w', descriptor, offset, data, done);
    return done;
}

#define PWRITE(name)                                                                                                   \
    ssize_t name(int descriptor, const void *data, size_t length, off_t offset)                                        \
    {                                                                                                                  \
        ssize_t done;                                                                                                  \
        if (fails_at("write", descriptor) || is_full(descriptor, offset + length))                                     \
            return -1;                                                                                                 \
        done = REAL(#name, ssize_t(*)(int, const void *, size_t, off_t))(descriptor, data, length, offset);            \
        if (done > 0)                                                                                                  \
            record('w', descriptor, offset, data, done);                                                               \
        return done;                                                                                                   \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name)                                                                                                 \
    int name(int descriptor, off_t size)                                                                               \
    {                                                                                                                  \
        int done;                                                                                                      \
        if (fails_at("truncate", descriptor))                                                                          \
            return -1;                                                                                                 \
        done = REAL(#name, int (*)(int, off_t))(descriptor, size);                                                     \
        if (!done)                                                                                                     \
            record('t', descriptor, size, "", 0);                                                                      \
        return done;                                                                                                   \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define ALLOCATE(name)                                                                                                 \
    int name(int descriptor, off_t offset, off_t length)                                                               \
    {                                                                                                                  \
        if (is_full(descriptor, offset + length))                                                                      \
            return ENOSPC;                                                                                             \
        return REAL(#name, int (*)(int, off_t, off_t))(descriptor, offset, length);                                    \
    }
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

/* Makes the free space of a disk what is left of the budget. */
static int with_budget(int done, const char *folder, uint64_t unit, fsblkcnt_t *available)
{
    char path[4200];
    int64_t left;
    if (done || !getenv("FAULT_BUDGET") || getenv("FAULT_QUOTA"))
        return done;
    snprintf(path, sizeof path, "%s/", folder);
    left = left_beside(path);
    *available = left < 0 ? 0 : left / unit;
    return 0;
}

int statvfs(const char *path, struct statvfs *found)
{
    int done = REAL("statvfs", int (*)(const char *, struct statvfs *))(path, found);
    return with_budget(done, path, found->f_frsize, &found->f_bavail);
}

int statvfs64(const char *path, struct statvfs64 *found)
{
    int done = REAL("statvfs64", int (*)(const char *, struct statvfs64 *))(path, found);
    return with_budget(done, path, found->f_frsize, (fsblkcnt_t *)&found->f_bavail);
}

int fstatvfs(int descriptor, struct statvfs *found)
{
    char path[4096];
    int done = REAL("fstatvfs", int (*)(int, struct statvfs *))(descriptor, found);
    if (!path_of(descriptor, path, sizeof path) || !strrchr(path, '/'))
        return done;
    *strrchr(path, '/') = 0;
    return with_budget(done, path, found->f_frsize, &found->f_bavail);
}

int fstatvfs64(int descriptor, struct statvfs64 *found)
{
    return fstatvfs(descriptor, (struct statvfs *)found);
}

#define FLUSH(name)                                                                                                    \
    int name(int descriptor)                                                                                           \
    {                                                                                                                  \
        int done;                                                                                                      \
        if (fails_at("flush", descriptor)) {                                                                           \
            done = errno;                                                                                              \
            record('x', descriptor, 0, "", 0);                                                                         \
            errno = done;                                                                                              \
            return -1;                                                                                                 \
        }                                                                                                              \
        done = REAL(#name, int (*)(int))(descriptor);                                                                  \
        if (!done)                                                                                                     \
            record('f', descriptor, 0, "", 0);                                                                         \
        return done;                                                                                                   \
    }
FLUSH(fsync)
FLUSH(fdatasync)

int unlink(const char *path)
{
    int done = REAL("unlink", int (*)(const char *))(path);
    if (!done && getenv("FAULT_RECORD"))
        record_path('u', path, 0, "", 0);
    return done;
}
