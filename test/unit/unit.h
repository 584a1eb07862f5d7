#ifndef HC_TEST_UNIT_H
#define HC_TEST_UNIT_H

/* cmocka.h wants these before it, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
