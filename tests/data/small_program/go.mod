module example.org/small

go 1.21
