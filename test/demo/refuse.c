/*
 * Run a command whose processes may not look into each other, as under many
 * container runtimes:
 *
 *     refuse COMMAND [ARGUMENT...]
 *
 * pidfd_getfd, process_vm_readv, process_vm_writev and ptrace fail with EPERM.
 * Exits 99 when that could not be had, else as the command.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#else
#define ARCHITECTURE 0 /* refuses nothing, so the check below fails */
#endif

enum { EXIT_NOT_REFUSED = 99 };

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
/* Skip so many of the instructions that follow. */
#define IF_EQUAL(value, skip) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), skip, 0)
#define UNLESS_EQUAL(value, skip) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, skip)

static int install(void)
{
    struct sock_filter code[] = {
        LOAD(arch),
        UNLESS_EQUAL(ARCHITECTURE, 5),
        LOAD(nr),
        IF_EQUAL(SYS_pidfd_getfd, 4),
        IF_EQUAL(SYS_process_vm_readv, 3),
        IF_EQUAL(SYS_process_vm_writev, 2),
        IF_EQUAL(SYS_ptrace, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* A process may always read itself: where that fails, the filter works. */
static int is_refused(void)
{
    char         from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == -1 &&
           errno == EPERM && syscall(SYS_pidfd_getfd, -1, 0, 0) == -1 &&
           errno == EPERM;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: refuse COMMAND [ARGUMENT...]\n");
        return EXIT_NOT_REFUSED;
    }
    if (install() != 0 || !is_refused()) {
        fprintf(stderr, "refuse: no seccomp filter: %s\n", strerror(errno));
        return EXIT_NOT_REFUSED;
    }
    execvp(argv[1], argv + 1);
    fprintf(stderr, "refuse: %s: %s\n", argv[1], strerror(errno));
    return EXIT_NOT_REFUSED;
}
