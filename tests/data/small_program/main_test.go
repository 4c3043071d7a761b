package main

import "testing"

func TestTick(t *testing.T) {
	if tick(3) != 7 {
		t.Fatal("tick is wrong")
	}
}

func TestOther(t *testing.T) {
	tick(100)
}
