% The first stage of PARTICLE (neighbours, non-negative weights, propagation), ours beside a plain
% Octave version on the same numbers. Usage: octave-cli --quiet particle_stage1.m PARTICLE_BENCH
addpath(fileparts(mfilename('fullpath')));

function f = first_stage(x, y, k, alpha)
  n = rows(x);
  squares = sum(x .^ 2, 2);
  distances = squares + squares' - 2 * (x * x');
  distances(1:n + 1:end) = Inf;
  [~, order] = sort(distances, 2);
  h = sparse(n, n);
  for i = 1:n
    near = order(i, 1:k);
    w = lsqnonneg(x(near, :)', x(i, :)');
    if sum(w) > 0
      h(i, near) = w' / sum(w);
    end
  end
  start = y ./ sum(y, 2);
  f = start;
  for step = 1:1000
    before = f;
    f = (alpha * h * f + (1 - alpha) * start) .* y;
    f = f ./ sum(f, 2);
    if norm(f - before, 'fro') < 1e-5
      break;
    end
  end
end

folder = tempname();
mkdir(folder);
[~, text] = system([argv(){1} ' ' folder]);
ours = str2double(text);
x = load([folder '/x.txt']);
y = load([folder '/y.txt']);
f = load([folder '/f.txt']);
started = cputime();
theirs_f = first_stage(x, y, 10, 0.95);
theirs = cputime() - started;
confirm_recursive_rmdir(false);
rmdir(folder, 's');
print_race('PARTICLE, first stage (400 rows)', ours, theirs);
printf('  largest difference of a confidence %.1e\n', max(abs(f(:) - theirs_f(:))));
