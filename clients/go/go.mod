module appinitializers.example/initd

go 1.19
