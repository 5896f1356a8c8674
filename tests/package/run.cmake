# Installs the build tree into a fresh folder and builds a small program against it, on a system that
# knows of no packages but those that the library itself needs: neither SQLite nor toml++.
include(${SOURCE}/steps.cmake)
know_only(libhwy libutf8proc libzip simdjson zlib)

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
build_consumer(web -DWEB=ON)
run(${WORK}/installed/bin/sieve --version)
