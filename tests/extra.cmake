# Tests that are not GoogleTest programs.
set(consumer_flags "")
if(LABELSIEVE_SANITIZE)
  set(consumer_flags -fsanitize=${LABELSIEVE_SANITIZE})
endif()
add_test(NAME package.a_consumer_builds_against_the_installed_library
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/package
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/package -DCOMPILER=${CMAKE_CXX_COMPILER}
    "-DFLAGS=${consumer_flags}" -P ${CMAKE_CURRENT_SOURCE_DIR}/package/run.cmake)
