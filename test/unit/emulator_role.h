#ifndef HC_TEST_EMULATOR_ROLE_H
#define HC_TEST_EMULATOR_ROLE_H

/*
 * Other processes and other environments for the tests of the emulated
 * runtimes: a test program starts itself again in a role.
 */

#include <stdbool.h>
#include <stddef.h>

/* Once, before threads: where this program lies. */
bool role_init(void);

/* Run this program with a role and an argument (NULL: "").  set: "NAME=value",
 * or "NAME" to unset it; NULL ends.  Returns its exit status, 128 + signal when
 * one killed it, -1 when it could not start. */
int role_run(const char *role, const char *argument, const char *const *set);

/* Whether a host access to ptr kills a process with SIGSEGV. */
bool host_access_faults(volatile char *ptr, bool write_to_it);

/* 64 bytes as text, and back. */
void role_hex(const char bytes[64], char text_out[129]);
void role_unhex(const char *text, char bytes_out[64]);

/* Fill and check with a pattern that depends on place and seed. */
void pattern_fill(unsigned char *data, size_t bytes, unsigned seed);
bool pattern_is(const unsigned char *data, size_t bytes, unsigned seed);

#endif
