import type { Arguments, BinaryOperator, Comparison, Expression } from './ast.ts'
import type { Token } from './lexer.ts'
import { TemplateError } from '../template-error.ts'
import type { Defined } from '../values/value.ts'

/** Expressions and statements nested deeper than this are refused: the stack is finite. */
const MAX_NESTING = 150

const CONSTANTS: ReadonlyMap<string, Defined> = new Map<string, Defined>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])
const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])
// From loose to tight. All are left-associative.
const BINARY: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['+', '-']),
  new Set(['~']),
  new Set(['*', '/', '//', '%']),
  new Set(['**']),
]
/** Words that cannot be the argument of a test without parentheses. */
const OPERATOR_WORDS = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'recursive'])
const RESERVED = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else'])

type Open<T> = T extends unknown ? Omit<T, 'line' | 'depth'> : never

/** Parses expressions out of a list of tokens (precedence climbing). Methods throw `TemplateError`. */
export class ExpressionParser {
  readonly #tokens: readonly Token[]
  #index = 0
  #nesting = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get token(): Token {
    return this.#tokens[this.#index]!
  }

  fail(message: string, line = this.token.line): never {
    throw new TemplateError(`syntax error: ${message}`, line)
  }

  failUnexpected(expected: string): never {
    const { kind, text } = this.token
    const what = kind === 'end' ? 'the end' : kind.endsWith('-end') ? 'the end of the tag' : `\`${text}\``
    return this.fail(`unexpected ${what}, expected ${expected}`)
  }

  next(): Token {
    const token = this.token
    if (token.kind !== 'end') this.#index++
    return token
  }

  is = (operator: string) => this.token.kind === 'operator' && this.token.text === operator
  isName = (name: string) => this.token.kind === 'name' && this.token.text === name

  accept(operator: string): boolean {
    const found = this.is(operator)
    if (found) this.#index++
    return found
  }

  acceptName(name: string): boolean {
    const found = this.isName(name)
    if (found) this.#index++
    return found
  }

  expect(operator: string): void {
    if (!this.accept(operator)) this.failUnexpected(`\`${operator}\``)
  }

  /** A name that is no word of the language. */
  name(what = 'a name'): string {
    const token = this.token
    if (token.kind !== 'name' || RESERVED.has(token.text) || CONSTANTS.has(token.text)) return this.failUnexpected(what)
    this.#index++
    return token.text
  }

  /** Runs a step of the parser that may contain itself. */
  nested<T>(step: () => T): T {
    if (++this.#nesting > MAX_NESTING) this.fail(`nested deeper than ${MAX_NESTING} levels`)
    const result = step()
    this.#nesting--
    return result
  }

  expression(): Expression {
    return this.nested(() => this.#choice())
  }

  /** An expression, or several with commas between them, which make a list. */
  expressionOrTuple(): Expression {
    const first = this.expression()
    if (!this.is(',')) return first
    const items = [first]
    while (this.accept(',')) {
      if (this.token.kind === 'tag-end') break
      items.push(this.expression())
    }
    return this.#node({ kind: 'list', items }, first.line, items)
  }

  /** An expression without a condition of its own: the items of a `for` that may have one. */
  operand(): Expression {
    return this.nested(() => this.#or())
  }

  /** One filter or several in a row, applied to the text of a block. */
  filterChain(): Expression {
    const { line } = this.token
    let chain: Expression = { kind: 'body', line, depth: 1 }
    do chain = this.#filter(chain)
    while (this.accept('|'))
    return chain
  }

  #node(open: Open<Expression>, line: number, children: ReadonlyArray<Expression | null>): Expression {
    let depth = 1
    for (const child of children) if (child !== null && child.depth >= depth) depth = child.depth + 1
    if (depth > MAX_NESTING) this.fail(`an expression is nested deeper than ${MAX_NESTING} levels`, line)
    return { ...open, line, depth }
  }

  #choice(): Expression {
    let result = this.#or()
    while (this.isName('if')) {
      const { line } = this.next()
      const condition = this.#or()
      const otherwise = this.acceptName('else') ? this.expression() : null
      result = this.#node({ kind: 'choice', condition, chosen: result, otherwise }, line, [
        condition,
        result,
        otherwise,
      ])
    }
    return result
  }

  #or(): Expression {
    let left = this.#and()
    while (this.isName('or')) {
      const { line } = this.next()
      const right = this.#and()
      left = this.#node({ kind: 'or', left, right }, line, [left, right])
    }
    return left
  }

  #and(): Expression {
    let left = this.#not()
    while (this.isName('and')) {
      const { line } = this.next()
      const right = this.#not()
      left = this.#node({ kind: 'and', left, right }, line, [left, right])
    }
    return left
  }

  #not(): Expression {
    if (!this.isName('not')) return this.#comparison()
    const { line } = this.next()
    const operand = this.nested(() => this.#not())
    return this.#node({ kind: 'not', operand }, line, [operand])
  }

  #comparison(): Expression {
    const first = this.#binary(0)
    const rest: Array<readonly [Comparison, Expression]> = []
    const { line } = this.token
    for (let operator = this.#comparisonOperator(); operator !== null; operator = this.#comparisonOperator())
      rest.push([operator, this.#binary(0)])
    if (rest.length === 0) return first
    return this.#node({ kind: 'comparison', first, rest }, line, [first, ...rest.map(([, operand]) => operand)])
  }

  #comparisonOperator(): Comparison | null {
    const { kind, text } = this.token
    if (kind === 'operator' && COMPARISONS.has(text)) {
      this.#index++
      return text as Comparison
    }
    if (this.acceptName('in')) return 'in'
    const following = this.#tokens[this.#index + 1]
    if (!this.isName('not') || following?.kind !== 'name' || following.text !== 'in') return null
    this.#index += 2
    return 'not in'
  }

  #binary(level: number): Expression {
    const operators = BINARY[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    while (this.token.kind === 'operator' && operators.has(this.token.text)) {
      const { text, line } = this.next()
      const right = this.#binary(level + 1)
      left = this.#node({ kind: 'binary', operator: text as BinaryOperator, left, right }, line, [left, right])
    }
    return left
  }

  /** The sign belongs to the number: filters and tests apply to `-3`, not to `3`. */
  #unary(): Expression {
    let result = this.#signed()
    for (;;) {
      if (this.accept('|')) result = this.#filter(result)
      else if (this.isName('is')) result = this.#test(result)
      else return result
    }
  }

  #signed(): Expression {
    if (!this.is('-')) return this.#postfix()
    const { line } = this.next()
    const operand = this.nested(() => this.#signed())
    return this.#node({ kind: 'negative', operand }, line, [operand])
  }

  #filter(target: Expression): Expression {
    const { line } = this.token
    const name = this.#dottedName('the name of a filter')
    const args = this.is('(') ? this.args() : NO_ARGUMENTS
    return this.#node({ kind: 'filter', target, name, args }, line, [target, ...argumentExpressions(args)])
  }

  #dottedName(what: string): string {
    const token = this.token
    if (token.kind !== 'name') return this.failUnexpected(what)
    this.#index++
    return token.text
  }

  #test(target: Expression): Expression {
    const { line } = this.next()
    const isNegated = this.acceptName('not')
    const name = this.#dottedName('the name of a test')
    const args = this.is('(') ? this.args() : this.#bareArgument()
    return this.#node({ kind: 'test', target, name, args, isNegated }, line, [target, ...argumentExpressions(args)])
  }

  /** The argument of a test without parentheses: `is divisibleby 3`. */
  #bareArgument(): Arguments {
    const { kind, text } = this.token
    const starts =
      (kind === 'name' && !OPERATOR_WORDS.has(text)) ||
      kind === 'string' ||
      kind === 'number' ||
      (kind === 'operator' && (text === '[' || text === '{' || text === '-'))
    return starts && !(kind === 'operator' && text === '-')
      ? { positional: [this.nested(() => this.#signed())], named: [] }
      : NO_ARGUMENTS
  }

  args(): Arguments {
    const positional: Expression[] = []
    const named: Array<readonly [string, Expression]> = []
    this.#items('(', ')', () => {
      const following = this.#tokens[this.#index + 1]
      if (this.token.kind === 'name' && following?.kind === 'operator' && following.text === '=') {
        const name = this.name()
        this.#index++
        if (named.some(([other]) => other === name)) this.fail(`the argument \`${name}\` is given twice`)
        named.push([name, this.expression()])
      } else if (named.length > 0) this.fail('a positional argument follows a named one')
      else positional.push(this.expression())
    })
    return { positional, named }
  }

  /** Reads items with commas between them; one may follow the last. */
  #items(open: string, close: string, item: () => void): void {
    this.expect(open)
    while (!this.accept(close)) {
      item()
      if (this.accept(close)) return
      if (!this.accept(',')) this.failUnexpected(`\`,\` or \`${close}\``)
    }
  }

  #postfix(): Expression {
    let result = this.#primary()
    for (;;) {
      const { line } = this.token
      if (this.accept('.')) {
        const token = this.token
        const isIndex = token.kind === 'number' && /^\d+$/.test(token.text)
        if (token.kind !== 'name' && !isIndex) return this.failUnexpected('the name of an attribute')
        if (token.kind === 'number') {
          const index = this.#constant(token.value)
          result = this.#node({ kind: 'item', target: result, index }, line, [result, index])
          continue
        }
        this.#index++
        result = this.#node({ kind: 'attribute', target: result, name: token.text }, line, [result])
      } else if (this.is('(')) {
        const args = this.args()
        result = this.#node({ kind: 'call', target: result, args }, line, [result, ...argumentExpressions(args)])
      } else if (this.accept('[')) result = this.#subscript(result, line)
      else return result
    }
  }

  #subscript(target: Expression, line: number): Expression {
    const bounds: Array<Expression | null> = []
    let isSlice = false
    while (!this.is(']') && bounds.length < 3) {
      bounds.push(this.is(':') ? null : this.expression())
      if (!this.accept(':')) break
      isSlice = true
    }
    this.expect(']')
    const [first = null, second = null, third = null] = bounds
    if (isSlice)
      return this.#node({ kind: 'slice', target, bounds: [first, second, third] }, line, [target, first, second, third])
    if (first === null) return this.fail('an index is missing between `[` and `]`')
    return this.#node({ kind: 'item', target, index: first }, line, [target, first])
  }

  #primary(): Expression {
    const token = this.token
    const { line } = token
    if (token.kind === 'number') return this.#constant(token.value)
    if (token.kind === 'string') return this.#text()
    if (token.kind === 'name') {
      const constant = CONSTANTS.get(token.text)
      if (constant !== undefined) return this.#constant(constant)
      return this.#node({ kind: 'name', name: this.name('an expression') }, line, [])
    }
    if (this.is('[')) {
      const items: Expression[] = []
      this.#items('[', ']', () => items.push(this.expression()))
      return this.#node({ kind: 'list', items }, line, items)
    }
    if (this.is('{')) return this.#map()
    if (this.is('(')) return this.#parenthesized()
    return this.failUnexpected('an expression')
  }

  #constant(value: Defined): Expression {
    const { line } = this.next()
    return this.#node({ kind: 'constant', value }, line, [])
  }

  /** Strings in a row are one string. */
  #text(): Expression {
    const { line } = this.token
    const parts: string[] = []
    while (this.token.kind === 'string') parts.push(this.next().text)
    return this.#node({ kind: 'constant', value: parts.join('') }, line, [])
  }

  #map(): Expression {
    const { line } = this.token
    const pairs: Array<readonly [Expression, Expression]> = []
    this.#items('{', '}', () => {
      const key = this.expression()
      this.expect(':')
      pairs.push([key, this.expression()])
    })
    return this.#node({ kind: 'map', pairs }, line, pairs.flat())
  }

  /** An expression in parentheses, or a tuple: `()`, `(1,)`, `(1, 2)`. */
  #parenthesized(): Expression {
    const { line } = this.token
    const items: Expression[] = []
    let hasComma = false
    this.expect('(')
    while (!this.accept(')')) {
      items.push(this.expression())
      if (this.accept(')')) break
      if (!this.accept(',')) this.failUnexpected('`,` or `)`')
      hasComma = true
    }
    const [only] = items
    if (items.length === 1 && !hasComma && only !== undefined) return only
    return this.#node({ kind: 'list', items }, line, items)
  }
}

const NO_ARGUMENTS: Arguments = { positional: [], named: [] }

const argumentExpressions = ({ positional, named }: Arguments): Expression[] => [
  ...positional,
  ...named.map(([, value]) => value),
]
