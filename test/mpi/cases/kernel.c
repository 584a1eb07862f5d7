#include "kernel.h"

#include "driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 256 };

/* PTX as the driver itself translates it, for any device since 2016. */
static const char source[] =
    ".version 6.0\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".visible .entry increment(.param .u64 p, .param .u64 n)\n"
    "{\n"
    "    .reg .pred %over;\n"
    "    .reg .u32 %block, %size, %thread, %value;\n"
    "    .reg .u64 %p, %n, %i, %at;\n"
    "    ld.param.u64 %p, [p];\n"
    "    ld.param.u64 %n, [n];\n"
    "    mov.u32 %block, %ctaid.x;\n"
    "    mov.u32 %size, %ntid.x;\n"
    "    mov.u32 %thread, %tid.x;\n"
    "    mul.wide.u32 %i, %block, %size;\n"
    "    cvt.u64.u32 %at, %thread;\n"
    "    add.u64 %i, %i, %at;\n"
    "    setp.ge.u64 %over, %i, %n;\n"
    "    @%over bra done;\n"
    "    cvta.to.global.u64 %p, %p;\n"
    "    shl.b64 %at, %i, 2;\n"
    "    add.u64 %at, %p, %at;\n"
    "    ld.global.u32 %value, [%at];\n"
    "    add.u32 %value, %value, 1;\n"
    "    st.global.u32 [%at], %value;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

static void *loaded(void)
{
    static void *module, *function;
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);

    *(void **)&load = driver_symbol(MEM_CUDA, "cuModuleLoadData");
    *(void **)&find = driver_symbol(MEM_CUDA, "cuModuleGetFunction");
    if (module == NULL && load(&module, source) == 0 &&
        find(&function, module, "increment") != 0)
        function = NULL;
    return function;
}

bool kernel_increment(struct mem *mem, size_t count, void *stream)
{
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz,
                  unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes,
                  void *stream, void **arguments, void **extra);
    uint64_t ptr = (uintptr_t)mem->buffer, n = count;
    void    *arguments[] = {&ptr, &n}, *function = loaded();
    unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);

    if (function == NULL)
        return false;
    *(void **)&launch = driver_symbol(MEM_CUDA, "cuLaunchKernel");
    if (launch(function, blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments,
               NULL) == 0)
        return true;
    fprintf(stderr, "# cuLaunchKernel failed\n");
    exit(99);
}
