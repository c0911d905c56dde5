! The square of the distance between two steps, within a rank's block.
function diff(g, a, b) result(total)
  use block, only: part
  implicit none
  type(part), intent(in) :: g
  double precision, intent(in) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  double precision, intent(in) :: b(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
  double precision :: total
  integer :: i, j
  total = 0
  do j = g%sy, g%ey
    do i = g%sx, g%ex
      total = total + (a(i, j) - b(i, j))**2
    end do
  end do
end function
