package prompts

import (
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// Words are common English words of one token each in most vocabularies.
var Words = strings.Fields(`
the of and to in is that for it was on are as with his they at be this from have or by one had not but what all were
when we there can an your which their said if do will each about how up out them then she many some so these would
other into has more her two like him see time could no make than first been its who now people my made over did down
only way find use may water long little very after words called just where most know get through back much before go
good new write our used me man too any day same right look think also around another came come work three word must
because does part even place well such here take why things help put years different away again off went old number
great tell men say small every found still between name should home big give air line set own under read last never us
left end along while might next sound below saw something thought both few those always looked show large often together
asked house world going want school important until form food keep children feet land side without boy once animals life
enough took sometimes four head above kind began almost live page got earth need far hand high year mother light parts
country father let night following picture being study second eyes soon times story boys since white days ever paper hard
near sentence better best across during today others however sure means knew try told young miles sun ways thing whole hear
example heard several change answer room sea against top turned learn point city play toward five using himself usually
`)

// WordTokenizer stands in where there is no tokenizer: a word is a token. It
// makes prompts of about the right length.
type WordTokenizer struct{}

func (WordTokenizer) Decode(ids []int32) (string, error) {
	picked := make([]string, len(ids))
	for i, id := range ids {
		picked[i] = Words[id]
	}
	return strings.Join(picked, " "), nil
}

func (WordTokenizer) Encode(text string) ([]int32, error) {
	ids := make([]int32, 0, len(text)/4)
	for w := range strings.FieldsSeq(text) {
		ids = append(ids, WordIDs[w])
	}
	return ids, nil
}

var WordIDs = func() map[string]int32 {
	ids := make(map[string]int32, len(Words))
	for i, w := range Words {
		ids[w] = int32(i)
	}
	return ids
}()

// DrawWords draws ids evenly from the built-in words.
func DrawWords(g *numpy.Generator) IDSource {
	return func(n int) ([]int32, error) {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(g.Integers(0, int64(len(Words))))
		}
		return ids, nil
	}
}

// DrawThrough draws words and gives their first n tokens in the vocabulary of t:
// for a server's tokenizer, whose ids nobody here knows.
func DrawThrough(t Tokenizer, g *numpy.Generator) IDSource {
	draw := DrawWords(g)
	return func(n int) ([]int32, error) {
		picked, err := draw(n)
		if err != nil {
			return nil, err
		}
		text, err := WordTokenizer{}.Decode(picked)
		if err != nil {
			return nil, err
		}
		return firstTokens(t, text, n)
	}
}

// firstTokens are the first n of a text of words. The blank before makes the first word a word of its own behind what is
// there.
func firstTokens(t Tokenizer, text string, n int) ([]int32, error) {
	ids, err := t.Encode(" " + text)
	return ids[:min(n, len(ids))], err
}

// CommonWords are one token each, with the space before them, in the vocabularies of
// all usual models.
var CommonWords = strings.Fields(`the of and to in is that for it was on are as with they be at one have this from or had by not but what all were when we there
can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no
make than first been its who now people my made over did down only way find use may water long little very after words called just where most know get through
back much go good new write our me man too any day same right look think also around another came come work three must because does part even place well such
here take why help put different away again off went old number great tell men say small every found still between name should home big give air line set own
under read last never us left end along while might next sound below saw something thought both few those always show large often together asked house world going
want school important until form food keep children feet land side without boy once animals life enough took four head above kind began almost live page got
earth need far hand high year mother light country father let night picture being study second soon story since white ever paper hard near sentence better best
across during today however sure knew try told young sun thing whole hear example heard several change answer room sea against top turned learn point city play
toward five himself usually money seen car morning body upon family later turn move face door cut done group true half red fish plants`)
