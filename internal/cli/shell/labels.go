package shell

import (
	"regexp"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/judge/metric"
)

// labels are the words that a result shows and that are neither metrics nor anything else that
// has a table of its own: lines, headings and columns. Their text is one or two sentences.
var labels = []Meaning{
	{"Serving Benchmark Result", "heading", "The block that vllm bench serve prints, with the same lines. Ours follows it."},
	{"Inferometer", "heading", "What we add to vLLM's block: when requests were due, what the client itself cost, what the server says, and the verdict."},
	{"Steady state", "heading", "The part of the run in which the load was complete, without its beginning and end. Its numbers don't depend on how long the run took to start and to drain."},
	{"Speculative decoding", "heading", "What the server says of its drafts: tokens guessed ahead by a small model, and how many of them were right."},
	{"by their own metrics", "heading", "What each server counted during just this run, read from its /metrics."},
	{"by its own metrics", "heading", "What the server counted during just this run, read from its /metrics: it should agree with what the client saw."},
	{"replicas, round-robin", "heading", "Each of several servers by itself; they took turns."},
	{"replicas, least-in-flight", "heading", "Each of several servers by itself; a request went to the one with the fewest in flight."},
	{"replicas, sticky", "heading", "Each of several servers by itself; a conversation stayed with one."},
	{"Intervals, 95 %", "heading", "What chance may have done to each number: another run of the same length would be within it 95 times in 100, were nothing else different."},
	{"replicas", "heading", "Each of several servers by itself, and the rule by which they shared the load."},
	{"replicas behind a router", "heading", "Each of the servers that answered, by itself. A router chose one for each request."},
	{"Accuracy", "heading", "The score of the answers of eval, with its standard error."},
	{"Latencies", "heading", "Times of requests, of tokens and of the client."},
	{"Totals", "heading", "What was sent and received in the whole run."},
	{"What limited it", "heading", "What kept the server from doing more, as inferometer explain says it, and where the time of a request went."},
	{"also", "line", "Another reason for the verdict."},
	{"note", "line", "What a check found that spoils no number, such as a busy machine."},
	{"Replicas", "line", "How many servers answered, whether one had clearly more to do than the others, and how many turns of conversations stayed on their replica."},
	{"Throughput", "line", "Completed requests and output tokens per second. In brackets: what chance may have done to them."},
	{"Latency", "line", "From sending a request to the end of its answer, where answers are not streamed."},
	{"Score", "line", "The score of the answers of eval, with its 95 % interval."},
	{"SLO", "line", "Which limits of --slo are met, and the one that is closest."},
	{"Until", "line", "Which number --until was waiting for, and how precise it became."},
	{"Limited by", "line", "What kept the server from doing more: the client, the load that was offered, or a part of the server. inferometer explain gives the reasons."},
	{"Next", "line", "What to do next, such as a longer run or something to fix."},
	{"More", "line", "The command that prints everything about this run."},
	{"Page", "line", "The file with the run as a web page."},
	{"Why", "line", "The reason for what is named as the limit."},
	{"Also seen", "line", "What else the run shows, beside what limited it."},
	{"Not known", "line", "What could not be found out about the limit, and why."},
	{"replica", "column", "The server that answered, as the answer or its router names it."},
	{"cached", "column", "The share of prompt tokens that the server says it had in its prefix cache."},
	{"own count", "column", "Requests that the replica itself counted in this run; where it is more than ours, something was sent to it again."},
	{"Spread of requests", "line", "How unevenly requests were spread over the replicas: the busiest against the mean, and the coefficient of variation."},
	{"part", "column", "A part of a request's time, from when it was due to its end."},
	{"%", "column", "The share of the whole, in percent."},
	{"who says so", "column", "Whose clock a time is from, or why it is unknown."},
	{"client queue", "row", "From when a request was due to when it was sent."},
	{"network", "row", "The way to the server and back."},
	{"server queue", "row", "Waiting in the server until it began with the request."},
	{"prefill", "row", "Reading the prompt, up to the first token."},
	{"decode", "row", "Generating the answer, from the first token to the last."},
	{"to the first token", "row", "From sending a request to its first token: network, the server's queue and prefill together."},
	{"to the first token, undivided", "row", "From sending a request to its first token, where the server does not tell its parts."},
	{"first token to last", "row", "The time in which an answer was generated, from its first token to its last."},
	{"rest", "row", "What the other parts leave: the end of the answer after its last token, and our reading."},
	{"Good requests", "line", "Requests that kept all limits of the SLO or of --goodput."},
	{"Numbers above by the rules of", "line", "Whose rules the block follows: with --compat vllm, a request counts as vLLM's client counts it."},
	{"Peak concurrent requests, as it was", "line", "The most requests that were open at one moment. vLLM's own number counts whole seconds."},
	{"Sent late by", "line", "How long after it was due a request was sent: the client was held up, or the limit of concurrency was."},
	{"noted, no harm by itself", "line", "What a check found that spoils no number, such as a busy machine."},
	{"category", "column", "A group of questions, as the task has them."},
	{"load", "column", "How requests were sent: so many at once, or so many per second."},
	{"values", "column", "How many measured values a statistic is made of."},
	{"its name", "column", "What the server itself calls a number, in its /metrics."},
	{"± stderr, 95 % interval", "column", "The standard error of the score, and the interval within which the true score is with 95 % confidence."},
	{"share, %", "column", "The part of all requests, in percent."},
	{"score", "column", "What an answer is judged by: a task may have several scores."},
	{"tok/s", "column", "Output tokens per second."},
	{"Outcomes", "line", "How the requests ended, by outcome. Only complete is a success."},
	{"Maximum request concurrency", "line", "The limit on requests in flight that was asked for with --max-concurrency."},
	{"Request rate configured (RPS)", "line", "The rate that was asked for with --request-rate, in requests per second."},
	{"Run", "line", "The folder of the run: its journal and its result. inferometer report shows it again."},
	{"Warning", "line", "A doubt about the result, in a sentence."},
	{"Verdict", "line", "Whether the numbers can be trusted: VALID, SUSPECT or INVALID, with the reasons."},
	{"not checked", "line", "Checks of the verdict that this run could not make, or that make no sense for it."},
	{"effect", "line", "How far a number may be off because of what the check found."},
	{"hint", "line", "What to do about what a check found."},
	{"Window", "line", "From when to when the steady state lasted, and how many requests were open at least."},
	{"Requests", "line", "How many requests fall into the steady state, or how many the server counted beside our own number."},
	{"Tokens of an event by", "line", "How the tokens of one event were counted: by a tokenizer, by the server's usage, or as one each."},
	{"Event times by", "line", "Who took the time of each event: the kernel when its bytes arrived, or the program when it read them."},
	{"Events that share a read", "line", "The share of events that came out of one read of the socket together with others: their times differ by less than we can tell."},
	{"Tokens per event", "line", "How many tokens one event of a stream carried, on average. Above 1 the gaps between events are not gaps between tokens."},
	{"Stalls", "line", "Gaps between chunks that are far longer than usual, and in how many requests they were."},
	{"Client CPU", "line", "How much of one core this program used. A client that is short of CPU makes the server look slow."},
	{"Client lag", "line", "How late the client itself read what had arrived. It is not in the latencies where the kernel took the times."},
	{"Preemptions", "line", "How often the server stopped a request to make room for another."},
	{"Prompt tokens", "line", "Prompt tokens by the server's own count, beside ours."},
	{"Generated tokens", "line", "Output tokens by the server's own count, beside ours."},
	{"Queue", "line", "How long requests waited in the server before it began with them, by its own clock."},
	{"Prefix cache hit rate", "line", "The share of prompt tokens that the server had in its cache."},
	{"Earlier", "line", "What earlier runs of this machine sent to the same server: its cache may know the prompts."},
	{"Requests that did not complete", "line", "How many requests had no whole answer, by outcome, with the first message of each."},
	{"Skew, max/min", "line", "How unevenly several servers were loaded or answered: the largest value divided by the smallest."},
	{"Target", "line", "One of several servers, by its place in --targets."},
	{"Server", "line", "One of several servers, by its own metrics."},
	{"Drafts", "line", "How many times the server guessed tokens ahead."},
	{"Draft tokens", "line", "How many tokens were guessed ahead."},
	{"Accepted tokens", "line", "How many of the guessed tokens were right and used."},
	{"Per-position acceptance (%)", "line", "The share of guesses that were right, by their place in the draft."},
	{"Position", "line", "A place in the draft, counted from 0."},
	{"Task", "line", "Which questions eval asked, by what rules."},
	{"Data", "line", "Which file the questions are from, and its hash."},
	{"Questions", "line", "How many questions were asked, and how many were answered."},
	{"Unanswered", "line", "Questions whose request failed: they are not counted as wrong."},
	{"No answer found", "line", "Answers in which no result could be found by the task's rules. They count as wrong."},
	{"Cut off at the limit", "line", "Answers that reached the limit of tokens. They may have been right had they been allowed to end."},
	{"Accuracy of guessing", "line", "The score that blind guessing would get."},
	{"Tokens per question", "line", "How many tokens a prompt and an answer had, on average."},
	{"By category, by the first score", "line", "The score of each category of questions."},
	{"mean", "column", "The average."},
	{"median", "column", "The value in the middle: half are lower. It is the p50."},
	{"max", "column", "The largest value."},
	{"std", "column", "The standard deviation."},
	{"count", "column", "How many values there are."},
	{"low", "column", "The lower end of the 95 % interval: what chance may have done to the number."},
	{"high", "column", "The upper end of the 95 % interval: what chance may have done to the number."},
	{"stderr", "column", "The standard error: how far a score is from the true one by chance, typically."},
	{"right", "column", "How many answers were right."},
	{"of", "column", "Of how many."},
	{"no answer", "column", "Answers in which no result could be found."},
	{"ms", "column", "Milliseconds."},
	{"its times, ms", "column", "Times by the server's own clock, in milliseconds."},
	{"sent", "column", "Counted from when the request was sent."},
	{"due", "column", "Counted from when the request should have been sent: a client that is late can't hide it."},
	{"n/a", "value", "Not known: it was not measured, or there are too few values for it."},
	{"failed", "column", "Requests without a whole answer."},
}

// labelForms are the patterns of labels.
type labelForms struct {
	units, separators, ordinal, leading *regexp.Regexp
	percentile                          *regexp.Regexp
	before, after                       *regexp.Regexp // a metric's short name with a statistic before or after it
}

// forms are compiled when help is asked for: every start of the program would wait for them.
var forms = sync.OnceValue(func() *labelForms {
	return &labelForms{
		units:      regexp.MustCompile(`\([^)]*\)`),
		separators: regexp.MustCompile(`[^\p{L}\p{N}.%/]+`),
		ordinal:    regexp.MustCompile(` \d+$`),
		leading:    regexp.MustCompile(`^(slowest )?\d+ `),
		percentile: regexp.MustCompile(`^p\d+(\.\d+)?$`),
		before:     regexp.MustCompile(`^(mean|median|std|max|p\d+(?:\.\d+)?) (.+)$`),
		after:      regexp.MustCompile(`^(.+) (mean|median|std|max|p\d+(?:\.\d+)?)$`),
	}
})

// bare is a label without what changes from run to run: units, numbers of targets, the colon.
func bare(label string) string {
	f := forms()
	label = f.units.ReplaceAllString(strings.ToLower(label), " ")
	label = strings.TrimSpace(f.separators.ReplaceAllString(label, " "))
	return f.leading.ReplaceAllString(f.ordinal.ReplaceAllString(label, ""), "")
}

// suffixes say which part of a run or which beginning of a time a line is about.
var suffixes = []string{" steady", " sent", " due"}

// ofLabel gives the meanings of a label as a result prints it: "Mean TTFT (ms), steady".
func ofLabel(word string) (found []Meaning) {
	label := bare(word)
	for _, l := range labels {
		if same := bare(l.Word); same == label || strings.HasSuffix(label, same) && l.Sense == "heading" {
			found = append(found, l)
		}
	}
	if forms().percentile.MatchString(label) {
		found = append(found, Meaning{label, "column", "A percentile: this share of the values, in percent, is lower or equal. The higher it is, the more values it needs."})
	}
	if len(found) > 0 {
		return found
	}
	from, statistic := "", ""
	if m := forms().after.FindStringSubmatch(label); m != nil {
		label, statistic = m[1], m[2]+"_"
	}
	for _, suffix := range suffixes {
		if cut, ok := strings.CutSuffix(label, suffix); ok {
			label, from = cut, strings.Replace(suffix, " ", "_", 1)
		}
	}
	if m := forms().before.FindStringSubmatch(label); m != nil {
		statistic, label = m[1]+"_", m[2]
	}
	for _, m := range metric.All() {
		for _, name := range []string{m.Name, m.Short, m.Title, m.Label, m.Column, m.Chart} {
			if name == "" || bare(name) != label {
				continue
			}
			for _, name := range []string{statistic + m.Name + from, m.Name + from, statistic + m.Name} {
				if n, ok := metric.ParseName(name); ok {
					return append(found, ofMetric(n))
				}
			}
			return append(found, ofMetric(metric.Name{Metric: &m}))
		}
	}
	return found
}
