! A scripted sequence of MPI calls on 2 ranks, by `use mpi_f08`, whose calls and bytes are known exactly: see expected.json.
!
! build: mpifort -g -O2 -fno-optimize-sibling-calls pattern_f08.f90 -o pattern_f08
! run: mpirun -n 2 pattern_f08 [scratch file]
! expect: no diagnosis, the numbers of expected.json
program pattern_f08
  use mpi_f08
  implicit none
  integer, parameter :: space = 256
  integer, asynchronous, save :: out(space), in(space), more(space)
  integer :: rank, other, total, error, i
  character(len=1024) :: path

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  total = 0
  in = 0
  more = 0
  out = [(1000*rank + i, i=1, space)]
  path = 'pattern.scratch'
  if (command_argument_count() > 0) call get_command_argument(1, path)

  call point_to_point()
  call wait_for_all()
  call test_and_wait()
  call wait_for_any()
  call wildcards()
  call probe()
  call persistent()
  call derived_datatype()
  call collectives()
  call communicators()
  call one_sided()
  call file()
  call control()
  out(1) = total
  call MPI_Gather(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  if (rank == 0) write (*, '(a,i0,1x,i0)') 'pattern: checksums ', in(1), in(7)
  call MPI_Finalize(error)

contains

  subroutine add(values, count)
    integer, intent(in) :: values(:), count
    integer :: k
    do k = 1, count
      total = mod(total*7 + values(k), 100003)
    end do
  end subroutine

  subroutine point_to_point()
    type(MPI_Status) :: status
    if (rank == 0) then
      call MPI_Send(out, 10, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
      call MPI_Send(out, 10, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, error)
      call MPI_Ssend(out, 7, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, error)
    else
      call MPI_Recv(in, 100, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call add(in, 10)
      call MPI_Recv(in, 100, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, status, error)
      call add(in, 10)
      call MPI_Recv(in, 7, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call add(in, 7)
    end if
    call MPI_Sendrecv(out, 8, MPI_INTEGER, other, 4, in, 16, MPI_INTEGER, other, 4, &
                      MPI_COMM_WORLD, status, error)
    call add(in, 8)
  end subroutine

  subroutine wait_for_all()
    type(MPI_Request) :: requests(4)
    call MPI_Irecv(in, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(more, 9, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(2), error)
    call MPI_Isend(out, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(3), error)
    call MPI_Isend(out, 5, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(4), error)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    call add(in, 3)
    call add(more, 5)
  end subroutine

  ! Whether the test finds the send complete may differ; its and the wait's numbers do not.
  subroutine test_and_wait()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    logical :: flag
    if (rank == 0) then
      call MPI_Isend(out, 12, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, request, error)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
      call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    else
      call MPI_Irecv(in, 20, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, request, error)
      call MPI_Wait(request, status, error)
      call add(in, 12)
    end if
  end subroutine

  subroutine wait_for_any()
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    integer :: index
    if (rank == 0) then
      call MPI_Send(out, 4, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, error)
      call MPI_Send(out, 6, MPI_INTEGER, 1, 9, MPI_COMM_WORLD, error)
    else
      call MPI_Irecv(in, 4, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, requests(1), error)
      call MPI_Irecv(more, 6, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, requests(2), error)
      call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, error)
      call MPI_Waitany(2, requests, index, status, error)
      call add(in, 4)
      call add(more, 6)
    end if
  end subroutine

  subroutine wildcards()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    if (rank == 0) then
      call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
      call MPI_Recv(in, 50, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
      call add(in, 2)
      call MPI_Recv(in, 50, MPI_INTEGER, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
      call add(in, 3)
      call MPI_Irecv(in, 50, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                     request, error)
      call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      call add(in, 4)
    else
      call MPI_Send(out, 2, MPI_INTEGER, 0, 10, MPI_COMM_WORLD, error)
      call MPI_Send(out, 3, MPI_INTEGER, 0, 11, MPI_COMM_WORLD, error)
      call MPI_Send(out, 4, MPI_INTEGER, 0, 12, MPI_COMM_WORLD, error)
    end if
  end subroutine

  subroutine probe()
    type(MPI_Status) :: status
    integer :: count
    if (rank == 0) then
      call MPI_Send(out, 9, MPI_INTEGER, 1, 13, MPI_COMM_WORLD, error)
    else
      call MPI_Probe(0, 13, MPI_COMM_WORLD, status, error)
      call MPI_Get_count(status, MPI_INTEGER, count, error)
      call MPI_Recv(in, count, MPI_INTEGER, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call add(in, count)
    end if
  end subroutine

  subroutine persistent()
    type(MPI_Request) :: request
    integer :: round
    if (rank == 0) then
      call MPI_Send_init(out, 11, MPI_INTEGER, 1, 14, MPI_COMM_WORLD, request, error)
    else
      call MPI_Recv_init(in, 30, MPI_INTEGER, 0, 14, MPI_COMM_WORLD, request, error)
    end if
    do round = 1, 3
      call MPI_Start(request, error)
      call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Request_free(request, error)
    if (rank == 1) call add(in, 11)
  end subroutine

  ! Three pairs of integers, each pair two integers apart from the next: 24 bytes of data.
  subroutine derived_datatype()
    type(MPI_Datatype) :: pairs
    call MPI_Type_vector(3, 2, 4, MPI_INTEGER, pairs, error)
    call MPI_Type_commit(pairs, error)
    if (rank == 0) then
      call MPI_Send(out, 2, pairs, 1, 15, MPI_COMM_WORLD, error)
    else
      call MPI_Recv(in, 20, MPI_INTEGER, 0, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call add(in, 12)
    end if
    call MPI_Type_free(pairs, error)
  end subroutine

  subroutine collectives()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    in(1:25) = out(1:25)
    call MPI_Bcast(in, 25, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call MPI_Reduce(out, more, 5, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, error)
    call MPI_Allreduce(out, in, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
    call add(in, 4)
    call MPI_Alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
    call add(in, 6)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine communicators()
    type(MPI_Comm) :: copy, part
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call MPI_Comm_set_name(copy, 'copy of the world', error)
    call MPI_Bcast(more, 2, MPI_INTEGER, 1, copy, error)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, part, error)
    call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, part, error)
    call add(in, 1)
    call MPI_Comm_free(part, error)
    call MPI_Comm_free(copy, error)
  end subroutine

  subroutine one_sided()
    type(MPI_Win) :: window
    integer(kind=MPI_ADDRESS_KIND) :: length, displacement
    length = 64*4
    displacement = 0
    call MPI_Win_create(in, length, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    call MPI_Win_fence(0, window, error)
    if (rank == 0) then
      call MPI_Put(out, 6, MPI_INTEGER, 1, displacement, 6, MPI_INTEGER, window, error)
    end if
    call MPI_Win_fence(0, window, error)
    call MPI_Win_free(window, error)
    if (rank == 1) call add(in, 6)
  end subroutine

  ! Rank 1's part is the end of the file, so its read of 20 integers gets 10.
  subroutine file()
    type(MPI_File) :: handle
    integer(kind=MPI_OFFSET_KIND) :: start
    integer :: posted
    start = rank*40
    posted = merge(10, 20, rank == 0)
    call MPI_File_open(MPI_COMM_WORLD, trim(path), &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, handle, error)
    call MPI_File_seek(handle, start, MPI_SEEK_SET, error)
    call MPI_File_write(handle, out, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_read_at(handle, start, in, posted, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call MPI_File_close(handle, error)
    call add(in, 10)
  end subroutine

  ! What lies between the pause and the resumption is not counted.
  subroutine control()
    call MPI_Pcontrol(2)
    call MPI_Pcontrol(0)
    call MPI_Bcast(more, 7, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call MPI_Pcontrol(1)
  end subroutine

end program
