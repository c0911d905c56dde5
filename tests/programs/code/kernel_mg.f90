! Cycles over grids that get coarser and finer again, in two or more ranks with a periodic exchange: the residual on the finest
! grid takes most of the time. A cycle calls itself from level to level.
!
! build: mpifort -O2 asked.f90 kernel_mg.f90 -o kernel_mg
! run: mpirun -n 2 kernel_mg [seconds]
! hypothesis: CPUbound
! function: /Code/kernel_mg.f90/grids::residual
! object: none
module grids
  use mpi
  implicit none
  integer, parameter :: levels = 5, finest = 64
  type grid
    integer :: n
    double precision, allocatable :: u(:, :, :), r(:, :, :)
  end type grid
  type(grid) :: level(levels)
contains
  subroutine residual(n, u, r)
    integer, intent(in) :: n
    double precision, intent(in) :: u(0:n+1, 0:n+1, 0:n+1)
    double precision, intent(inout) :: r(0:n+1, 0:n+1, 0:n+1)
    double precision :: faces, edges
    integer :: i, j, k
    do k = 1, n
      do j = 1, n
        do i = 1, n
          faces = u(i-1,j,k) + u(i+1,j,k) + u(i,j-1,k) + u(i,j+1,k) + u(i,j,k-1) + u(i,j,k+1)
          edges = u(i-1,j-1,k) + u(i+1,j-1,k) + u(i-1,j+1,k) + u(i+1,j+1,k) + u(i,j-1,k-1) + u(i,j+1,k-1) &
            + u(i,j-1,k+1) + u(i,j+1,k+1) + u(i-1,j,k-1) + u(i-1,j,k+1) + u(i+1,j,k-1) + u(i+1,j,k+1)
          r(i,j,k) = 1.0d0 / (1.0d0 + i + j + k) + 2.6d0 * u(i,j,k) - 0.16d0 * faces - 0.08d0 * edges &
            + sqrt(abs(u(i,j,k))) / (3.0d0 + r(i,j,k) * r(i,j,k))
        end do
      end do
    end do
  end subroutine residual

  subroutine smooth(n, r, u)
    integer, intent(in) :: n
    double precision, intent(in) :: r(0:n+1, 0:n+1, 0:n+1)
    double precision, intent(inout) :: u(0:n+1, 0:n+1, 0:n+1)
    u(1:n, 1:n, 1:n) = 0.9d0 * u(1:n, 1:n, 1:n) - 0.05d0 * r(1:n, 1:n, 1:n)
  end subroutine smooth

  subroutine coarsen(n, fine, coarse)
    integer, intent(in) :: n
    double precision, intent(in) :: fine(0:2*n+1, 0:2*n+1, 0:2*n+1)
    double precision, intent(inout) :: coarse(0:n+1, 0:n+1, 0:n+1)
    coarse(1:n, 1:n, 1:n) = 0.5d0 * fine(1:2*n-1:2, 1:2*n-1:2, 1:2*n-1:2)
  end subroutine coarsen

  subroutine exchange(g)
    type(grid), intent(inout) :: g
    integer :: rank, ranks, count, ierror
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    count = (g%n + 2)**2
    call MPI_Sendrecv(g%u(0, 0, g%n), count, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 1, &
      g%u(0, 0, 0), count, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierror)
  end subroutine exchange

  recursive subroutine cycle_down(k)
    integer, intent(in) :: k
    call exchange(level(k))
    call residual(level(k)%n, level(k)%u, level(k)%r)
    if (k > 1) then
      call coarsen(level(k-1)%n, level(k)%r, level(k-1)%u)
      call cycle_down(k - 1)
    end if
    call smooth(level(k)%n, level(k)%r, level(k)%u)
  end subroutine cycle_down
end module grids

program kernel_mg
  use asked
  use grids
  implicit none
  double precision :: length, begin, spent, largest
  integer :: ierror, rank, k, n
  length = seconds_asked()
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do k = 1, levels
    n = finest / 2**(levels - k)
    level(k)%n = n
    allocate (level(k)%u(0:n+1, 0:n+1, 0:n+1), level(k)%r(0:n+1, 0:n+1, 0:n+1))
    level(k)%u = 0.0d0
    level(k)%r = 0.0d0
  end do
  begin = MPI_Wtime()
  do
    call cycle_down(levels)
    spent = MPI_Wtime() - begin
    call MPI_Allreduce(spent, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    if (largest > length) exit
  end do
  if (rank == 0) print '(a,l2)', 'kernel_mg:', abs(level(levels)%u(1, 1, 1)) >= 0.0d0
  call MPI_Finalize(ierror)
end program kernel_mg
