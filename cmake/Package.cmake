# What `cmake --install` leaves behind so that find_package(LabelSieve) works.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME liblabelsieve-dev)
# Studies and reviews need more packages, so they are components that have to be asked for.
install(TARGETS labelsieve labelsieve_c EXPORT LabelSieveTargets
        LIBRARY COMPONENT liblabelsieve0 NAMELINK_COMPONENT liblabelsieve-dev)
install(TARGETS labelsieve_studies EXPORT LabelSieveStudies)
install(TARGETS labelsieve_review EXPORT LabelSieveReview)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/labelsieve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/LabelSieve)
install(EXPORT LabelSieveTargets NAMESPACE LabelSieve:: DESTINATION ${package_folder})
install(EXPORT LabelSieveStudies NAMESPACE LabelSieve:: DESTINATION ${package_folder})
install(EXPORT LabelSieveReview NAMESPACE LabelSieve:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/LabelSieveConfig.cmake.in
  ${PROJECT_BINARY_DIR}/LabelSieveConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/LabelSieveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/LabelSieveConfig.cmake
  ${PROJECT_BINARY_DIR}/LabelSieveConfigVersion.cmake DESTINATION ${package_folder})
