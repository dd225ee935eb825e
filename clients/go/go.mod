module github.com/appinitializers/appinitializers/clients/go

go 1.19
