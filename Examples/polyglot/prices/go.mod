module prices

go 1.19

require appinitializers.example/initd v0.0.0

replace appinitializers.example/initd => ../../../clients/go
