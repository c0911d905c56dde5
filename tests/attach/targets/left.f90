! Two threads call a function often until the input ends.
module parts
   implicit none
contains
   subroutine step(x)
      double precision, intent(inout) :: x
      integer :: i
      do i = 1, 20000
         x = x * 0.999d0 + 1d0 / (1d0 + x * x)
      end do
   end subroutine step
end module parts

program left
   use parts
   use iso_c_binding, only: c_int
   use omp_lib, only: omp_get_thread_num
   use iso_fortran_env, only: output_unit
   implicit none
   interface
      function input_has_ended() bind(c)
         import :: c_int
         integer(c_int) :: input_has_ended
      end function input_has_ended
   end interface
   double precision :: x(2)
   integer :: i, round
   x = 1d0
   ! The threads are there, with their own masks, before anybody looks.
   !$omp parallel num_threads(2)
   call step(x(omp_get_thread_num() + 1))
   !$omp end parallel
   write (output_unit, '(a)') 'ready'
   flush (output_unit)
   do while (input_has_ended() == 0)
      !$omp parallel do num_threads(2) private(round)
      do i = 1, 2
         do round = 1, 50
            call step(x(i))
         end do
      end do
      !$omp end parallel do
   end do
   write (output_unit, '(a)') '0 lost, done'
end program left
