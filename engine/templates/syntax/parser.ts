import type { Expression, Macro, MemberTarget, Parameter, Statement, Target } from './ast.ts'
import { ExpressionParser } from './expression-parser.ts'
import { lexExpression, lexTemplate } from './lexer.ts'

/** Parses a template. Throws `TemplateError`. */
export const parseTemplate = (source: string): readonly Statement[] => {
  const parser = new StatementParser(new ExpressionParser(lexTemplate(source)))
  return parser.statements([])
}

/** Parses an expression. Throws `TemplateError`. */
export const parseExpression = (source: string): Expression => {
  const parser = new ExpressionParser(lexExpression(source))
  const expression = parser.expression()
  if (parser.token.kind !== 'end') parser.failUnexpected('the end of the expression')
  return expression
}

const WITHOUT_LOADER = new Set(['include', 'import', 'from', 'extends'])

class StatementParser {
  readonly #parser: ExpressionParser

  constructor(parser: ExpressionParser) {
    this.#parser = parser
  }

  /** Reads statements up to a tag that starts with one of these words; without words, up to the end. */
  statements(ends: readonly string[]): readonly Statement[] {
    const statements: Statement[] = []
    const parser = this.#parser
    for (;;) {
      const { kind, text, line } = parser.token
      if (kind === 'end') {
        if (ends.length > 0) parser.fail(`the end came before \`{% ${ends.join(' %}` or `{% ')} %}\``)
        return statements
      }
      parser.next()
      if (kind === 'text') statements.push({ kind: 'text', text, line })
      else if (kind === 'print-begin') {
        const value = parser.expression()
        if (parser.next().kind !== 'print-end') parser.fail('a tag `{{` holds more than one expression', line)
        statements.push({ kind: 'print', value, line })
      } else {
        if (parser.token.kind === 'name' && ends.includes(parser.token.text)) return statements
        statements.push(parser.nested(() => this.#statement(line)))
      }
    }
  }

  /** The body of a tag up to its end tag, which is read too. */
  #body(end: string): readonly Statement[] {
    const body = this.statements([end])
    this.#parser.next()
    this.#tagEnd()
    return body
  }

  #tagEnd(): void {
    if (this.#parser.token.kind !== 'tag-end') this.#parser.failUnexpected('the end of the tag')
    this.#parser.next()
  }

  #statement(line: number): Statement {
    const parser = this.#parser
    const { kind, text } = parser.next()
    if (kind !== 'name') return parser.fail('a tag `{%` starts with the name of a statement', line)
    switch (text) {
      case 'if':
        return this.#if(line)
      case 'for':
        return this.#for(line)
      case 'set':
        return this.#set(line)
      case 'with':
        return this.#with(line)
      case 'macro': {
        const name = parser.name('the name of the macro')
        const parameters = this.#parameters()
        this.#tagEnd()
        return { kind: 'macro', macro: { name, parameters, body: this.#body('endmacro') }, line }
      }
      case 'call':
        return this.#call(line)
      case 'filter': {
        const filter = parser.filterChain()
        this.#tagEnd()
        return { kind: 'filter-block', filter, body: this.#body('endfilter'), line }
      }
      case 'block':
        return this.#block(line)
      case 'do': {
        const value = parser.expression()
        this.#tagEnd()
        return { kind: 'do', value, line }
      }
      default:
        if (WITHOUT_LOADER.has(text))
          return parser.fail(`\`${text}\` is not available: a template cannot load another one`, line)
        return parser.fail(`unknown statement \`${text}\``, line)
    }
  }

  #if(line: number): Statement {
    const parser = this.#parser
    const branches: Array<readonly [Expression, readonly Statement[]]> = []
    let otherwise: readonly Statement[] = []
    for (let word = 'if'; word !== 'endif';) {
      if (word === 'else') {
        this.#tagEnd()
        otherwise = this.statements(['endif'])
      } else {
        const condition = parser.expression()
        this.#tagEnd()
        branches.push([condition, this.statements(['elif', 'else', 'endif'])])
      }
      word = parser.next().text
    }
    this.#tagEnd()
    return { kind: 'if', branches, otherwise, line }
  }

  #for(line: number): Statement {
    const parser = this.#parser
    const target = this.#targets()
    if (!parser.acceptName('in')) parser.failUnexpected('`in`')
    const items = parser.operand()
    const condition = parser.acceptName('if') ? parser.expression() : null
    const isRecursive = parser.acceptName('recursive')
    this.#tagEnd()
    const body = this.statements(['else', 'endfor'])
    let otherwise: readonly Statement[] = []
    if (parser.next().text === 'else') {
      this.#tagEnd()
      otherwise = this.#body('endfor')
    } else this.#tagEnd()
    return { kind: 'for', target, items, condition, isRecursive, body, otherwise, line }
  }

  /** Names with commas between them; parentheses are optional. */
  #targets(): Target {
    const first = this.#target()
    if (!this.#parser.is(',')) return first
    const targets = [first]
    while (this.#parser.accept(',')) {
      if (this.#parser.isName('in') || this.#parser.is('=')) break
      targets.push(this.#target())
    }
    return { kind: 'targets', targets }
  }

  #target(): Target {
    const parser = this.#parser
    if (!parser.accept('(')) return { kind: 'name', name: parser.name('a name to assign to') }
    return parser.nested(() => {
      const targets: Target[] = []
      let hasComma = false
      while (!parser.accept(')')) {
        targets.push(this.#target())
        if (parser.accept(')')) break
        if (!parser.accept(',')) parser.failUnexpected('`,` or `)`')
        hasComma = true
      }
      const [only] = targets
      return targets.length === 1 && !hasComma && only !== undefined ? only : { kind: 'targets', targets }
    })
  }

  #set(line: number): Statement {
    const parser = this.#parser
    const named = this.#targets()
    const target: Target | MemberTarget =
      named.kind === 'name' && parser.accept('.')
        ? { kind: 'member', name: named.name, member: parser.name('the name of a member') }
        : named
    if (parser.accept('=')) {
      const value = parser.expressionOrTuple()
      this.#tagEnd()
      return { kind: 'set', target, value, line }
    }
    const filter: Expression = parser.accept('|') ? parser.filterChain() : { kind: 'body', line, depth: 1 }
    if (target.kind === 'targets') return parser.failUnexpected('`=`')
    this.#tagEnd()
    return { kind: 'set-block', target, filter, body: this.#body('endset'), line }
  }

  #with(line: number): Statement {
    const parser = this.#parser
    const assignments: Array<readonly [Target, Expression]> = []
    while (parser.token.kind !== 'tag-end') {
      const target = this.#target()
      parser.expect('=')
      assignments.push([target, parser.expression()])
      if (!parser.accept(',')) break
    }
    this.#tagEnd()
    return { kind: 'with', assignments, body: this.#body('endwith'), line }
  }

  #parameters(): readonly Parameter[] {
    const parser = this.#parser
    const parameters: Parameter[] = []
    parser.expect('(')
    while (!parser.accept(')')) {
      const name = parser.name('the name of a parameter')
      if (parameters.some((other) => other.name === name)) parser.fail(`the parameter \`${name}\` appears twice`)
      const otherwise = parser.accept('=') ? parser.expression() : null
      if (otherwise === null && parameters.at(-1)?.otherwise)
        parser.fail(`the parameter \`${name}\` needs a default: the one before it has one`)
      parameters.push({ name, otherwise })
      if (parser.accept(')')) break
      if (!parser.accept(',')) parser.failUnexpected('`,` or `)`')
    }
    return parameters
  }

  #call(line: number): Statement {
    const parser = this.#parser
    const parameters = parser.is('(') ? this.#parameters() : []
    const call = parser.expression()
    if (call.kind !== 'call') return parser.fail('`{% call %}` needs the call of a macro', line)
    this.#tagEnd()
    const caller: Macro = { name: 'caller', parameters, body: this.#body('endcall') }
    return { kind: 'call-block', call, caller, line }
  }

  /** A block renders in place. Its name may follow its end. */
  #block(line: number): Statement {
    const parser = this.#parser
    const name = parser.name('the name of the block')
    this.#tagEnd()
    const body = this.statements(['endblock'])
    parser.next()
    if (parser.token.kind === 'name' && !parser.acceptName(name)) parser.failUnexpected(`\`${name}\``)
    this.#tagEnd()
    return { kind: 'block', body, line }
  }
}
