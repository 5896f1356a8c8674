% PML-NI (docs/methods/pml-ni.md): fitting and scoring the training rows, ours beside a plain Octave
% version on the same numbers, in turns of two fits, the least processor time of each. Shapes are
% those of yeast, scene, mirflickr and enron. Both sides inherit the settings of OpenBLAS; start it
% with OMP_NUM_THREADS=1. Usage: octave-cli --quiet pml_ni.m PML_NI_BENCH
addpath(fileparts(mfilename('fullpath')));

function [scores, steps] = fit_and_score(x, y, lambda, beta, gamma)
  phi = [x, ones(rows(x), 1)];
  a = y' * phi;
  k = phi' * phi;
  u = v = l = zeros(size(a));
  mu = 1e-4;
  for steps = 1:500
    w = (a + mu * (u + v) + l) / (k + (lambda + mu) * eye(rows(k)));
    before = u;
    [left, s, right] = svd(w - v - l / mu, 'econ');
    u = left * max(s - beta / mu, 0) * right';
    rest = w - u - l / mu;
    v = sign(rest) .* max(abs(rest) - gamma / mu, 0);
    small_step = mu * norm(u - before, 'fro') < 1e-5 * norm(w, 'fro');
    small_gap = norm(w - u - v, 'fro') < 1e-7 * norm(w, 'fro');
    if small_step
      mu = min(1.1 * mu, 1e10);
    end
    l = l + mu * (u + v - w);
    if small_step && small_gap
      break;
    end
  end
  scores = phi * u';
end

function m = read(path, columns)
  file = fopen(path);
  m = fread(file, [columns, Inf], 'double')';
  fclose(file);
end

function race(program, n, d, q)
  folder = tempname();
  mkdir(folder);
  ours = theirs = Inf;
  for turn = 1:3
    [~, text] = system(sprintf('%s %s %d %d %d', program, folder, n, d, q));
    ours = min(ours, str2double(text));
    x = read([folder '/x'], d);
    y = read([folder '/y'], q);
    for again = 1:2
      started = cputime();
      [scores, steps] = fit_and_score(x, y, 10, 0.5, 0.5);
      theirs = min(theirs, cputime() - started);
    end
  end
  f = read([folder '/f'], q);
  rmdir(folder, 's');
  print_race(sprintf('PML-NI, %4d x %4d x %2d, 1 thread', n, d, q), ours, theirs);
  apart = max(abs(f(:) - scores(:))) / max(abs(scores(:)));
  printf('  largest difference of a score %.1e of the largest, after %d iterations\n', apart, steps);
  if apart > 1e-4
    error('the scores differ');
  end
end

confirm_recursive_rmdir(false);
for shape = [2417 2407 5000 1702; 103 294 100 1001; 14 6 7 15]
  race(argv(){1}, shape(1), shape(2), shape(3));
end
