package source

// pretokenizer is what a GGUF's tokenizer.ggml.pre stands for. llama.cpp knows it by name; the file has no pattern.
type pretokenizer struct {
	patterns     []string // each cuts the pieces of the one before
	ignoreMerges bool
	addBOS       bool
	marks        bool // spaces are marked, and bytes are not spelled
}

// The patterns. llama.cpp's engine has no classes such as \p{Lu}, so that some are its approximations.
const (
	gptPattern   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	endings      = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`
	endings1     = endings + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	endings3     = endings + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	endingsMarks = endings + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	notLower     = `((?=[\p{L}])([^a-z]))`
	notUpper     = `((?=[\p{L}])([^A-Z]))`
	tekken       = `[^\r\n\p{L}\p{N}]?` + notLower + `*` + notUpper + `+|[^\r\n\p{L}\p{N}]?` + notLower + `+` + notUpper +
		`*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	gpt4o = `[^\r\n\p{L}\p{N}]?` + notLower + `*` + notUpper + `+` + endings + `?|[^\r\n\p{L}\p{N}]?` + notLower + `+` + notUpper +
		`*` + endings + `?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	deepseek3 = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
	letters   = `\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+` // DeepSeek's first models: those of alphabets with two cases
	bloom     = ` ?[^(\s|.,!?…。，、।۔،)]+`
)

// pretokenizers by the names that llama.cpp gives them. Those with rules in its code alone are missing, and refused.
var pretokenizers = func() map[string]pretokenizer {
	table := map[string]pretokenizer{}
	for rule, names := range map[*pretokenizer][]string{
		{patterns: []string{gptPattern}}: {
			"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum", "modern-bert", "jina-v1-en", "jina-v2-code",
			"roberta-bpe", "exaone4", "mpt", "olmo", "jais", "trillion", "granite-docling",
		},
		{patterns: []string{`\p{N}`, gptPattern}}:          {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
		{patterns: []string{endings1}}:                     {"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "stablelm2", "hunyuan", "solar-open", "megrez", "grok-2"},
		{patterns: []string{endingsMarks}}:                 {"qwen35"},
		{patterns: []string{endings3}}:                     {"dbrx", "smaug-bpe", "chatglm-bpe"},
		{patterns: []string{endings3}, ignoreMerges: true}: {"glm4", "glm5"},
		{patterns: []string{endings3}, ignoreMerges: true, addBOS: true}: {
			"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano",
		},
		{patterns: []string{tekken}, ignoreMerges: true, addBOS: true}: {"tekken"},
		{patterns: []string{gpt4o}}:                                    {"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"},
		{patterns: []string{`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`, deepseek3}}:  {"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
		{patterns: []string{"[\r\n]", letters, `\s?[!-/:-~！-／：-～‘-‟　-。]+`, `\s+$`, `[一-龥ࠀ-一가-퟿]+`, `\p{N}+`}}: {"deepseek-llm"},
		{patterns: []string{"[\r\n]", `\s?\p{L}+`, `\s?\p{P}+`, `[一-龥ࠀ-一가-퟿]+`, `\p{N}`}}:                     {"deepseek-coder"},
		{patterns: []string{`[\p{P}\$\+<=>\^~\|` + "`" + `]+`, gptPattern, `[0-9][0-9][0-9]`}}:                {"falcon"},
		{patterns: []string{`[\p{P}\$\+<=>\^~\|]+`, gptPattern, `\p{N}+`, `[0-9][0-9][0-9]`}}:                 {"default"},
		{patterns: []string{bloom}}:                       {"poro-chat", "bloom", "gpt3-finnish"},
		{patterns: []string{bloom, `\p{N}`}}:              {"viking"},
		{patterns: []string{`[^\n]+|[\n]+`}, marks: true}: {"gemma4"},
	} {
		for _, name := range names {
			table[name] = *rule
		}
	}
	return table
}()
