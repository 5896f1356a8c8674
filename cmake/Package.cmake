# What `cmake --install` leaves behind so that find_package(LabelSieve) works.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME liblabelsieve-dev)
set(libraries labelsieve)
if(LABELSIEVE_BASELINES)
  list(APPEND libraries labelsieve_baselines)
endif()
if(LABELSIEVE_C)
  list(APPEND libraries labelsieve_c)
endif()
install(TARGETS ${libraries} EXPORT LabelSieveTargets
        LIBRARY COMPONENT liblabelsieve0.3 NAMELINK_COMPONENT liblabelsieve-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/labelsieve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/LabelSieve)
install(EXPORT LabelSieveTargets NAMESPACE LabelSieve:: DESTINATION ${package_folder})
if(LABELSIEVE_WEB)  # needs more packages, so it is a component that has to be asked for
  install(TARGETS labelsieve_web labelsieve_report labelsieve_sqlite EXPORT LabelSieveWeb)
  install(EXPORT LabelSieveWeb NAMESPACE LabelSieve:: DESTINATION ${package_folder})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/LabelSieveConfig.cmake.in
  ${PROJECT_BINARY_DIR}/LabelSieveConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/LabelSieveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/LabelSieveConfig.cmake
  ${PROJECT_BINARY_DIR}/LabelSieveConfigVersion.cmake DESTINATION ${package_folder})
