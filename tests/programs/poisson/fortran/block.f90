! The part of the grid that one rank owns, its division, boundary values and the arguments of every version.
module block
  implicit none
  public

  ! Columns sx..ex and rows sy..ey of an n by n grid; arrays hold one ghost line on each side.
  type :: part
    integer :: n, sx, ex, sy, ey
  end type

contains

  subroutine decompose(n, parts, own, first, last)
    integer, intent(in) :: n, parts, own
    integer, intent(out) :: first, last
    integer :: length, rest
    length = n/parts
    rest = mod(n, parts)
    first = own*length + min(own, rest) + 1
    last = first + length - 1
    if (own < rest) last = last + 1
  end subroutine

  subroutine allocate_grid(g, a)
    type(part), intent(in) :: g
    double precision, allocatable, intent(out) :: a(:, :)
    allocate (a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1))
  end subroutine

  ! One on the left and bottom edges of the whole grid, zero elsewhere and no source.
  subroutine init(g, a, b, f)
    type(part), intent(in) :: g
    double precision, intent(out) :: a(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
    double precision, intent(out) :: b(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
    double precision, intent(out) :: f(g%sx - 1:g%ex + 1, g%sy - 1:g%ey + 1)
    a = 0
    f = 0
    if (g%sx == 1) a(0, :) = 1
    if (g%sy == 1) a(:, 0) = 1
    b = a
  end subroutine

  subroutine read_arguments(n, iterations)
    integer, intent(out) :: n, iterations
    n = argument(1, 1024)
    iterations = argument(2, 1000)
    if (n < 8 .or. iterations < 1) error stop 'usage: [grid size, at least 8] [iterations]'
  end subroutine

  function argument(position, default) result(number)
    integer, intent(in) :: position, default
    integer :: number, error
    character(len=32) :: text
    number = default
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *, iostat=error) number
    if (error /= 0) number = -1
  end function

  subroutine report(version, n, iterations, norm)
    character(len=*), intent(in) :: version
    integer, intent(in) :: n, iterations
    double precision, intent(in) :: norm
    character(len=12) :: number
    write (number, '(es12.6e2)') sqrt(norm)
    write (*, '(a,a,i0,a,i0,a,a,a,a)') version, ': grid ', n, ', ', iterations, &
      ' iterations, difference ', number(:8), 'e', number(10:)
  end subroutine

end module
