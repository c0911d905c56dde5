! Runs the procedures, and prints what all threads took.
program random_program
  use clocks
  use mill
  implicit none
  real(8) :: born, life, delay
  real(8), dimension(0:procedures - 1) :: all_inside, all_alone, all_walls
  integer(8), dimension(0:procedures - 1) :: all_calls
  integer(8) :: r, turn
  integer :: f
  born = seconds_of(monotonic)
  all_inside = 0; all_alone = 0; all_walls = 0; all_calls = 0; delay = 0
  !$omp parallel num_threads(threads) private(r, turn)
  r = 0
  do turn = 1, turns
    r = f0(r)
  end do
  !$omp critical
  all_inside = all_inside + inside
  all_alone = all_alone + alone
  all_walls = all_walls + walls
  all_calls = all_calls + calls
  delay = delay + run_delay() - late
  !$omp end critical
  !$omp end parallel
  life = threads * (seconds_of(monotonic) - born)
  do f = 0, procedures - 1
    print '(a,i0,1x,f0.6)', 'f', f, all_inside(f), 'alone', f, all_alone(f), 'wall', f, all_walls(f)
    print '(a,i0,1x,i0)', 'calls', f, all_calls(f)
  end do
  print '(a,1x,f0.6)', 'life', life, 'delay', delay, 'cpu', seconds_of(of_process), 'joined', 0d0, 'switch', 0d0
  print '(a,1x,i0)', 'threads', threads
end program random_program
