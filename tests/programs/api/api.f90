! Every call of whyperf's interface from Fortran: regions, counters, phases, pausing and resuming.
!
! build: gfortran -g -O2 -fno-optimize-sibling-calls <include>/whyperf.f90 api.f90 -o api_fortran
! run: api_fortran
! expect: its line; 1000 visits of "solve", 3000 of "step" (group "inner") under it, none of "unseen"; the counter "cells" is 6000, the gauge "level" 1 to 1000; the "mesh" is "fine"
program api
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use whyperf
  implicit none
  type(whyperf_region), save :: solve, step, unseen
  type(whyperf_counter), save :: cells, level
  integer(c_int64_t) :: total, i
  integer :: round

  solve = whyperf_region('solve')
  step = whyperf_region('step', 'inner')
  unseen = whyperf_region('unseen')
  cells = whyperf_counter('cells')
  level = whyperf_counter('level')
  total = 0
  call whyperf_metadata('mesh', 'coarse')
  call whyperf_metadata('mesh', 'fine')
  call whyperf_phase('solution')
  do round = 1, 1000
    call whyperf_begin(solve)
    do i = 1, 3
      call whyperf_begin(step)
      call whyperf_add(cells, i)
      total = total + i
      call whyperf_end(step)
    end do
    call whyperf_set(level, int(round, c_int64_t))
    call whyperf_end(solve)
  end do
  call whyperf_pause()
  call whyperf_begin(unseen)
  call whyperf_end(unseen)
  call whyperf_resume()
  call whyperf_phase('output')
  write (*, '(a,i0)') 'api: total ', total
end program
