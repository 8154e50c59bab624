import { plainScalar } from './scalar.ts'
import { MERGE_KEY } from './tree.ts'
import type { Member, Source, Tree } from './tree.ts'

// The package `yaml` reads 2 MB of tests in more than a second, because it keeps every comment and space. Most suites
// are written in a small part of YAML, which this parser reads in a tenth of that time. It never guesses: whatever it
// does not know, an error included, is left to the package. A property-based spec compares both.

/** Text outside of this part of YAML. */
class NotPlain extends Error {
  override readonly name = 'NotPlain'
}

/** Characters that this parser leaves to the package: tabs, carriage returns, controls, unusual line separators. */
const UNUSUAL = /[^\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\uffef]/

const MAX_DEPTH = 100
/** YAML limits keys without a `?` to 1024 characters. */
const MAX_KEY_LENGTH = 1000

const SUGAR: ReadonlyArray<readonly [tag: string, key: string]> = [
  ['!raw ', '$raw'],
  ['!file ', '$file'],
]

const SPACE = 0x20
const DASH = 0x2d
const HASH = 0x23
const COLON = 0x3a
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d
const COMMA = 0x2c
const BAR = 0x7c
const BANG = 0x21
const QUESTION = 0x3f

/** Characters with a meaning at the start of a value: plain text does not start with them. */
const INDICATORS = new Set([...',[]{}#&*!|>\'"%@`'].map((character) => character.charCodeAt(0)))

/**
 * Parses block mappings and lists, single-line flow collections, single-line plain and quoted texts, literal blocks,
 * comments, `!raw` and `!file`. Undefined for all other text: `parseYaml` of the package decides about it.
 */
export const parsePlainYaml = (source: Source): Tree | undefined => {
  if (UNUSUAL.test(source.text)) return undefined
  try {
    return new PlainParser(source).document()
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

class PlainParser {
  readonly #source: Source
  readonly #text: string
  /** The first character of the current line that is no space; -1 at the end of the text. */
  #at = 0
  /** The column of that character, from 0; -1 at the end of the text. */
  #column = 0
  /** The end of the current line. */
  #end = -1
  #depth = 0

  constructor(source: Source) {
    this.#source = source
    this.#text = source.text
  }

  document(): Tree {
    this.#nextLine()
    if (this.#at < 0) throw new NotPlain()
    const tree = this.#block()
    if (this.#at >= 0) throw new NotPlain()
    return tree
  }

  /** Moves to the next line that is neither blank nor a comment. */
  #nextLine(): void {
    const text = this.#text
    let start = this.#end + 1
    for (;;) {
      if (start >= text.length) {
        this.#at = this.#column = -1
        this.#end = text.length
        return
      }
      let at = start
      while (text.charCodeAt(at) === SPACE) at++
      const end = this.#lineEnd(at)
      if (at < end && text.charCodeAt(at) !== HASH) {
        this.#at = at
        this.#column = at - start
        this.#end = end
        if (this.#column === 0 && /^(?:%|---|\.\.\.)/.test(text.slice(at, at + 3))) throw new NotPlain()
        return
      }
      start = end + 1
    }
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at)
    return end < 0 ? this.#text.length : end
  }

  #isDash(at: number): boolean {
    return this.#text.charCodeAt(at) === DASH && this.#isBreak(at + 1)
  }

  /** Whether a space or the end of the line is at this place. */
  #isBreak(at: number): boolean {
    return at >= this.#end || this.#text.charCodeAt(at) === SPACE
  }

  #skipSpaces(from: number): number {
    let at = from
    while (at < this.#end && this.#text.charCodeAt(at) === SPACE) at++
    return at
  }

  /** Whether the rest of the line is blank or a comment, which needs a space before it. */
  #isRestEmpty(at: number): boolean {
    return at >= this.#end || (this.#text.charCodeAt(at) === HASH && this.#text.charCodeAt(at - 1) === SPACE)
  }

  /** A list or a mapping that starts at the current place. */
  #block(): Tree {
    if (++this.#depth > MAX_DEPTH) throw new NotPlain()
    const tree = this.#isDash(this.#at) ? this.#list() : this.#mapping()
    this.#depth--
    return tree
  }

  #list(): Tree {
    const column = this.#column
    const at = this.#at
    const items: Tree[] = []
    while (this.#column === column && this.#isDash(this.#at)) {
      const dash = this.#at
      const inner = this.#skipSpaces(dash + 1)
      if (this.#isRestEmpty(inner)) {
        this.#nextLine()
        items.push(this.#column > column ? this.#block() : this.#scalar(null, dash))
      } else {
        this.#at = inner
        this.#column = column + (inner - dash)
        items.push(this.#isDash(inner) || this.#key(inner) !== undefined ? this.#block() : this.#value(inner, column))
      }
    }
    if (this.#column > column) throw new NotPlain()
    return { items, source: this.#source, at }
  }

  #mapping(): Tree {
    const column = this.#column
    const at = this.#at
    const members = new Map<string, Member>()
    while (this.#column === column) {
      const key = this.#isDash(this.#at) ? undefined : this.#key(this.#at)
      if (key === undefined) throw new NotPlain()
      const keyAt = this.#at
      const inner = this.#skipSpaces(key.after)
      const tree = this.#isRestEmpty(inner) ? this.#valueBelow(column, keyAt) : this.#value(inner, column)
      this.#add(members, key.name, keyAt, tree)
    }
    if (this.#column > column) throw new NotPlain()
    return { members, source: this.#source, at }
  }

  #add(members: Map<string, Member>, name: string, keyAt: number, tree: Tree): void {
    if (members.has(name) || name === '__proto__') throw new NotPlain()
    members.set(name, { key: { source: this.#source, at: keyAt }, tree })
  }

  /** The value of a key whose line has no more than the key. A list may be in the column of the key. */
  #valueBelow(column: number, keyAt: number): Tree {
    this.#nextLine()
    if (this.#column > column || (this.#column === column && this.#isDash(this.#at))) return this.#block()
    return this.#scalar(null, keyAt)
  }

  /** Returns the key at this place and the place after its colon; undefined if the text here is no key. */
  #key(at: number): { readonly name: string; readonly after: number } | undefined {
    const text = this.#text
    const first = text.charCodeAt(at)
    if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
      const { value, after } = this.#quoted(at)
      return text.charCodeAt(after) === COLON && this.#isBreak(after + 1)
        ? { name: value, after: after + 1 }
        : undefined
    }
    if (!this.#mayStartPlain(at)) return undefined
    for (let colon = text.indexOf(':', at); colon >= 0 && colon < this.#end; colon = text.indexOf(':', colon + 1)) {
      if (!this.#isBreak(colon + 1)) continue
      const name = text.slice(at, colon).trimEnd()
      if (name.includes(' #') || name.length > MAX_KEY_LENGTH || name === '' || name === MERGE_KEY) throw new NotPlain()
      return { name, after: colon + 1 }
    }
    return undefined
  }

  #mayStartPlain(at: number): boolean {
    const first = this.#text.charCodeAt(at)
    if (INDICATORS.has(first)) return false
    return !((first === DASH || first === QUESTION || first === COLON) && this.#isBreak(at + 1))
  }

  /** A value on the line of its key or dash, which is in `column`. */
  #value(at: number, column: number): Tree {
    const first = this.#text.charCodeAt(at)
    if (first === BAR) return this.#literal(at, column)
    if (first === BANG) return this.#tagged(at, (inner) => this.#value(inner, column))
    if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
      const { value, after } = this.#quoted(at)
      return this.#lastOnLine(this.#scalar(value, at), after, column)
    }
    if (first === OPEN_LIST || first === OPEN_MAP) {
      const { tree, after } = this.#flow(at)
      return this.#lastOnLine(tree, after, column)
    }
    if (!this.#mayStartPlain(at)) throw new NotPlain()
    const line = this.#text.slice(at, this.#end)
    const comment = line.indexOf(' #')
    const plain = (comment < 0 ? line : line.slice(0, comment)).trimEnd()
    if (plain.includes(': ') || plain.endsWith(':')) throw new NotPlain()
    return this.#lastOnLine(this.#plain(plain, at), at + plain.length, column)
  }

  /** Ends a line after a value. Nothing may follow on the line, nor may the next line continue the value. */
  #lastOnLine(tree: Tree, after: number, column: number): Tree {
    if (!this.#isRestEmpty(this.#skipSpaces(after))) throw new NotPlain()
    this.#nextLine()
    if (this.#column > column) throw new NotPlain()
    return tree
  }

  #tagged(at: number, value: (at: number) => Tree): Tree {
    const sugar = SUGAR.find(([tag]) => this.#text.startsWith(tag, at))
    if (sugar === undefined) throw new NotPlain()
    const [tag, key] = sugar
    const inner = this.#skipSpaces(at + tag.length)
    const first = this.#text.charCodeAt(inner)
    if (this.#isRestEmpty(inner) || first === BANG || first === BAR) throw new NotPlain()
    const tree = value(inner)
    return this.#wrapped(key, tree)
  }

  #wrapped(key: string, tree: Tree): Tree {
    const place = { source: this.#source, at: tree.at }
    return { members: new Map([[key, { key: place, tree }]]), ...place }
  }

  #plain(text: string, at: number): Tree {
    const value = plainScalar(text)
    if (value === undefined) throw new NotPlain()
    return { value, source: this.#source, at }
  }

  #scalar(value: string | null, at: number): Tree {
    return { value, source: this.#source, at }
  }

  /** A quoted text on one line. */
  #quoted(at: number): { readonly value: string; readonly after: number } {
    return this.#text.charCodeAt(at) === SINGLE_QUOTE ? this.#singleQuoted(at) : this.#doubleQuoted(at)
  }

  #singleQuoted(at: number): { readonly value: string; readonly after: number } {
    const text = this.#text
    let close = text.indexOf("'", at + 1)
    while (close >= 0 && text.charCodeAt(close + 1) === SINGLE_QUOTE) close = text.indexOf("'", close + 2)
    if (close < 0 || close >= this.#end) throw new NotPlain()
    return { value: text.slice(at + 1, close).replaceAll("''", "'"), after: close + 1 }
  }

  #doubleQuoted(at: number): { readonly value: string; readonly after: number } {
    const text = this.#text
    let close = text.indexOf('"', at + 1)
    while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1)
    if (close < 0 || close >= this.#end) throw new NotPlain()
    const inner = text.slice(at + 1, close)
    return { value: inner.includes('\\') ? unescaped(inner) : inner, after: close + 1 }
  }

  /** A literal block: `|` or `|-`, and all lines that are indented more than `column`. */
  #literal(at: number, column: number): Tree {
    const text = this.#text
    const strip = text.charCodeAt(at + 1) === DASH
    if (!this.#isRestEmpty(this.#skipSpaces(at + (strip ? 2 : 1)))) throw new NotPlain()
    const lines: string[] = []
    let indent = -1
    let start = this.#end + 1
    while (start < text.length) {
      let from = start
      while (text.charCodeAt(from) === SPACE) from++
      const end = this.#lineEnd(from)
      const isBlank = from === end
      // Spaces on blank lines may belong to the text or not: the package knows.
      if (isBlank && from - start > Math.max(indent, 0)) throw new NotPlain()
      if (!isBlank && indent < 0) indent = from - start
      if (!isBlank && from - start < indent) break
      if (indent >= 0 && indent <= column) break
      lines.push(isBlank ? '' : text.slice(start + indent, end))
      start = end + 1
    }
    if (indent <= column || text.charCodeAt(this.#end + 1) === HASH) throw new NotPlain()
    this.#end = start - 1
    this.#nextLine()
    while (lines.at(-1) === '') lines.pop()
    return this.#scalar(lines.join('\n') + (strip ? '' : '\n'), at)
  }

  /** A list or mapping in brackets, on one line. */
  #flow(at: number): { readonly tree: Tree; readonly after: number } {
    if (++this.#depth > MAX_DEPTH) throw new NotPlain()
    const result = this.#text.charCodeAt(at) === OPEN_LIST ? this.#flowList(at) : this.#flowMapping(at)
    this.#depth--
    return result
  }

  #flowList(at: number): { readonly tree: Tree; readonly after: number } {
    const items: Tree[] = []
    let next = this.#skipSpaces(at + 1)
    if (this.#text.charCodeAt(next) !== CLOSE_LIST)
      for (;;) {
        const { tree, after } = this.#flowValue(next)
        items.push(tree)
        next = this.#skipSpaces(after)
        if (this.#text.charCodeAt(next) === CLOSE_LIST) break
        next = this.#afterComma(next)
      }
    return { tree: { items, source: this.#source, at }, after: next + 1 }
  }

  #flowMapping(at: number): { readonly tree: Tree; readonly after: number } {
    const members = new Map<string, Member>()
    let next = this.#skipSpaces(at + 1)
    if (this.#text.charCodeAt(next) !== CLOSE_MAP)
      for (;;) {
        const keyAt = next
        const { name, after } = this.#flowKey(next)
        const value = this.#flowValue(this.#skipSpaces(after))
        this.#add(members, name, keyAt, value.tree)
        next = this.#skipSpaces(value.after)
        if (this.#text.charCodeAt(next) === CLOSE_MAP) break
        next = this.#afterComma(next)
      }
    return { tree: { members, source: this.#source, at }, after: next + 1 }
  }

  #afterComma(at: number): number {
    if (at >= this.#end || this.#text.charCodeAt(at) !== COMMA) throw new NotPlain()
    return this.#skipSpaces(at + 1)
  }

  #flowKey(at: number): { readonly name: string; readonly after: number } {
    const first = this.#text.charCodeAt(at)
    if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
      const { value, after } = this.#quoted(at)
      if (this.#text.charCodeAt(after) !== COLON) throw new NotPlain()
      return { name: value, after: after + 1 }
    }
    const end = this.#flowPlainEnd(at)
    const name = this.#text.slice(at, end).trimEnd()
    if (this.#text.charCodeAt(end) !== COLON || this.#text.charCodeAt(end + 1) !== SPACE) throw new NotPlain()
    if (name === '' || name.length > MAX_KEY_LENGTH || name === MERGE_KEY) throw new NotPlain()
    return { name, after: end + 1 }
  }

  #flowValue(at: number): { readonly tree: Tree; readonly after: number } {
    if (at >= this.#end) throw new NotPlain()
    const first = this.#text.charCodeAt(at)
    if (first === OPEN_LIST || first === OPEN_MAP) return this.#flow(at)
    if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
      const { value, after } = this.#quoted(at)
      return { tree: this.#scalar(value, at), after }
    }
    if (first === BANG) {
      let end = at
      const tree = this.#tagged(at, (inner) => {
        const value = this.#flowValue(inner)
        end = value.after
        return value.tree
      })
      return { tree, after: end }
    }
    const end = this.#flowPlainEnd(at)
    const plain = this.#text.slice(at, end).trimEnd()
    if (plain === '' || this.#text.charCodeAt(end) === COLON) throw new NotPlain()
    return { tree: this.#plain(plain, at), after: at + plain.length }
  }

  /** The end of plain text in brackets: a comma, a closing bracket, or a colon that ends a key. */
  #flowPlainEnd(at: number): number {
    const text = this.#text
    if (!this.#mayStartPlain(at)) throw new NotPlain()
    for (let next = at; next < this.#end; next++) {
      const code = text.charCodeAt(next)
      if (code === COMMA || code === CLOSE_LIST || code === CLOSE_MAP) return next
      if (code === OPEN_LIST || code === OPEN_MAP) throw new NotPlain()
      if (code === HASH && text.charCodeAt(next - 1) === SPACE) throw new NotPlain()
      // In brackets these need no space behind them.
      if (code === COLON || ((code === DASH || code === QUESTION) && next === at)) {
        const following = text.charCodeAt(next + 1)
        if (following === COMMA || following === CLOSE_LIST || following === CLOSE_MAP) throw new NotPlain()
        if (following === OPEN_LIST || following === OPEN_MAP) throw new NotPlain()
        if (code === COLON && this.#isBreak(next + 1)) return next
      }
    }
    throw new NotPlain()
  }
}

/** Whether the quote at this place has an odd number of backslashes in front of it. */
const isEscaped = (text: string, at: number): boolean => {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** The escapes that YAML shares with JSON; the package knows the others. */
const unescaped = (inner: string): string => {
  if (/\\(?:[^"\\/bfnrtu]|u[dD][89a-fA-F])/.test(inner)) throw new NotPlain()
  try {
    return JSON.parse(`"${inner}"`) as string
  } catch (error) {
    throw new NotPlain('not an escape of JSON', { cause: error })
  }
}
