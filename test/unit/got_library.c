/* Calls a function of another library in both ways that C has.  Built several
 * times, as its own build and its load-time options make the calls differ. */
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int got_library_calls(void);
EXPORT int got_library_calls_through_pointer(void);

static pid_t (*volatile pointer)(void) = getppid;

int got_library_calls(void)
{
    return (int)getppid();
}

int got_library_calls_through_pointer(void)
{
    return (int)pointer();
}
