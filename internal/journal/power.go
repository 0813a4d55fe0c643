package journal

// Price is what the servers cost, as --price-per-hour and --devices say.
type Price struct {
	PerHour float64 `json:"per_hour,omitempty"` // of one device; 0: not given
	Devices int     `json:"devices"`
	Power   string  `json:"power,omitempty"` // as --power says: a number, rapl, or prometheus
}

// Power is what the servers took over a run.
type Power struct {
	Source string  `json:"source"`
	Watts  float64 `json:"watts"`            // the mean, of all devices
	Reason string  `json:"reason,omitempty"` // why it is not known
}
