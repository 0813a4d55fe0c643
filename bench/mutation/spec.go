package main

// ofSpec breaks the Spec.
var ofSpec = []mutation{
	{
		File: "internal/prepare/share.go", Breaks: "a client whose share has no slot has no limit",
		Old: "some := max(own.Share.Part(*n), 1)",
		New: "some := own.Share.Part(*n)",
	},
	{
		File: "internal/prepare/share.go", Breaks: "each client spawns users at the whole's rate",
		Old: `	own.SpawnRate *= fraction
`,
		New: `	_ = fraction
`,
	},
	{
		File: "internal/prepare/share.go", Breaks: "the Spec in the folder of a share has lost the probe",
		Old: "s.NumWarmups, s.IntegritySample, s.MaxRequests, s.ProbeRequestRate = a.NumWarmups, a.IntegritySample, a.MaxRequests, a.ProbeRequestRate",
		New: "s.NumWarmups, s.IntegritySample, s.MaxRequests = a.NumWarmups, a.IntegritySample, a.MaxRequests",
	},
	{
		File: "internal/prepare/share.go", Breaks: "conversations go to the next client's share",
		Old: "return w.Conversation - 1",
		New: "return w.Conversation",
	},
	{
		File: "internal/option/json.go", Breaks: "a misspelt key inside a value is passed over",
		Old: `	d.DisallowUnknownFields()
`,
		New: "",
	},
	{
		File: "internal/spec/codec.go", Breaks: "a key that is there twice is found only beside itself",
		Old: `	slices.Sort(keys)
`,
		New: "",
	},
	{
		File: "internal/spec/codec.go", Breaks: "a file that is too long is called broken",
		Old: "io.LimitReader(r, mostSpec+1)",
		New: "io.LimitReader(r, mostSpec)",
	},
	{
		File: "internal/spec/validate.go", Breaks: "the sample of texts is not checked",
		Old: " s.checkIntegrity,",
		New: "",
	},
	{
		File: "internal/spec/fleet.go", Breaks: "an agent gives up by its own part of the results",
		Old: `	own.GiveUp = "" // it is decided by results, of which an agent has a part
`,
		New: "",
	},
	{
		File: "internal/spec/fleet.go", Breaks: "each agent asks for the server's counters",
		Old: `if of.Index == 0 {
		own.ScrapeEvery`,
		New: `if of.Index >= 0 {
		own.ScrapeEvery`,
	},
}
