# Builds the core alone on a system that knows of no package but its own, and a small program against
# what it installs; then the command without its parts, which says what is missing. A compiler cache
# makes this short.
include(${SOURCE}/steps.cmake)

function(configure_core)
  run(${CMAKE_COMMAND} -S ${SOURCE}/../.. -B ${WORK}/core -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${COMPILER} -DLABELSIEVE_BASELINES=OFF -DLABELSIEVE_STUDIES=OFF
      -DLABELSIEVE_WEB=OFF -DLABELSIEVE_MAT=OFF -DLABELSIEVE_XLSX=OFF -DLABELSIEVE_C=OFF -DLABELSIEVE_TESTS=OFF ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/core -j 2)
endfunction()

# It ends with 2 and names the option.
function(expect_missing option)
  execute_process(COMMAND ${WORK}/core/sieve ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE said
                  OUTPUT_QUIET)
  if(NOT result EQUAL 2 OR NOT said MATCHES "without.*-D${option}=ON")
    message(FATAL_ERROR "sieve ${ARGN} ends with ${result} and does not name ${option}: ${said}")
  endif()
endfunction()

know_only(libhwy libutf8proc libzip simdjson zlib)
configure_core(-DLABELSIEVE_COMMAND=OFF)
run(${CMAKE_COMMAND} --install ${WORK}/core --prefix ${WORK}/installed)
build_consumer(library -DQUICKSTART=${SOURCE}/../../examples/quickstart.cpp)
run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/library/quickstart)

know_only(libhwy libutf8proc libzip simdjson zlib tomlplusplus)
configure_core(-DLABELSIEVE_COMMAND=ON)
run(${WORK}/core/sieve synth --rows 20 --out ${WORK}/some.csv)
expect_missing(LABELSIEVE_WEB review)
expect_missing(LABELSIEVE_WEB train ${WORK}/some.csv --out ${WORK}/m --method mlp
               --decisions ${WORK}/no.db)
expect_missing(LABELSIEVE_STUDIES experiment plan.toml)
expect_missing(LABELSIEVE_STUDIES compare some.db)
expect_missing(LABELSIEVE_STUDIES report some.db --out ${WORK}/report.html)
expect_missing(LABELSIEVE_MAT convert ${WORK}/some.csv ${WORK}/some.mat)
expect_missing(LABELSIEVE_XLSX convert ${WORK}/some.csv ${WORK}/some.xlsx)
expect_missing(LABELSIEVE_BASELINES methods pml-ni)
