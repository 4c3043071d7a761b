// A small program to debug: each mode shows one thing that a debugger must handle.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// ObjectMeta has the shape that conditions on a pod rely on.
type ObjectMeta struct {
	Name      string
	Namespace string
	Labels    map[string]string
}

// Pod is a stand-in with the fields that conditions use.
type Pod struct {
	ObjectMeta
	Phase string
}

// Namer hides a concrete type behind an interface.
type Namer interface{ Title() string }

// Title makes Pod a Namer.
func (p *Pod) Title() string { return p.Namespace + "/" + p.Name }

// Queue and Stack both have a Pop, so that the bare name is ambiguous.
type Queue struct{ pods []*Pod }

// Stack is the other one.
type Stack struct{ pods []*Pod }

// Pop takes the first.
func (q *Queue) Pop() *Pod {
	pod := q.pods[0]
	q.pods = q.pods[1:]
	return pod
}

// Pop takes the last.
func (s *Stack) Pop() *Pod {
	pod := s.pods[len(s.pods)-1]
	s.pods = s.pods[:len(s.pods)-1]
	return pod
}

func tick(n int) int {
	total := n * 2
	total += 1
	return total
}

func work(pod *Pod, values []int, text string) int {
	sum := 0
	for i, value := range values {
		sum += tick(value + i)
	}
	var named Namer = pod
	labels := pod.Labels
	if named.Title() == "" || len(labels) > 1000 {
		panic("unexpected")
	}
	sum += len(text)
	return sum
}

func loop() {
	for n := 0; ; n++ {
		tick(n)
		time.Sleep(2 * time.Millisecond)
	}
}

func pods(count int) []*Pod {
	made := []*Pod{}
	for i := 0; i < count; i++ {
		labels := map[string]string{"app": "web", "index": fmt.Sprint(i)}
		made = append(made, &Pod{ObjectMeta{fmt.Sprintf("web-%d", i), "shop", labels}, "Pending"})
	}
	return made
}

func manyGoroutines(count int) {
	var wait sync.WaitGroup
	release := make(chan struct{})
	for i := 0; i < count; i++ {
		wait.Add(1)
		go func(n int) {
			defer wait.Done()
			<-release
			tick(n)
		}(i)
	}
	fmt.Println("started", count)
	close(release)
	wait.Wait()
}

func main() {
	mode := "plain"
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	fmt.Fprintf(os.Stderr, "I0301 10:00:00.000001 %7d main.go:1] \"Started\" mode=%q\n", os.Getpid(), mode)
	switch mode {
	case "plain":
		long := strings.Repeat("0123456789", 1000) + "\x1b[31m\x00\xff\u2026\"\\"
		numbers := map[string]int{}
		for i := 0; i < 300; i++ {
			numbers[fmt.Sprintf("key-%03d", i)] = i
		}
		made := pods(200)
		fmt.Println(work(made[0], []int{1, 2, 3}, long), len(numbers))
	case "pods":
		queue, stack := &Queue{pods(10)}, &Stack{pods(10)}
		for i := 0; i < 10; i++ {
			first, last := queue.Pop(), stack.Pop()
			fmt.Println(first.Title(), last.Title())
		}
	case "loop":
		loop()
	case "panic":
		var missing *Pod
		fmt.Println(missing.Phase)
	case "deadlock":
		var lock sync.Mutex
		lock.Lock()
		lock.Lock()
	case "goroutines":
		manyGoroutines(3000)
	case "exit":
		fmt.Fprintln(os.Stderr, "F0301 10:00:00.000002       1 main.go:2] unknown flag: --nonsense")
		os.Exit(3)
	case "race":
		var wait sync.WaitGroup
		for i := 0; i < 4; i++ {
			wait.Add(1)
			go func(n int) {
				defer wait.Done()
				for k := 0; k < 50; k++ {
					tick(n*100 + k)
				}
			}(i)
		}
		wait.Wait()
	}
}
