module prices

go 1.19

require github.com/appinitializers/appinitializers/clients/go v0.0.0

replace github.com/appinitializers/appinitializers/clients/go => ../../../clients/go
