! One Jacobi step over a rank's block: the computation of every version.
subroutine sweep(g, a, f, b)
  use block, only: part
  implicit none
  type(part), intent(in) :: g
  double precision, intent(in) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  double precision, intent(in) :: f(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  double precision, intent(inout) :: b(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  double precision :: h
  integer :: i, j
  h = 1d0/(g%n + 1)
  do j = g%sy, g%ey
    do i = g%sx, g%ex
      b(i, j) = 0.25d0*(a(i - 1, j) + a(i, j + 1) + a(i, j - 1) + a(i + 1, j) - h*h*f(i, j))
    end do
  end do
end subroutine
