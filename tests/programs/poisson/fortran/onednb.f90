! Version B of the Poisson solver: rows divided among ranks, edges exchanged by non-blocking calls.
! All four transfers are under way at once and are completed together; tag 3 goes up, tag 4 goes down.
! This one uses the old include file instead of the module.
!
! build: mpifort -g -O2 -fno-optimize-sibling-calls block.f90 sweep.f90 diff.f90 onednb.f90 -o onednb
! run: mpirun -n 4 onednb [grid size] [iterations]
! hypothesis: ExcessiveSyncWaitingTime
! function: /Code/onednb.f90/exchng1
! object: /SyncObject/Message/MPI_COMM_WORLD (both tags are waited for in one call)
program onednb
  use block
  implicit none
  include 'mpif.h'
  integer, parameter :: norm_every = 50
  type(part) :: g
  double precision, allocatable :: a(:, :), b(:, :), f(:, :)
  double precision :: own, norm
  double precision, external :: diff
  external :: exchng1, sweep
  integer :: rank, ranks, n, iterations, below, above, it, error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call read_arguments(n, iterations)
  g = part(n=n, sx=1, ex=n, sy=0, ey=0)
  call decompose(n, ranks, rank, g%sy, g%ey)
  below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  call allocate_grid(g, a)
  call allocate_grid(g, b)
  call allocate_grid(g, f)
  call init(g, a, b, f)

  do it = 1, iterations
    call exchng1(g, a, MPI_COMM_WORLD, below, above)
    call sweep(g, a, f, b)
    call exchng1(g, b, MPI_COMM_WORLD, below, above)
    call sweep(g, b, f, a)
    if (mod(it, norm_every) == 0 .or. it == iterations) then
      own = diff(g, a, b)
      call MPI_Allreduce(own, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end if
  end do
  if (rank == 0) call report('onednb', n, iterations, norm)
  call MPI_Finalize(error)
end program

subroutine exchng1(g, a, comm, below, above)
  use block, only: part
  implicit none
  include 'mpif.h'
  integer, parameter :: tag_up = 3, tag_down = 4
  type(part), intent(in) :: g
  double precision, intent(inout) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  integer, intent(in) :: comm, below, above
  integer :: requests(4), error
  call MPI_Irecv(a(1, g%sy - 1), g%n, MPI_DOUBLE_PRECISION, below, tag_up, comm, requests(1), error)
  call MPI_Irecv(a(1, g%ey + 1), g%n, MPI_DOUBLE_PRECISION, above, tag_down, comm, requests(2), error)
  call MPI_Isend(a(1, g%ey), g%n, MPI_DOUBLE_PRECISION, above, tag_up, comm, requests(3), error)
  call MPI_Isend(a(1, g%sy), g%n, MPI_DOUBLE_PRECISION, below, tag_down, comm, requests(4), error)
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
end subroutine
