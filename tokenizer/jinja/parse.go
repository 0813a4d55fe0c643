package jinja

import "slices"

// parser makes a tree of tokens by recursive descent, a method for each rule of Jinja2's grammar.
type parser struct {
	tokens []token
	at     int
	depth  int
	// used holds the names that were read since the outermost macro began, to know if one uses varargs.
	used map[string]bool
	// loops counts those around the place, within the macro.
	loops int
}

func (p *parser) now() token {
	if p.at >= len(p.tokens) {
		return token{}
	}
	return p.tokens[p.at]
}

func (p *parser) line() int { return p.now().line }

func (p *parser) next() token {
	t := p.now()
	p.at++
	return t
}

func (p *parser) is(kind tokenKind, text string) bool {
	t := p.now()
	return t.kind == kind && t.text == text
}

func (p *parser) skip(kind tokenKind, text string) bool {
	if p.is(kind, text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) isOperator(text string) bool   { return p.is(operatorToken, text) }
func (p *parser) skipOperator(text string) bool { return p.skip(operatorToken, text) }
func (p *parser) isWord(text string) bool       { return p.is(nameToken, text) }
func (p *parser) skipWord(text string) bool     { return p.skip(nameToken, text) }

func (p *parser) expect(kind tokenKind, text string) {
	if !p.skip(kind, text) {
		fail("expected %s before %s", describe(token{kind: kind, text: text}), describe(p.now()))
	}
}

func (p *parser) name() string {
	if p.now().kind != nameToken {
		fail("expected a name before %s", describe(p.now()))
	}
	return p.next().text
}

func describe(t token) string {
	switch t.kind {
	case endToken:
		return "the end of the template"
	case printEnd:
		return "}}"
	case blockEnd:
		return "%}"
	}
	return "'" + t.text + "'"
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		fail("nested too deep")
	}
}

func (p *parser) leave() { p.depth-- }

// body reads statements up to the end or to a tag with one of these words, and stands before that tag.
func (p *parser) body(until ...string) []statement {
	p.enter()
	defer p.leave()
	var body []statement
	for {
		switch t := p.now(); t.kind {
		case endToken:
			if len(until) > 0 {
				fail("%s is missing", until[len(until)-1])
			}
			return body
		case textToken:
			p.next()
			body = append(body, &textNode{t.text})
		case printBegin:
			p.next()
			body = append(body, &printNode{p.tuple(true), t.line})
			p.expect(printEnd, "")
		case blockBegin:
			if word := p.tokens[p.at+1]; word.kind == nameToken && slices.Contains(until, word.text) {
				return body
			}
			p.next()
			body = append(body, p.block())
		default:
			fail("unexpected %s", describe(t))
		}
	}
}

// bodyTo reads statements up to a tag with this word alone, and goes over it.
func (p *parser) bodyTo(word string) []statement {
	body := p.body(word)
	p.endTag(word)
	return body
}

func (p *parser) endTag(word string) {
	p.expect(blockBegin, "")
	p.expect(nameToken, word)
	p.expect(blockEnd, "")
}

func (p *parser) block() statement {
	line := p.line()
	switch word := p.name(); word {
	case "if":
		return p.ifBlock(line)
	case "for":
		return p.forBlock(line)
	case "set":
		return p.set(line)
	case "macro":
		return p.macro()
	case "call":
		return p.callBlock(line)
	case "filter":
		node := &filterBlockNode{filters: p.filters(false), line: line}
		p.expect(blockEnd, "")
		node.body = p.bodyTo("endfilter")
		return node
	case "with":
		return p.with(line)
	case "generation":
		p.expect(blockEnd, "")
		return &groupNode{p.bodyTo("endgeneration")}
	case "break", "continue":
		if p.loops == 0 {
			fail("%s outside a loop", word)
		}
		p.expect(blockEnd, "")
		if word == "break" {
			return &signalNode{breakLoop}
		}
		return &signalNode{continueLoop}
	default:
		fail("the tag '%s' is not known", word)
		return nil
	}
}

func (p *parser) ifBlock(line int) statement {
	node := &ifNode{}
	for {
		test := p.tuple(false)
		p.expect(blockEnd, "")
		node.branches = append(node.branches, branch{test, p.body("elif", "else", "endif"), line})
		p.expect(blockBegin, "")
		line = p.line()
		if p.skipWord("elif") {
			continue
		}
		if p.skipWord("else") {
			p.expect(blockEnd, "")
			node.other = p.body("endif")
			p.expect(blockBegin, "")
		}
		p.expect(nameToken, "endif")
		p.expect(blockEnd, "")
		return node
	}
}

func (p *parser) forBlock(line int) statement {
	node := &forNode{target: p.target(), line: line}
	p.expect(nameToken, "in")
	node.items = p.tuple(false)
	if p.skipWord("if") {
		node.filter = p.expression()
	}
	if p.isWord("recursive") {
		fail("recursive loops are not known")
	}
	p.expect(blockEnd, "")
	p.loops++
	node.body = p.body("else", "endfor")
	p.loops--
	p.expect(blockBegin, "")
	if p.skipWord("else") {
		p.expect(blockEnd, "")
		node.other = p.body("endfor")
		p.expect(blockBegin, "")
	}
	p.expect(nameToken, "endfor")
	p.expect(blockEnd, "")
	return node
}

// set reads both kinds: {% set x = 1 %} and {% set x %}…{% endset %}.
func (p *parser) set(line int) statement {
	to := p.target()
	if p.skipOperator("=") {
		value := p.tuple(true)
		p.expect(blockEnd, "")
		return &setNode{to, value, line}
	}
	node := &setBlockNode{target: to, line: line}
	if p.isOperator("|") {
		node.filters = p.filters(true)
	}
	p.expect(blockEnd, "")
	node.body = p.bodyTo("endset")
	return node
}

func (p *parser) with(line int) statement {
	node := &withNode{}
	for !p.skip(blockEnd, "") {
		if len(node.sets) > 0 {
			p.expect(operatorToken, ",")
		}
		to := p.oneTarget()
		p.expect(operatorToken, "=")
		node.sets = append(node.sets, setNode{to, p.expression(), line})
	}
	node.body = p.bodyTo("endwith")
	return node
}

func (p *parser) target() target {
	first := p.oneTarget()
	if !p.isOperator(",") {
		return first
	}
	several := []target{first}
	for p.skipOperator(",") {
		if p.now().kind != nameToken && !p.isOperator("(") || p.isWord("in") {
			break // a comma at the end
		}
		several = append(several, p.oneTarget())
	}
	return target{several: several}
}

func (p *parser) oneTarget() target {
	if p.skipOperator("(") {
		p.enter()
		defer p.leave()
		to := p.target()
		p.expect(operatorToken, ")")
		return to
	}
	to := target{name: p.name()}
	if isConstantName(to.name) {
		fail("'%s' can't be set", to.name)
	}
	if p.skipOperator(".") {
		to.attribute = p.name()
	}
	return to
}

func (p *parser) macro() statement {
	m := &macroDefinition{name: p.name(), parameters: p.parameters()}
	p.expect(blockEnd, "")
	outer, loops := p.used, p.loops
	p.used, p.loops = map[string]bool{}, 0
	m.body = p.bodyTo("endmacro")
	m.catchAll, m.catchNamed = p.used["varargs"], p.used["kwargs"]
	p.used, p.loops = outer, loops
	return &macroNode{m}
}

func (p *parser) callBlock(line int) statement {
	caller := &macroDefinition{name: "caller"}
	if p.isOperator("(") {
		caller.parameters = p.parameters()
	}
	called, isCall := p.expression().(*callExpression)
	if !isCall {
		fail("call needs a call of a macro")
	}
	p.expect(blockEnd, "")
	caller.body = p.bodyTo("endcall")
	return &callNode{called, caller, line}
}

func (p *parser) parameters() []parameter {
	p.expect(operatorToken, "(")
	var all []parameter
	for !p.skipOperator(")") {
		if len(all) > 0 {
			p.expect(operatorToken, ",")
		}
		one := parameter{name: p.name()}
		if p.skipOperator("=") {
			one.value = p.expression()
		} else if len(all) > 0 && all[len(all)-1].value != nil {
			fail("a parameter without a default follows one with it")
		}
		all = append(all, one)
	}
	return all
}
