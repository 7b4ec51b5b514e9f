//go:build amd64 && !purego

package amd64

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestZZBest(t *testing.T) {
	pat := os.Getenv("BEST")
	if pat == "" {
		t.Skip()
	}
	re := regexp.MustCompile(pat)
	sizes := []int{16, 256, 512, 1024, 4096, 65536}
	if s := os.Getenv("SIZES"); s != "" {
		sizes = nil
		for _, x := range strings.Split(s, ",") {
			n, _ := strconv.Atoi(x)
			sizes = append(sizes, n)
		}
	}
	k := newKeys(newRand(t))
	dst0 := make([]byte, 1<<17+4096)
	src0 := make([]byte, 1<<17)
	best := map[string]time.Duration{}
	var order []string
	for range 200 {
		for _, r := range routines {
			if !re.MatchString(r.name) {
				continue
			}
			for _, size := range sizes {
				dst, src := dst0[1088:][:size], src0[:size]
				var iv [16]byte
				it := 1 + 20000/size
				if size < 300 {
					it = 200
				}
				t0 := time.Now()
				for range it {
					iv[12] = 0
					r.run(&k.enc, &dst[0], &src[0], size/16, &iv)
				}
				d := time.Since(t0) / time.Duration(it)
				key := fmt.Sprintf("%-18s %6d", r.name, size)
				if _, ok := best[key]; !ok {
					order = append(order, key)
					best[key] = d
				}
				if d < best[key] {
					best[key] = d
				}
			}
		}
	}
	for _, key := range order {
		var size int
		fmt.Sscan(strings.Fields(key)[1], &size)
		fmt.Printf("%s %7d ns %8.0f MB/s\n", key, best[key], float64(size)*1e3/float64(best[key]))
	}
}

func best(f func()) time.Duration {
	b := time.Hour
	for range 150 {
		t0 := time.Now()
		n := 0
		for n == 0 || time.Since(t0) < 20*time.Microsecond {
			f()
			f()
			n += 2
		}
		b = min(b, time.Since(t0)/time.Duration(n))
	}
	return b
}

func TestYYXTS(t *testing.T) {
	if os.Getenv("BEST") == "" {
		t.Skip()
	}
	k := newKeys(newRand(t))
	dst0 := make([]byte, 1<<17+4096)
	src := make([]byte, 1<<17)
	for _, r := range xtsRoutines {
		for _, size := range []int{16, 17, 64, 256, 512, 4096, 65536} {
			for flags := 0; flags < 4; flags += 2 {
				dst := dst0[1088:]
				var tw [16]byte
				own := best(func() { r.run(&k.enc, &k.enc, &dst[0], &src[0], size, size, &tw[0], flags) })
				without := best(func() { r.run(&k.enc, nil, &dst[0], &src[0], size, size, &tw[0], flags) })
				fmt.Printf("%-14s %6d flags %d: own %6d ns %6.0f MB/s; tweak given %6.0f MB/s\n", r.name, size, flags, own, float64(size)*1e3/float64(own), float64(size)*1e3/float64(without))
			}
		}
		tws := make([]byte, 16*16)
		for _, size := range []int{512, 520, 1024} {
			d := best(func() { r.run(&k.enc, nil, &dst0[0], &src[0], 8*size, size, &tws[0], 0) })
			fmt.Printf("%-14s 8 x %d: %6.0f MB/s\n", r.name, size, float64(8*size)*1e3/float64(d))
		}
	}
	for _, r := range ctsRoutines {
		for _, n := range []int{32, 64, 4096} {
			var iv [16]byte
			d := best(func() { r.run(&k.enc, &dst0[0], &src[0], n, &iv) })
			fmt.Printf("%-14s %d: %d ns %6.0f MB/s\n", r.name, n, d, float64(n)*1e3/float64(d))
		}
	}
	for _, blocks := range []int{1, 16, 256} {
		var l [96]*byte
		iv := make([]byte, 16)
		for i := range 32 {
			l[3*i], l[3*i+1], l[3*i+2] = &dst0[i*4112], &src[i*4080], &iv[0]
		}
		h := (*[48]*byte)(l[:])
		for name, f := range map[string]func(){
			"16 avx2":   func() { CBCEncMany16GFNIAVX2(&k.enc, h, blocks) },
			"32 avx2":   func() { CBCEncMany32GFNIAVX2(&k.enc, &l, blocks) },
			"16 avx512": func() { CBCEncMany16GFNIAVX512(&k.enc, h, blocks) },
			"32 avx512": func() { CBCEncMany32GFNIAVX512(&k.enc, &l, blocks) },
		} {
			d := best(f)
			n := 16
			if name[0] == '3' {
				n = 32
			}
			fmt.Printf("many %s %d blocks: %6.0f MB/s\n", name, blocks, float64(n*16*blocks)*1e3/float64(d))
		}
	}
	for _, x := range expansions {
		var key [16]byte
		var a, b [32]uint32
		fmt.Println(x.name, best(func() { x.expand(&key, &a, &b) }))
	}
}
