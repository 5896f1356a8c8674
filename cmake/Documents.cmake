# Writes manual pages and shell completions, which the command itself prints, to the folder INTO as
# they lie under share/. Usage: cmake -DSIEVE=... -DINTO=... -P Documents.cmake
function(sieve_prints file)
  execute_process(COMMAND ${SIEVE} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${INTO}/${file} "${text}")
endfunction()

file(REMOVE_RECURSE ${INTO})
execute_process(COMMAND ${SIEVE} help --json OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH ${help} verbs)
math(EXPR last "${count} - 1")
set(pages man/man1/sieve.1)
sieve_prints(man/man1/sieve.1 help --man)
foreach(k RANGE ${last})
  string(JSON verb GET ${help} verbs ${k} verb)
  sieve_prints(man/man1/sieve-${verb}.1 help ${verb} --man)
  list(APPEND pages man/man1/sieve-${verb}.1)
endforeach()
execute_process(COMMAND gzip -9n ${pages} WORKING_DIRECTORY ${INTO} COMMAND_ERROR_IS_FATAL ANY)
# Where Debian's shells look for what packages bring.
sieve_prints(bash-completion/completions/sieve completion bash)
sieve_prints(zsh/vendor-completions/_sieve completion zsh)
sieve_prints(fish/vendor_completions.d/sieve.fish completion fish)
