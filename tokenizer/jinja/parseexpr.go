package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// tuple reads an expression, or several with commas between them. In the tests of if and the items of
// for, "a if b" is no conditional: there withCondition is false.
func (p *parser) tuple(withCondition bool) expression {
	one := p.or
	if withCondition {
		one = p.expression
	}
	return p.tupleOf(one, false)
}

func (p *parser) tupleOf(one func() expression, inBrackets bool) expression {
	var items []expression
	comma := false
	for {
		if comma && (p.now().kind == blockEnd || p.now().kind == printEnd || p.isOperator(")")) {
			break
		}
		if inBrackets && p.isOperator(")") {
			return &tupleNode{}
		}
		items = append(items, one())
		if !p.skipOperator(",") {
			break
		}
		comma = true
	}
	if comma {
		return &tupleNode{items}
	}
	return items[0]
}

func (p *parser) expression() expression {
	p.enter()
	defer p.leave()
	e := p.or()
	for p.skipWord("if") {
		c := &conditional{yes: e, test: p.or()}
		if p.skipWord("else") {
			c.no = p.expression()
		}
		e = c
	}
	return e
}

func (p *parser) or() expression {
	left := p.and()
	for n := 0; p.skipWord("or"); n++ {
		p.bound(n)
		left = &logical{true, left, p.and()}
	}
	return left
}

func (p *parser) and() expression {
	left := p.not()
	for n := 0; p.skipWord("and"); n++ {
		p.bound(n)
		left = &logical{false, left, p.not()}
	}
	return left
}

// bound limits chains such as a + b + c…: their tree is as deep as they are long.
func (p *parser) bound(n int) {
	if n > 1000 {
		fail("the expression is too long")
	}
}

func (p *parser) not() expression {
	if p.skipWord("not") {
		p.enter()
		defer p.leave()
		return &notNode{p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() expression {
	node := &comparison{line: p.line(), first: p.sum()}
	for {
		operator := ""
		switch t := p.now(); {
		case t.kind == operatorToken && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text):
			operator = p.next().text
		case p.skipWord("in"):
			operator = "in"
		case p.isWord("not") && p.tokens[p.at+1].kind == nameToken && p.tokens[p.at+1].text == "in":
			p.at += 2
			operator = "not in"
		}
		if operator == "" {
			break
		}
		node.rest = append(node.rest, comparand{operator, p.sum()})
	}
	if len(node.rest) == 0 {
		return node.first
	}
	return node
}

// sum, product and power read operators of one rank, from left to right.
func (p *parser) sum() expression { return p.ranked(p.concat, "+", "-") }

func (p *parser) product() expression { return p.ranked(p.power, "*", "/", "//", "%") }

func (p *parser) power() expression { return p.ranked(p.unary, "**") }

func (p *parser) ranked(operand func() expression, operators ...string) expression {
	left := operand()
	for n := 0; p.now().kind == operatorToken && slices.Contains(operators, p.now().text); n++ {
		p.bound(n)
		t := p.next()
		left = &binary{t.text, left, operand(), t.line}
	}
	return left
}

func (p *parser) concat() expression {
	parts := []expression{p.product()}
	for p.skipOperator("~") {
		parts = append(parts, p.product())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &concat{parts}
}

func (p *parser) unary() expression { return p.filtered(p.signed()) }

// signed reads a sign with what it stands before. Filters come after it: -1|abs is (-1)|abs.
func (p *parser) signed() expression {
	p.enter()
	defer p.leave()
	if t := p.now(); p.isOperator("-") || p.isOperator("+") {
		p.next()
		return &signNode{t.text == "-", p.signed(), t.line}
	}
	return p.postfix(p.primary())
}

func isConstantName(name string) bool {
	return slices.Contains([]string{"true", "True", "false", "False", "none", "None"}, name)
}

func (p *parser) primary() expression {
	switch t := p.next(); t.kind {
	case nameToken:
		switch t.text {
		case "true", "True":
			return &constant{true}
		case "false", "False":
			return &constant{false}
		case "none", "None":
			return &constant{nil}
		}
		if p.used != nil {
			p.used[t.text] = true
		}
		return &nameNode{t.text}
	case stringToken:
		return &constant{p.strings(t.text)}
	case intToken:
		n, err := strconv.ParseInt(t.text, 0, 64)
		if err != nil {
			fail("the number %s is too large", t.text)
		}
		return &constant{n}
	case floatToken:
		n, _ := strconv.ParseFloat(t.text, 64) // beyond its range it is infinite, as in Python
		return &constant{n}
	case operatorToken:
		return p.bracketed(t)
	default:
		p.at--
		fail("unexpected %s", describe(t))
		return nil
	}
}

// strings reads those that follow each other: they are one.
func (p *parser) strings(first string) string {
	var b strings.Builder
	b.WriteString(first)
	for p.now().kind == stringToken {
		b.WriteString(p.next().text)
	}
	return b.String()
}

func (p *parser) bracketed(t token) expression {
	switch t.text {
	case "(":
		e := p.tupleOf(p.expression, true)
		p.expect(operatorToken, ")")
		return e
	case "[":
		var items []expression
		for !p.skipOperator("]") {
			if len(items) > 0 {
				p.expect(operatorToken, ",")
				if p.skipOperator("]") {
					break
				}
			}
			items = append(items, p.expression())
		}
		return &listNode{items}
	case "{":
		node := &dictNode{}
		for !p.skipOperator("}") {
			if len(node.keys) > 0 {
				p.expect(operatorToken, ",")
				if p.skipOperator("}") {
					break
				}
			}
			node.keys = append(node.keys, p.expression())
			p.expect(operatorToken, ":")
			node.values = append(node.values, p.expression())
		}
		return node
	}
	p.at--
	fail("unexpected %s", describe(t))
	return nil
}
