% A line about a race in seconds: ours, Octave's, and how many times as fast ours is beside the goal.
function print_race(name, ours, theirs)
  goal = 5;
  missed = "";
  if theirs / ours < goal
    missed = "  missed";
  end
  printf('%s    ours %7.4f s | Octave %7.3f s | %6.1fx | %.1fx%s\n', name, ours, theirs, ...
         theirs / ours, goal, missed);
end
