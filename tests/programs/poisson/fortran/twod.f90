! Version C of the Poisson solver, and D when run on 8 ranks: the grid divided in both directions.
! Four exchanges per step, each one a send and a receive in one call: tags 5 up, 6 down, 7 right, 8 left,
! on a Cartesian communicator that is named "grid".
!
! build: mpifort -g -O2 -fno-optimize-sibling-calls block.f90 sweep.f90 diff.f90 twod.f90 -o twod
! run: mpirun -n 4 twod [grid size] [iterations]
! hypothesis: ExcessiveSyncWaitingTime
! function: /Code/twod.f90/exchng2
! object: /SyncObject/Message/grid
program twod
  use mpi
  use block
  implicit none
  integer, parameter :: norm_every = 50
  type(part) :: g
  double precision, allocatable :: a(:, :), b(:, :), f(:, :)
  double precision :: own, norm
  double precision, external :: diff
  external :: exchng2, sweep
  integer :: grid, column, to(4), rank, n, iterations, it, error

  call MPI_Init(error)
  call read_arguments(n, iterations)
  call divide()
  call MPI_Comm_rank(grid, rank, error)
  call MPI_Type_vector(g%ey - g%sy + 1, 1, g%ex - g%sx + 3, MPI_DOUBLE_PRECISION, column, error)
  call MPI_Type_commit(column, error)
  call allocate_grid(g, a)
  call allocate_grid(g, b)
  call allocate_grid(g, f)
  call init(g, a, b, f)

  do it = 1, iterations
    call exchng2(g, a, grid, column, to)
    call sweep(g, a, f, b)
    call exchng2(g, b, grid, column, to)
    call sweep(g, b, f, a)
    if (mod(it, norm_every) == 0 .or. it == iterations) then
      own = diff(g, a, b)
      call MPI_Allreduce(own, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid, error)
    end if
  end do
  if (rank == 0) call report('twod', n, iterations, norm)
  call MPI_Type_free(column, error)
  call MPI_Comm_free(grid, error)
  call MPI_Finalize(error)

contains

  subroutine divide()
    integer :: ranks, own_rank, dims(2), coords(2)
    logical :: periods(2)
    dims = 0
    periods = .false.
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Dims_create(ranks, 2, dims, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, error)
    call MPI_Comm_set_name(grid, 'grid', error)
    call MPI_Comm_rank(grid, own_rank, error)
    call MPI_Cart_coords(grid, own_rank, 2, coords, error)
    call MPI_Cart_shift(grid, 0, 1, to(3), to(4), error)
    call MPI_Cart_shift(grid, 1, 1, to(1), to(2), error)
    g%n = n
    call decompose(n, dims(1), coords(1), g%sx, g%ex)
    call decompose(n, dims(2), coords(2), g%sy, g%ey)
  end subroutine

end program

! The neighbours are, in this order: below, above, left, right.
subroutine exchng2(g, a, comm, column, to)
  use mpi
  use block, only: part
  implicit none
  integer, parameter :: tag_up = 5, tag_down = 6, tag_right = 7, tag_left = 8
  type(part), intent(in) :: g
  double precision, intent(inout) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  integer, intent(in) :: comm, column, to(4)
  integer :: width, error
  width = g%ex - g%sx + 1
  call MPI_Sendrecv(a(g%sx, g%ey), width, MPI_DOUBLE_PRECISION, to(2), tag_up, &
                    a(g%sx, g%sy - 1), width, MPI_DOUBLE_PRECISION, to(1), tag_up, &
                    comm, MPI_STATUS_IGNORE, error)
  call MPI_Sendrecv(a(g%sx, g%sy), width, MPI_DOUBLE_PRECISION, to(1), tag_down, &
                    a(g%sx, g%ey + 1), width, MPI_DOUBLE_PRECISION, to(2), tag_down, &
                    comm, MPI_STATUS_IGNORE, error)
  call MPI_Sendrecv(a(g%ex, g%sy), 1, column, to(4), tag_right, &
                    a(g%sx - 1, g%sy), 1, column, to(3), tag_right, &
                    comm, MPI_STATUS_IGNORE, error)
  call MPI_Sendrecv(a(g%sx, g%sy), 1, column, to(3), tag_left, &
                    a(g%ex + 1, g%sy), 1, column, to(4), tag_left, &
                    comm, MPI_STATUS_IGNORE, error)
end subroutine
