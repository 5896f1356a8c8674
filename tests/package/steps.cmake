# What both tests of the package do. WORK is their own folder; it is emptied.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

# From here on pkg-config finds these modules alone.
function(know_only)
  file(REMOVE_RECURSE ${WORK}/pkgconfig)
  file(MAKE_DIRECTORY ${WORK}/pkgconfig)
  set(ENV{PKG_CONFIG_PATH} "")
  foreach(module ${ARGN})
    unset(ENV{PKG_CONFIG_LIBDIR})
    execute_process(COMMAND pkg-config --variable=pcfiledir ${module} OUTPUT_VARIABLE folder
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    file(CREATE_LINK ${folder}/${module}.pc ${WORK}/pkgconfig/${module}.pc SYMBOLIC)
  endforeach()
  set(ENV{PKG_CONFIG_LIBDIR} ${WORK}/pkgconfig)
endfunction()

function(build_consumer name)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/${name} -DCMAKE_PREFIX_PATH=${WORK}/installed
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  run(${WORK}/${name}/consumer)
endfunction()

file(REMOVE_RECURSE ${WORK})
