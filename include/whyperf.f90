!> whyperf: regions, counters and phases of a program, for Fortran.
!!
!!     use whyperf
!!     type(whyperf_region), save :: solve
!!     solve = whyperf_region('solve')            or, of a group: whyperf_region('solve', 'work')
!!     call whyperf_begin(solve)
!!     ...
!!     call whyperf_end(solve)
!!
!!     type(whyperf_counter), save :: cells, level
!!     cells = whyperf_counter('cells'); level = whyperf_counter('level [m]')
!!     call whyperf_add(cells, n)
!!     call whyperf_set(level, v)
!!
!!     call whyperf_metadata('mesh', 'fine')
!!     call whyperf_phase('assembly')
!!     call whyperf_pause()
!!     call whyperf_resume()
!!
!! Compile this file with the program. It needs nothing else at link time; where libwhyperf.so is not loaded,
!! every call returns at once. Regions and counters are saved variables, one per name.
module whyperf
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: whyperf_region, whyperf_counter
  public :: whyperf_begin, whyperf_end, whyperf_add, whyperf_set
  public :: whyperf_phase, whyperf_metadata, whyperf_pause, whyperf_resume

  integer, parameter :: longest = 63
  !> Says that the name of a group stands behind that of a region.
  integer(c_int32_t), parameter :: grouped = int(z'67726f75', c_int32_t)

  !> The bytes that the library knows.
  type, bind(c) :: shared_region
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: id = 0
    integer(c_int32_t) :: kind = 0
  end type

  !> Something that begins and ends.
  type :: whyperf_region
    private
    type(shared_region) :: shared
    !> The name, and behind its zero that of the group, if there is one.
    character(kind=c_char) :: name(2 * (longest + 1)) = c_null_char
  end type

  !> Something that is counted.
  type :: whyperf_counter
    private
    type(whyperf_region) :: region
  end type

  interface whyperf_region
    module procedure new_region
  end interface

  interface whyperf_counter
    module procedure new_counter
  end interface

  interface whyperf_add
    module procedure add_long, add_short
  end interface

  interface whyperf_set
    module procedure set_long, set_short
  end interface

  abstract interface
    subroutine on_region(region) bind(c)
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine
    subroutine on_counter(counter, amount) bind(c)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: counter
      integer(c_int64_t), value :: amount
    end subroutine
    subroutine on_name(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine on_pair(key, value) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: key(*), value(*)
    end subroutine
    subroutine on_nothing() bind(c)
    end subroutine
  end interface

  interface
    function dlsym(handle, name) bind(c, name='dlsym') result(found)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
    function dlerror() bind(c, name='dlerror') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
  end interface

  procedure(on_region), pointer, save :: begin => null()
  procedure(on_region), pointer, save :: finish => null()
  procedure(on_counter), pointer, save :: add => null()
  procedure(on_counter), pointer, save :: set => null()
  procedure(on_name), pointer, save :: phase => null()
  procedure(on_pair), pointer, save :: metadata => null()
  procedure(on_nothing), pointer, save :: pause => null()
  procedure(on_nothing), pointer, save :: resume => null()
  logical, volatile, save :: looked = .false.

contains

  function new_region(name, group) result(region)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: group
    type(whyperf_region) :: region
    integer :: i, length

    length = min(len_trim(name), longest)
    do i = 1, length
      region%name(i) = name(i:i)
    end do
    if (.not. present(group)) return
    do i = 1, min(len_trim(group), longest)
      region%name(length + 1 + i) = group(i:i)
    end do
    region%shared%kind = grouped
  end function

  function new_counter(name) result(counter)
    character(len=*), intent(in) :: name
    type(whyperf_counter) :: counter

    counter%region = new_region(name)
  end function

  !> Begins a visit of the region.
  subroutine whyperf_begin(region)
    type(whyperf_region), target, intent(inout) :: region

    if (is_loaded()) call begin(ready(region))
  end subroutine

  !> Ends the visit, and what is still open inside it.
  subroutine whyperf_end(region)
    type(whyperf_region), target, intent(inout) :: region

    if (is_loaded()) call finish(ready(region))
  end subroutine

  subroutine add_long(counter, amount)
    type(whyperf_counter), target, intent(inout) :: counter
    integer(c_int64_t), intent(in) :: amount

    if (is_loaded()) call add(ready(counter%region), amount)
  end subroutine

  subroutine add_short(counter, amount)
    type(whyperf_counter), target, intent(inout) :: counter
    integer(c_int32_t), intent(in) :: amount

    call add_long(counter, int(amount, c_int64_t))
  end subroutine

  subroutine set_long(counter, value)
    type(whyperf_counter), target, intent(inout) :: counter
    integer(c_int64_t), intent(in) :: value

    if (is_loaded()) call set(ready(counter%region), value)
  end subroutine

  subroutine set_short(counter, value)
    type(whyperf_counter), target, intent(inout) :: counter
    integer(c_int32_t), intent(in) :: value

    call set_long(counter, int(value, c_int64_t))
  end subroutine

  !> The program enters a phase; it lasts until the next one.
  subroutine whyperf_phase(name)
    character(len=*), intent(in) :: name

    if (is_loaded()) call phase(trim(name) // c_null_char)
  end subroutine

  !> Says of this process that the key has this value; of a key the last value counts.
  subroutine whyperf_metadata(key, value)
    character(len=*), intent(in) :: key, value

    if (.not. is_loaded()) return
    if (associated(metadata)) call metadata(trim(key) // c_null_char, trim(value) // c_null_char)
  end subroutine

  !> Records nothing until whyperf_resume; visits that are open still end.
  subroutine whyperf_pause()
    if (is_loaded()) call pause()
  end subroutine

  subroutine whyperf_resume()
    if (is_loaded()) call resume()
  end subroutine

  !> The region's address for the library, which finds the name beside it.
  function ready(region) result(address)
    type(whyperf_region), target, intent(inout) :: region
    type(c_ptr) :: address

    if (.not. c_associated(region%shared%name)) region%shared%name = c_loc(region%name)
    address = c_loc(region%shared)
  end function

  !> Whether the library is there; the first call looks.
  function is_loaded()
    logical :: is_loaded

    if (.not. looked) call look_up()
    is_loaded = associated(begin)
  end function

  subroutine look_up()
    type(c_funptr) :: found
    type(c_ptr) :: ignored

    found = named('whyperf_region_begin')
    if (c_associated(found)) then
      call c_f_procpointer(named('whyperf_region_end'), finish)
      call c_f_procpointer(named('whyperf_counter_add'), add)
      call c_f_procpointer(named('whyperf_counter_set'), set)
      call c_f_procpointer(named('whyperf_phase_begin'), phase)
      call c_f_procpointer(named('whyperf_metadata_set'), metadata)
      call c_f_procpointer(named('whyperf_measurement_pause'), pause)
      call c_f_procpointer(named('whyperf_measurement_resume'), resume)
      call c_f_procpointer(found, begin)
    else
      ignored = dlerror() ! the failed search is not the program's
    end if
    looked = .true.
  end subroutine

  function named(name) result(found)
    character(len=*), intent(in) :: name
    type(c_funptr) :: found

    found = dlsym(c_null_ptr, name // c_null_char)
  end function
end module
