! Version A of the Poisson solver: rows divided among ranks, edges exchanged by blocking calls in sequence.
! Each rank waits for the row from below before it passes its own row on, so that the exchange runs through
! the ranks one after the other: first upwards with tag 3, then downwards with tag 4.
!
! build: mpifort -g -O2 -fno-optimize-sibling-calls block.f90 sweep.f90 diff.f90 oned.f90 -o oned
! run: mpirun -n 4 oned [grid size] [iterations]
! hypothesis: ExcessiveSyncWaitingTime
! function: /Code/oned.f90/exchng1
! object: /SyncObject/Message/MPI_COMM_WORLD/3 (and 4)
program oned
  use mpi
  use block
  implicit none
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
  if (rank == 0) call report('oned', n, iterations, norm)
  call MPI_Finalize(error)
end program

subroutine exchng1(g, a, comm, below, above)
  use mpi
  use block, only: part
  implicit none
  integer, parameter :: tag_up = 3, tag_down = 4
  type(part), intent(in) :: g
  double precision, intent(inout) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  integer, intent(in) :: comm, below, above
  integer :: error
  call MPI_Recv(a(1, g%sy - 1), g%n, MPI_DOUBLE_PRECISION, below, tag_up, comm, MPI_STATUS_IGNORE, error)
  call MPI_Send(a(1, g%ey), g%n, MPI_DOUBLE_PRECISION, above, tag_up, comm, error)
  call MPI_Recv(a(1, g%ey + 1), g%n, MPI_DOUBLE_PRECISION, above, tag_down, comm, MPI_STATUS_IGNORE, error)
  call MPI_Send(a(1, g%sy), g%n, MPI_DOUBLE_PRECISION, below, tag_down, comm, error)
end subroutine
