! Pairs of random numbers, counted by how far out they lie; ranks share nothing until the end. One procedure is called once and lasts for
! the whole run, another makes the numbers and takes the time.
!
! build: mpifort -O2 asked.f90 kernel_ep.f90 -o kernel_ep
! run: mpirun -n 2 kernel_ep [seconds]
! hypothesis: CPUbound
! function: /Code/kernel_ep.f90/random::fill
! object: none
module random
  implicit none
  integer, parameter :: pairs = 8192
contains
  subroutine fill(seed, x)
    double precision, intent(inout) :: seed
    double precision, intent(out) :: x(2 * pairs)
    double precision, parameter :: r23 = 2.0d0**(-23), t23 = 2.0d0**23, r46 = 2.0d0**(-46), t46 = 2.0d0**46
    double precision, parameter :: a = 1220703125.0d0
    double precision :: a1, a2, x1, x2, z, t
    integer :: i
    a1 = aint(r23 * a)
    a2 = a - t23 * a1
    do i = 1, 2 * pairs
      x1 = aint(r23 * seed)
      x2 = seed - t23 * x1
      t = a1 * x2 + a2 * x1
      z = t - t23 * aint(r23 * t)
      t = t23 * z + a2 * x2
      seed = t - t46 * aint(r46 * t)
      x(i) = 2.0d0 * r46 * seed - 1.0d0
    end do
  end subroutine fill

  subroutine count_pairs(x, counts)
    double precision, intent(in) :: x(2 * pairs)
    double precision, intent(inout) :: counts(0:9)
    double precision :: t
    integer :: i
    do i = 1, pairs
      t = x(2 * i - 1)**2 + x(2 * i)**2
      counts(min(9, int(4.0d0 * t))) = counts(min(9, int(4.0d0 * t))) + 1.0d0
    end do
  end subroutine count_pairs

  subroutine embarrassing(begin, length, counts)
    use mpi
    double precision, intent(in) :: begin, length
    double precision, intent(inout) :: counts(0:9)
    double precision :: seed, x(2 * pairs)
    seed = 271828183.0d0
    do while (MPI_Wtime() - begin < length)
      call fill(seed, x)
      call count_pairs(x, counts)
    end do
  end subroutine embarrassing
end module random

program kernel_ep
  use asked
  use random
  use mpi
  implicit none
  double precision :: counts(0:9), all(0:9), length
  integer :: ierror, rank
  length = seconds_asked()
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  counts = 0.0d0
  call embarrassing(MPI_Wtime(), length, counts)
  call MPI_Allreduce(counts, all, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,l2)', 'kernel_ep:', sum(all) > 0.0d0
  call MPI_Finalize(ierror)
end program kernel_ep
