/* A disk whose flush takes a while: cc -shared -fPIC -o slow_flush.so slow_flush.c -ldl; FLUSH_US=1000 LD_PRELOAD=... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slowly(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *us = getenv("FLUSH_US");
    usleep(us ? atoi(us) : 1000);
    return real(fd);
}
int fdatasync(int fd) { return slowly("fdatasync", fd); }
int fsync(int fd) { return slowly("fsync", fd); }
