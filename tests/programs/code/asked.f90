! For how long a program is to run: its first argument, in seconds.
module asked
  implicit none
contains
  double precision function seconds_asked()
    character(32) :: word
    seconds_asked = 10.0d0
    if (command_argument_count() > 0) then
      call get_command_argument(1, word)
      read (word, *) seconds_asked
    end if
  end function seconds_asked
end module asked
