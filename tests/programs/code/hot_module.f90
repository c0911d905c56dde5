! A procedure of a module takes the time.
!
! build: gfortran -O2 -fno-inline asked.f90 hot_module.f90 -o hot_module
! run: hot_module [seconds]
! hypothesis: CPUbound
! function: /Code/hot_module.f90/mill::grind
! object: none
module mill
  implicit none
contains
  subroutine grind(x)
    double precision, intent(inout) :: x
    integer :: i
    do i = 1, 40000
      x = x * 0.999d0 + 1.0d0 / (1.0d0 + x * x)
    end do
  end subroutine grind

  subroutine sift(x)
    double precision, intent(inout) :: x
    integer :: i
    do i = 1, 500
      x = x * 0.99d0 + 0.01d0
    end do
  end subroutine sift
end module mill

program hot_module
  use asked
  use mill
  implicit none
  double precision :: x, length
  integer(8) :: start, now, rate
  length = seconds_asked()
  x = 0.5d0
  call system_clock(start, rate)
  do
    call system_clock(now)
    if (dble(now - start) / dble(rate) > length) exit
    call sift(x)
    call grind(x)
  end do
  print '(a,f8.3)', 'hot_module:', x
end program hot_module
