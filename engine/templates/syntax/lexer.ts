import { TemplateError } from '../template-error.ts'

/** A token. `text` holds the text outside of tags, a name, an operator, or the value of a string. */
export type Token =
  | {
      readonly kind:
        | 'text'
        | 'print-begin'
        | 'print-end'
        | 'tag-begin'
        | 'tag-end'
        | 'name'
        | 'string'
        | 'operator'
        | 'end'
      readonly text: string
      readonly line: number
    }
  | { readonly kind: 'number'; readonly value: bigint | number; readonly text: string; readonly line: number }

const LONG_OPERATORS = ['//', '**', '==', '!=', '<=', '>=']
const OPERATORS = new Set('+-*/%~=<>()[]{}.,:|')
const OPENING = new Set('([{')
const CLOSING = new Set(')]}')

/** Splits a template into tokens. Throws `TemplateError`. */
export const lexTemplate = (source: string): Token[] => new Lexer(source).template()

/** Splits an expression into tokens. Throws `TemplateError`. */
export const lexExpression = (source: string): Token[] => new Lexer(source).expression()

class Lexer {
  readonly #source: string
  readonly #tokens: Token[] = []
  #position = 0
  #line = 1
  /** The first line end that is not counted yet; -1 before the first search. */
  #lineEnd = -1
  /** The next text loses its leading white space: the tag before it ends with a minus sign. */
  #trimsNext = false

  constructor(source: string) {
    this.#source = source
  }

  expression(): Token[] {
    while (this.#skipSpace()) this.#token()
    this.#push('end', '')
    return this.#tokens
  }

  template(): Token[] {
    while (this.#position < this.#source.length) {
      const start = this.#nextDelimiter()
      this.#text(this.#source.slice(this.#position, start), this.#hasMinus(start + 2))
      if (start >= this.#source.length) break
      this.#advance(start)
      const delimiter = this.#source[start + 1]
      if (delimiter === '#') this.#comment()
      else if (delimiter === '{') this.#tag('print-begin', 'print-end', '}}')
      else if (!this.#raw()) this.#tag('tag-begin', 'tag-end', '%}')
    }
    this.#push('end', '')
    return this.#tokens
  }

  #fail(message: string): never {
    throw new TemplateError(`syntax error: ${message}`, this.#line)
  }

  #push(kind: Exclude<Token['kind'], 'number'>, text: string) {
    this.#tokens.push({ kind, text, line: this.#line })
  }

  /** Moves on. A line end is searched only once, so that a long line costs no more than its length. */
  #advance(position: number) {
    while (this.#lineEnd < position) {
      if (this.#lineEnd >= 0) this.#line++
      const next = this.#source.indexOf('\n', this.#lineEnd + 1)
      this.#lineEnd = next < 0 ? Number.POSITIVE_INFINITY : next
    }
    this.#position = position
  }

  /** Where the next tag starts, or the end of the source. */
  #nextDelimiter(): number {
    for (let start = this.#source.indexOf('{', this.#position); start >= 0;) {
      const next = this.#source[start + 1]
      if (next === '{' || next === '%' || next === '#') return start
      start = this.#source.indexOf('{', start + 1)
    }
    return this.#source.length
  }

  #hasMinus = (position: number) => this.#source[position] === '-'

  #text(text: string, trimsEnd: boolean) {
    let kept = this.#trimsNext ? text.trimStart() : text
    if (trimsEnd) kept = kept.trimEnd()
    if (kept !== '') this.#push('text', kept)
  }

  #comment() {
    const end = this.#source.indexOf('#}', this.#position + 2)
    if (end < 0) this.#fail('a comment `{#` has no end `#}`')
    this.#trimsNext = this.#hasMinus(end - 1) && end - 1 > this.#position + 1
    this.#advance(end + 2)
  }

  #tag(begin: 'print-begin' | 'tag-begin', end: 'print-end' | 'tag-end', closing: '}}' | '%}') {
    this.#push(begin, '')
    this.#position += 2
    if (this.#source[this.#position] === '-' || this.#source[this.#position] === '+') this.#position++
    let open = 0
    while (this.#skipSpace()) {
      const length = open === 0 ? this.#closing(closing) : 0
      if (length > 0) {
        this.#trimsNext = this.#hasMinus(this.#position)
        this.#push(end, '')
        this.#position += length
        return
      }
      const token = this.#token()
      if (token.kind !== 'operator') continue
      if (OPENING.has(token.text)) open++
      if (CLOSING.has(token.text)) open = Math.max(0, open - 1)
    }
    this.#fail(`a tag has no end \`${closing}\``)
  }

  /** The length of the end of a tag at this position; 0: there is none. */
  #closing(closing: string): number {
    if (this.#source.startsWith(closing, this.#position)) return 2
    const sign = this.#source[this.#position]
    const mayTrim = sign === '-' || (sign === '+' && closing === '%}')
    return mayTrim && this.#source.startsWith(closing, this.#position + 1) ? 3 : 0
  }

  /** Reads `{% raw %}…{% endraw %}`. Returns whether there was one. */
  #raw(): boolean {
    const body = this.#bareTag(this.#position, 'raw')
    if (body === null) return false
    for (let start = this.#source.indexOf('{%', body.end); start >= 0;) {
      const ending = this.#bareTag(start, 'endraw')
      if (ending !== null) {
        this.#trimsNext = body.trimsNext
        this.#advance(body.end)
        this.#text(this.#source.slice(body.end, start), this.#hasMinus(start + 2))
        this.#advance(ending.end)
        this.#trimsNext = ending.trimsNext
        return true
      }
      start = this.#source.indexOf('{%', start + 2)
    }
    return this.#fail('`{% raw %}` has no end `{% endraw %}`')
  }

  /** The end of a tag that holds one word alone, if such a tag is here. */
  #bareTag(start: number, word: string): { end: number; trimsNext: boolean } | null {
    let position = start + 2
    if (this.#source[position] === '-' || this.#source[position] === '+') position++
    position = this.#afterSpace(position)
    if (!this.#source.startsWith(word, position)) return null
    position = this.#afterSpace(position + word.length)
    const sign = this.#source[position]
    if (sign === '-' || sign === '+') position++
    return this.#source.startsWith('%}', position) ? { end: position + 2, trimsNext: sign === '-' } : null
  }

  #afterSpace(from: number): number {
    let position = from
    while (isSpace(this.#source[position])) position++
    return position
  }

  /** Skips white space. Returns whether anything follows. */
  #skipSpace(): boolean {
    this.#advance(this.#afterSpace(this.#position))
    return this.#position < this.#source.length
  }

  #token(): Token {
    const character = this.#source[this.#position]!
    if (character === '"' || character === "'") this.#string(character)
    else if (isDigit(character)) this.#number()
    else if (isNameStart(character)) this.#name()
    else this.#operator(character)
    return this.#tokens.at(-1)!
  }

  #operator(character: string) {
    const two = this.#source.slice(this.#position, this.#position + 2)
    const operator = LONG_OPERATORS.includes(two) ? two : character
    if (operator.length === 1 && !OPERATORS.has(operator)) this.#fail(`unexpected character \`${operator}\``)
    this.#push('operator', operator)
    this.#position += operator.length
  }

  #name() {
    const start = this.#position
    let end = start + 1
    while (isNamePart(this.#source[end])) end++
    this.#push('name', this.#source.slice(start, end))
    this.#position = end
  }

  #number() {
    const rest = this.#source.slice(this.#position, this.#position + MAX_NUMBER_LENGTH)
    const text = (/^0[xX][\da-fA-F_]+|^0[oO][0-7_]+|^0[bB][01_]+/.exec(rest) ??
      /^\d[\d_]*(?:\.(?![a-zA-Z_.])[\d_]*|\.(?=[eE]\d))?(?:[eE][+-]?\d[\d_]*)?/.exec(rest))?.[0]
    if (text === undefined || text.length === MAX_NUMBER_LENGTH) return this.#fail('a number is too long')
    // A `_` separates digits, so one follows it. This refuses a prefix without digits, `0x_`, as well.
    if (text.endsWith('_')) this.#fail(`the number \`${text}\` ends with \`_\``)
    const digits = text.replaceAll('_', '')
    const isInteger = /^\d+$/.test(digits) || /^0[xXoObB]/.test(digits)
    const value = isInteger ? BigInt(digits.replace(/^0+(?=\d)/, '')) : Number(digits)
    if (typeof value === 'bigint' && value >= 2n ** 127n) this.#fail('an integer is out of range (128 bits)')
    this.#tokens.push({ kind: 'number', value, text, line: this.#line })
    this.#position += text.length
  }

  #string(quote: string) {
    const parts: string[] = []
    const line = this.#line
    let from = this.#position + 1
    for (let position = from; ; position++) {
      const character = this.#source[position]
      if (character === undefined) return this.#fail('a string has no end')
      if (character === quote) {
        parts.push(this.#source.slice(from, position))
        this.#advance(position + 1)
        this.#tokens.push({ kind: 'string', text: parts.join(''), line })
        return
      }
      if (character !== '\\') continue
      const escape = this.#escape(position + 1)
      parts.push(this.#source.slice(from, position), escape.text)
      from = position + 1 + escape.length
      position = from - 1
    }
  }

  #escape(position: number): { text: string; length: number } {
    const character = this.#source[position] ?? ''
    const simple = ESCAPES[character]
    if (simple !== undefined) return { text: simple, length: 1 }
    const length = character === 'u' ? 4 : character === 'x' ? 2 : 0
    // Other escapes stay as they are written: patterns of regular expressions need them.
    if (length === 0) return { text: `\\${character}`, length: character.length }
    const digits = this.#source.slice(position + 1, position + 1 + length)
    if (!/^[\da-fA-F]+$/.test(digits) || digits.length < length)
      this.#fail(`\`\\${character}\` is no escape of a string`)
    return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: length + 1 }
  }
}

const MAX_NUMBER_LENGTH = 400

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
}

const isSpace = (character: string | undefined) => character !== undefined && /\s/.test(character)
const isDigit = (character: string) => character >= '0' && character <= '9'
const isNameStart = (character: string) => /[\p{L}_]/u.test(character)
const isNamePart = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character)
