# Installs the build tree into a fresh folder and builds a small program against it, on a system that
# knows of no packages but those that the library itself needs: neither SQLite nor toml++.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/pkgconfig)
foreach(module libisal libhwy libutf8proc libzip simdjson zlib)
  execute_process(COMMAND pkg-config --variable=pcfiledir ${module} OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(CREATE_LINK ${folder}/${module}.pc ${WORK}/pkgconfig/${module}.pc SYMBOLIC)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${WORK}/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")

function(build_consumer name)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/${name} -DCMAKE_PREFIX_PATH=${WORK}/installed
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  run(${WORK}/${name}/consumer)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
foreach(file man/man1/sieve.1.gz man/man1/sieve-train.1.gz bash-completion/completions/sieve
        zsh/vendor-completions/_sieve fish/vendor_completions.d/sieve.fish)
  if(NOT EXISTS ${WORK}/installed/share/${file})
    message(FATAL_ERROR "not installed: share/${file}")
  endif()
endforeach()
build_consumer(library -DQUICKSTART=${SOURCE}/../../examples/quickstart.cpp)
run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/library/quickstart)
unset(ENV{PKG_CONFIG_LIBDIR})
build_consumer(studies -DSTUDIES=ON)
build_consumer(review -DREVIEW=ON)
run(${WORK}/installed/bin/sieve --version)
