package bars

import "testing"

func TestMedian(t *testing.T) {
	if got := Median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median %v, want 2", got)
	}
	if got := Median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
	if got := Median(Quotients([]float64{6, 4}, []float64{2, 4})); got != 2 {
		t.Errorf("median of quotients %v, want 2", got)
	}
}
