package jinja

// A statement writes to its frame's output or sets its variables.
type statement interface {
	exec(f *frame) signal
}

// An expression has a value.
type expression interface {
	eval(f *frame) any
}

// signal is how a statement ended: break and continue go up to their loop.
type signal uint8

const (
	goOn signal = iota
	breakLoop
	continueLoop
)

// Statements.
type (
	textNode  struct{ text string }
	printNode struct {
		value expression
		line  int
	}
	ifNode struct {
		branches []branch
		other    []statement
	}
	branch struct {
		test expression
		body []statement
		line int
	}
	forNode struct {
		target target
		items  expression
		filter expression // or nil
		body   []statement
		other  []statement
		line   int
	}
	setNode struct {
		target target
		value  expression
		line   int
	}
	setBlockNode struct {
		target  target
		filters []call
		body    []statement
		line    int
	}
	withNode struct {
		sets []setNode
		body []statement
	}
	filterBlockNode struct {
		filters []call
		body    []statement
		line    int
	}
	macroNode struct{ macro *macroDefinition }
	callNode  struct { // {% call(x) macro() %}…{% endcall %}
		call   *callExpression
		caller *macroDefinition
		line   int
	}
	signalNode struct{ signal signal }
	groupNode  struct{ body []statement } // generation: what stands in it, as it is
)

// macroDefinition is a macro as it was written; macro is one with its surroundings.
type macroDefinition struct {
	name       string
	parameters []parameter
	body       []statement
	// catchAll and catchNamed: the body uses varargs or kwargs.
	catchAll, catchNamed bool
}

type parameter struct {
	name  string
	value expression // the default, or nil
}

// target is what a for or a set gives a value to: a name, an attribute of a namespace, or several targets.
type target struct {
	name      string
	attribute string
	several   []target
}

// Expressions.
type (
	constant  struct{ value any }
	nameNode  struct{ name string }
	listNode  struct{ items []expression }
	tupleNode struct{ items []expression }
	dictNode  struct{ keys, values []expression }
	attribute struct {
		of   expression
		name string
	}
	item      struct{ of, at expression }
	sliceNode struct{ of, from, to, step expression } // nil where nothing stands
	call      struct {
		name      string // of a filter or a test
		arguments []argument
		line      int
	}
	callExpression struct {
		function expression
		call
	}
	filterNode struct {
		of expression
		call
	}
	testNode struct {
		of      expression
		negated bool
		call
	}
	argument struct {
		name  string // or "", or "*", or "**"
		value expression
	}
	signNode struct { // -x, or +x
		minus bool
		of    expression
		line  int
	}
	binary struct {
		operator    string
		left, right expression
		line        int
	}
	concat  struct{ parts []expression }
	notNode struct{ of expression }
	logical struct {
		or          bool
		left, right expression
	}
	comparison struct {
		first expression
		rest  []comparand
		line  int
	}
	comparand struct {
		operator string
		value    expression
	}
	conditional struct{ test, yes, no expression } // no is nil without else
)
