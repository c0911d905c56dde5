! Conjugate gradients with a sparse matrix, in two or more ranks: the product of the matrix with a vector takes the time.
!
! build: mpifort -O2 asked.f90 kernel_cg.f90 -o kernel_cg
! run: mpirun -n 2 kernel_cg [seconds]
! hypothesis: CPUbound
! function: /Code/kernel_cg.f90/sparse::multiply
! object: none
module sparse
  implicit none
  integer, parameter :: rows = 6000, in_a_row = 60
  double precision :: values(in_a_row, rows)
  integer :: columns(in_a_row, rows)
contains
  subroutine make_matrix(seed)
    integer, intent(in) :: seed
    integer :: i, j, state
    state = 12345 + seed
    do i = 1, rows
      do j = 1, in_a_row
        state = mod(state * 1103 + 12347, 65536)
        columns(j, i) = mod(state, rows) + 1
        values(j, i) = 0.5d0 / in_a_row
      end do
      columns(1, i) = i
      values(1, i) = 2.0d0
    end do
  end subroutine make_matrix

  subroutine multiply(p, q)
    double precision, intent(in) :: p(rows)
    double precision, intent(out) :: q(rows)
    double precision :: total
    integer :: i, j
    do i = 1, rows
      total = 0.0d0
      do j = 1, in_a_row
        total = total + values(j, i) * p(columns(j, i))
      end do
      q(i) = total
    end do
  end subroutine multiply

  subroutine advance(alpha, x, y)
    double precision, intent(in) :: alpha, x(rows)
    double precision, intent(inout) :: y(rows)
    integer :: i
    do i = 1, rows
      y(i) = y(i) + alpha * x(i)
    end do
  end subroutine advance
end module sparse

module solver
  use sparse
  use mpi
  implicit none
contains
  double precision function dot(x, y)
    double precision, intent(in) :: x(rows), y(rows)
    double precision :: mine
    integer :: ierror
    mine = dot_product(x, y)
    call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end function dot

  subroutine conjugate_gradient(b, x, rho)
    double precision, intent(in) :: b(rows)
    double precision, intent(out) :: x(rows), rho
    double precision :: r(rows), p(rows), q(rows), before
    integer :: step
    x = 0.0d0
    r = b
    p = b
    rho = dot(r, r)
    do step = 1, 25
      call multiply(p, q)
      before = rho
      call advance(before / dot(p, q), p, x)
      call advance(-before / dot(p, q), q, r)
      rho = dot(r, r)
      p = r + (rho / before) * p
    end do
  end subroutine conjugate_gradient
end module solver

program kernel_cg
  use asked
  use solver
  implicit none
  double precision :: b(rows), x(rows), rho, length, begin, spent, largest
  integer :: i, ierror, rank
  length = seconds_asked()
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call make_matrix(rank)
  ! Not the same everywhere: that would be solved in one step, and the next ones divide by zero.
  b = [(1.0d0 + mod(i, 7), i = 1, rows)]
  begin = MPI_Wtime()
  do
    call conjugate_gradient(b, x, rho)
    spent = MPI_Wtime() - begin
    call MPI_Allreduce(spent, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    if (largest > length) exit
  end do
  if (rank == 0) print '(a,l2)', 'kernel_cg:', rho >= 0.0d0
  call MPI_Finalize(ierror)
end program kernel_cg
