! How the procedures of a random program in Fortran compute, and take their own time.
module clocks
  use sizes
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type timespec
  interface
    integer(c_int) function clock_gettime(clock, time) bind(c)
      import :: c_int, timespec
      integer(c_int), value :: clock
      type(timespec), intent(out) :: time
    end function clock_gettime
    integer(c_int) function usleep(micros) bind(c)
      import :: c_int
      integer(c_int), value :: micros
    end function usleep
  end interface
  integer(c_int), parameter :: monotonic = 1, of_process = 2, of_thread = 3
  real(8), volatile :: sink = 0

  ! What a thread knows of each procedure: processor time with callees and without, time with callees, calls.
  real(8), dimension(0:procedures - 1) :: begun = 0, inside = 0, alone = 0, entered = 0, walls = 0
  integer(8), dimension(0:procedures - 1) :: calls = 0
  integer, dimension(0:procedures - 1) :: depth = 0
  ! The procedures that are open in a thread, and since when the innermost one computes.
  integer :: open_ones(128), opened = 0
  real(8) :: mark = 0
  ! How much later than asked for this thread woke in all, beyond what timers take: it had no processor, and that counts as sleep.
  real(8) :: late = 0
  !$omp threadprivate(begun, inside, alone, entered, walls, calls, depth, open_ones, opened, mark, late)
contains
  real(8) function seconds_of(clock)
    integer(c_int), intent(in) :: clock
    type(timespec) :: time
    integer(c_int) :: status
    status = clock_gettime(clock, time)
    seconds_of = real(time%seconds, 8) + 1d-9 * real(time%nanoseconds, 8)
  end function seconds_of

  subroutine enter(f)
    integer, intent(in) :: f
    real(8) :: now
    now = seconds_of(of_thread)
    if (opened > 0) alone(open_ones(opened)) = alone(open_ones(opened)) + now - mark
    mark = now
    opened = opened + 1
    open_ones(opened) = f
    calls(f) = calls(f) + 1
    depth(f) = depth(f) + 1
    if (depth(f) > 1) return
    begun(f) = now
    entered(f) = seconds_of(monotonic)
  end subroutine enter

  subroutine leave(f)
    integer, intent(in) :: f
    real(8) :: now
    now = seconds_of(of_thread)
    alone(f) = alone(f) + now - mark
    mark = now
    opened = opened - 1
    depth(f) = depth(f) - 1
    if (depth(f) > 0) return
    inside(f) = inside(f) + now - begun(f)
    walls(f) = walls(f) + seconds_of(monotonic) - entered(f)
  end subroutine leave

  subroutine nap(micros)
    integer(c_int), intent(in) :: micros
    real(8) :: begin
    integer(c_int) :: status
    begin = seconds_of(monotonic)
    status = usleep(micros)
    late = late + max(0d0, seconds_of(monotonic) - begin - 1d-6 * micros - 1d-4)
  end subroutine nap

  real(8) function run_delay()
    integer :: unit, status
    integer(8) :: ran, waited
    run_delay = 0
    open(newunit=unit, file='/proc/thread-self/schedstat', action='read', iostat=status)
    if (status /= 0) return
    read(unit, *, iostat=status) ran, waited
    if (status == 0) run_delay = 1d-9 * real(waited, 8)
    close(unit)
  end function run_delay
end module clocks

