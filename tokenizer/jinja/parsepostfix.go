package jinja

import (
	"slices"
	"strconv"
)

// postfix reads what follows a value: .name, [item], (arguments).
func (p *parser) postfix(e expression) expression {
	for n := 0; ; n++ {
		p.bound(n)
		switch {
		case p.isOperator("."):
			e = p.dot(e)
		case p.skipOperator("["):
			e = p.subscript(e)
		case p.isOperator("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *parser) dot(e expression) expression {
	p.next()
	if t := p.now(); t.kind == intToken {
		p.next()
		n, err := strconv.ParseInt(t.text, 0, 64)
		if err != nil {
			fail("the number %s is too large", t.text)
		}
		return &item{e, &constant{n}}
	}
	return &attribute{e, p.name()}
}

func (p *parser) subscript(e expression) expression {
	var parts [3]expression
	n, colons := 0, 0
	for !p.skipOperator("]") {
		if p.skipOperator(":") {
			if colons++; colons > 2 {
				fail("a slice has more than three parts")
			}
			n = colons
			continue
		}
		if parts[n] != nil {
			break
		}
		parts[n] = p.expression()
		if colons == 0 && p.skipOperator(",") { // x[1, 2] is x[(1, 2)]
			items := []expression{parts[0]}
			for !p.isOperator("]") {
				items = append(items, p.expression())
				if !p.skipOperator(",") {
					break
				}
			}
			p.expect(operatorToken, "]")
			return &item{e, &tupleNode{items}}
		}
		if !p.isOperator(":") && !p.isOperator("]") {
			p.expect(operatorToken, "]")
		}
	}
	if colons > 0 {
		return &sliceNode{e, parts[0], parts[1], parts[2]}
	}
	if parts[0] == nil {
		fail("[] needs an index")
	}
	return &item{e, parts[0]}
}

func (p *parser) call(function expression) *callExpression {
	line := p.line()
	return &callExpression{function, call{arguments: p.arguments(), line: line}}
}

func (p *parser) arguments() []argument {
	p.expect(operatorToken, "(")
	var all []argument
	for !p.skipOperator(")") {
		if len(all) > 0 {
			p.expect(operatorToken, ",")
			if p.skipOperator(")") {
				break
			}
		}
		var one argument
		following := token{}
		if p.at+1 < len(p.tokens) {
			following = p.tokens[p.at+1]
		}
		switch {
		case p.skipOperator("**"):
			one.name = "**"
		case p.skipOperator("*"):
			one.name = "*"
		case p.now().kind == nameToken && following.kind == operatorToken && following.text == "=":
			one.name = p.name()
			p.next()
		default:
			if len(all) > 0 && all[len(all)-1].name != "" {
				fail("a positional argument follows a named one")
			}
		}
		one.value = p.expression()
		all = append(all, one)
	}
	return all
}

// filtered reads filters, tests and calls after a value.
func (p *parser) filtered(e expression) expression {
	for n := 0; ; n++ {
		p.bound(n)
		switch {
		case p.isOperator("|"):
			p.next()
			e = &filterNode{e, p.filterCall()}
		case p.isWord("is"):
			e = p.test(e)
		case p.isOperator("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *parser) filterCall() call {
	c := call{line: p.line(), name: p.dottedName()}
	if p.isOperator("(") {
		c.arguments = p.arguments()
	}
	return c
}

func (p *parser) dottedName() string {
	name := p.name()
	for n := 0; p.skipOperator("."); n++ {
		p.bound(n)
		name += "." + p.name()
	}
	return name
}

// filters reads those of a block: {% filter a|b %}, or {% set x|a|b %} where a bar stands first.
func (p *parser) filters(barFirst bool) []call {
	var all []call
	for !barFirst || p.skipOperator("|") {
		all = append(all, p.filterCall())
		barFirst = true
	}
	return all
}

func (p *parser) test(e expression) expression {
	node := &testNode{of: e}
	node.line = p.next().line
	node.negated = p.skipWord("not")
	node.name = p.dottedName()
	switch t := p.now(); {
	case p.isOperator("("):
		node.arguments = p.arguments()
	case t.kind == stringToken || t.kind == intToken || t.kind == floatToken || p.isOperator("[") || p.isOperator("{"),
		t.kind == nameToken && !slices.Contains([]string{"else", "or", "and"}, t.text):
		if t.text == "is" && t.kind == nameToken {
			fail("tests can't be chained with is")
		}
		node.arguments = []argument{{value: p.postfix(p.primary())}}
	}
	return node
}
