# The C interface, tested by a program in C.
enable_language(C)
set(c_test ${CMAKE_CURRENT_SOURCE_DIR}/c_api/c_api_test.c)
add_executable(test_c_api ${c_test})
set_target_properties(test_c_api PROPERTIES C_STANDARD 11)
target_link_libraries(test_c_api PRIVATE labelsieve_c m)
target_compile_options(test_c_api PRIVATE -Wall -Wextra -Wpedantic -Werror=implicit)
if(LABELSIEVE_SANITIZE)
  target_link_options(test_c_api PRIVATE -fsanitize=${LABELSIEVE_SANITIZE})
endif()
file(STRINGS ${c_test} c_tests REGEX "^    TEST\\(")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${c_test})
foreach(line ${c_tests})
  string(REGEX REPLACE ".*TEST\\(([a-z_]+)\\).*" "\\1" name "${line}")
  add_test(NAME c_api.${name} COMMAND test_c_api ${name})
endforeach()
# Nothing but the interface can be seen from outside.
add_test(NAME c_api.shows_no_other_symbols
  COMMAND sh -c "! ${CMAKE_NM} -D --defined-only $<TARGET_FILE:labelsieve_c> | grep -v ' ls_\\| A LABELSIEVE_'")

# The header is C99, and C++.
foreach(language "c -std=c99" "c++ -std=c++11")
  string(REGEX REPLACE " .*" "" name ${language})
  add_test(NAME c_api.the_header_compiles_as_${name} COMMAND sh -c
    "printf '#include <labelsieve/c_api.h>\\nint main(void) { return ls_version() == 0; }\\n' | ${CMAKE_CXX_COMPILER} -x ${language} -Wall -Wextra -Wpedantic -Werror -I${PROJECT_SOURCE_DIR}/include -fsyntax-only -")
endforeach()

# A training from a file, for the test that compares the interfaces (python/test_same_bits.py).
add_executable(train_file_c c_api/train_file.c)
set_target_properties(train_file_c PROPERTIES C_STANDARD 11)
target_compile_options(train_file_c PRIVATE -Wall -Wextra -Wpedantic)
target_link_libraries(train_file_c PRIVATE labelsieve_c)

foreach(example quickstart votes suspects audit)
  add_executable(${example}_c ${PROJECT_SOURCE_DIR}/examples/${example}.c)
  set_target_properties(${example}_c PROPERTIES C_STANDARD 99)
  target_compile_options(${example}_c PRIVATE -Wall -Wextra)
  target_link_libraries(${example}_c PRIVATE labelsieve_c)
  if(LABELSIEVE_SANITIZE)
    target_link_options(${example}_c PRIVATE -fsanitize=${LABELSIEVE_SANITIZE})
  endif()
  add_test(NAME c_api.the_example_${example}_runs COMMAND ${example}_c)
endforeach()
