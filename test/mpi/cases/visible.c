/* Start a program that sees one device: that of its rank on this node.
 *
 *   visible index|uuid PROGRAM [ARGUMENT...]
 *
 * A batch system does so where it binds a device to each task. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *symbol(void *library, const char *name)
{
    void *address = library != NULL ? dlsym(library, name) : NULL;

    if (address == NULL) {
        fprintf(stderr, "# no %s\n", name);
        exit(99);
    }
    return address;
}

/* As CUDA_VISIBLE_DEVICES takes it: any beginning that is unique. */
static void uuid_of(int device, char text[64])
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned flags);
    int (*get_uuid)(unsigned char uuid[16], int device);
    unsigned char uuid[16];
    int           used = snprintf(text, 64, "GPU-");

    *(void **)&init = symbol(library, "cuInit");
    *(void **)&get_uuid = symbol(library, "cuDeviceGetUuid");
    if (init(0) != 0 || get_uuid(uuid, device) != 0)
        exit(99);
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

        used +=
            snprintf(text + used, 64 - (size_t)used, "%s%02x", dash, uuid[i]);
    }
}

int main(int argc, char **argv)
{
    const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    char        text[64];

    if (argc < 3 || rank == NULL)
        return 99;
    setenv("HIP_VISIBLE_DEVICES", rank, 1);
    if (strcmp(argv[1], "uuid") == 0)
        uuid_of(atoi(rank), text);
    else
        snprintf(text, sizeof text, "%s", rank);
    setenv("CUDA_VISIBLE_DEVICES", text, 1);
    execv(argv[2], argv + 2);
    return 99;
}
