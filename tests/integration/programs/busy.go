// SPDX-License-Identifier: Apache-2.0

// busy - a Go program at mixed work, with goroutines and much garbage: busy SECONDS
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func work(out chan<- int) {
	words := map[string]int{}
	list := []string{}
	for i := 0; i < 3000; i++ {
		word := "word" + strconv.Itoa(i*7919%997)
		words[word]++
		list = append(list, word)
	}
	sort.Strings(list)
	text := fmt.Sprint(words, strings.Join(list, " "))
	_, err := os.Stat("/nonexistent")
	if err == nil {
		out <- 0
	}
	out <- len(text) + tree(10).count()
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	out := make(chan int)
	for time.Now().Before(end) {
		for i := 0; i < 4; i++ {
			go work(out)
		}
		for i := 0; i < 4; i++ {
			<-out
		}
	}
}
