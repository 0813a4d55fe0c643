package number

import (
	"math"
	"testing"
)

func TestTexts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ got, want string }{
		{Text(0), "0.00"},
		{Text(0.01234), "0.0123"},
		{Text(1.234), "1.23"},
		{Text(123.45), "123.5"},
		{Text(12345.6), "12346"},
		{Text(nan), None},
		{Short(0), "0"},
		{Short(8), "8"},
		{Short(0.1234), "0.123"},
		{Short(9.996), "10.0"},
		{Short(-1.234), "-1.23"},
		{Short(12.34), "12.3"},
		{Short(12345.6), "12346"},
		{Short(math.Inf(1)), None},
		{Short(2e15), "2e+15"},
		{Digits(0.000123456), "0.0001235"},
		{Exact(1.5), "1.5"},
		{Exact(nan), ""},
		{Millis(99999.994), "99999.99"},
		{Millis(123456.7), "123457"},
		{Rate(1), "1.00"},
		{Count(12), "12"},
		{Accuracy(0.84661), "0.8466"},
		{Share(0.5), "50.0 %"},
		{Share(nan), None},
		{Points(0.5), "50.0"},
		{Change(0.05), "+5.0 %"},
		{Change(-0.05), "-5.0 %"},
		{Signed(nan), None},
		{Of(3, 12), "3 of 12 (25.0 %)"},
		{Of(0, 0), Unknown},
		{Interval(1, 2, Text), "[1.00, 2.00]"},
		{Duration(0.0123), "12.3 ms"},
		{Duration(9.9), "9900 ms"},
		{Duration(12.34), "12.3 s"},
		{Duration(nan), None},
		{Clock(61), "1:01"},
		{Clock(3661), "1:01:01"},
		{Clock(-1), "0:00"},
		{Watts(9.94), "9.9"},
		{Watts(312.4), "312"},
		{Bytes(1 << 29), "512.0 MiB"},
		{Bytes(3 << 30), "3.0 GiB"},
		{Maybe(nil, Text), Unknown},
		{Maybe(new(float64), Text), "0.00"},
		{Group("1234.5"), "1,234.5"},
		{Group("-123456"), "-123,456"},
		{Group("+1234567"), "+1,234,567"},
		{Group("123"), "123"},
		{Group("–"), "–"},
		{Group("n/a"), "n/a"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
