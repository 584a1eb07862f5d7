! Device memory in Fortran programs: MPI_IN_PLACE is a constant that Fortran
! passes by address, and a device pointer becomes an array.  Case 48k.
module memory
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    ! What each rank gives: rank, rank + 1, ...; null where the kind is not here.
    function memory_new(kind, rank, count) bind(c)
      import :: c_ptr, c_int, c_char
      character(kind=c_char), intent(in) :: kind(*)
      integer(c_int), value :: rank, count
      type(c_ptr) :: memory_new
    end function
    ! Whether it holds first, first + step, ...
    function memory_is(first, step, count) bind(c)
      import :: c_int
      integer(c_int), value :: first, step, count
      integer(c_int) :: memory_is
    end function
  end interface
  integer(c_int), parameter :: n = 1003
contains
  function device_array(kind, rank) result(array)
    character(len=*), intent(in) :: kind
    integer, intent(in) :: rank
    integer(c_int), pointer, contiguous :: array(:)
    type(c_ptr) :: address
    address = memory_new(trim(kind) // c_null_char, int(rank, c_int), n)
    if (.not. c_associated(address)) stop 77
    call c_f_pointer(address, array, [n])
  end function
end module

subroutine old_binding(kind, right)
  use mpi
  use memory
  implicit none
  character(len=*), intent(in) :: kind
  logical, intent(out) :: right
  integer(c_int), pointer, contiguous :: array(:)
  integer :: rank, ranks, code
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  array => device_array(kind, rank)
  call MPI_Allreduce(MPI_IN_PLACE, array, n, MPI_INTEGER, MPI_SUM, &
                     MPI_COMM_WORLD, code)
  right = code == MPI_SUCCESS .and. &
          memory_is(ranks * (ranks - 1) / 2, ranks, n) == 1
end subroutine

subroutine new_binding(kind, right)
  use mpi_f08
  use memory
  implicit none
  character(len=*), intent(in) :: kind
  logical, intent(out) :: right
  integer(c_int), pointer, contiguous :: array(:)
  type(MPI_Request) :: request
  integer :: rank, ranks
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  array => device_array(kind, rank)
  call MPI_Allreduce(MPI_IN_PLACE, array, n, MPI_INTEGER, MPI_SUM, &
                     MPI_COMM_WORLD)
  right = memory_is(ranks * (ranks - 1) / 2, ranks, n) == 1
  array => device_array(kind, rank)
  call MPI_Iallreduce(MPI_IN_PLACE, array, n, MPI_INTEGER, MPI_SUM, &
                      MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  right = right .and. memory_is(ranks * (ranks - 1) / 2, ranks, n) == 1
end subroutine

program fortran
  use mpi
  implicit none
  character(len=16) :: kind
  logical :: old_right, new_right
  integer :: code
  call get_command_argument(1, kind)
  call MPI_Init(code)
  call old_binding(kind, old_right)
  call new_binding(kind, new_right)
  if (old_right .and. new_right) then
    print '(a)', 'rank: right'
  else
    print '(a,2l2)', 'wrong: mpi, mpi_f08 are right: ', old_right, new_right
  end if
  call MPI_Finalize(code)
end program
