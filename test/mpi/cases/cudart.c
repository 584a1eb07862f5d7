/* Case 48a: a program on the CUDA runtime, which compilers link statically
 * unless told otherwise.  Built by cases.sh, where there is a toolkit. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 10 };

int main(int argc, char **argv)
{
    int   rank, nranks, host[COUNT], right = 1;
    void *send = NULL, *recv = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    if (cudaMalloc(&send, sizeof host) != cudaSuccess ||
        cudaMalloc(&recv, sizeof host) != cudaSuccess ||
        cudaMemcpy(send, host, sizeof host, cudaMemcpyHostToDevice) !=
            cudaSuccess)
        MPI_Abort(MPI_COMM_WORLD, 99);
    MPI_Allreduce(send, recv, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (cudaMemcpy(host, recv, sizeof host, cudaMemcpyDeviceToHost) !=
        cudaSuccess)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < COUNT; i++)
        right = right && host[i] == nranks * i;
    printf("rank %d: %s\n", rank, right ? "right" : "wrong");
    cudaFree(send);
    cudaFree(recv);
    MPI_Finalize();
    return 0;
}
