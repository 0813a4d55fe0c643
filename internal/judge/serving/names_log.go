package serving

// What is read from vLLM's log where there are no metrics, by names of our own
// (internal/foreign/serverlog). Totals begin with the first line that was read.
var vllmLog = []Name{
	{Name: "running", Meaning: Running},
	{Name: "waiting", Meaning: Waiting},
	{Name: "swapped", Meaning: Swapped},
	{Name: "cache_use", Meaning: CacheUse},
	{Name: "prefix_hit_rate", Meaning: PrefixHitRate},
	{Name: "preemptions", Meaning: Preemptions},
	{Name: "prompt_tokens", Meaning: PromptTokens},
	{Name: "generated_tokens", Meaning: GeneratedTokens},
	{Name: "drafts", Meaning: Drafts},
	{Name: "draft_tokens", Meaning: DraftTokens},
	{Name: "accepted_tokens", Meaning: AcceptedTokens},
	{Name: "emitted_tokens", Meaning: EmittedTokens},
}
