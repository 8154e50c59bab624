/** A pattern that is no regular expression. The message says why. */
export class InvalidRegex extends Error {
  override readonly name = 'InvalidRegex'
}

/** What stands between two characters: `b` and `B` are `\b` and `\B`, `^` and `$` those of lines, `A` and `z` of texts. */
export type Assertion = 'b' | 'B' | '^' | '$' | 'A' | 'z'

/** A part of a pattern, in the syntax of RE2: what matches one character, what matches none, or all else. */
export type Part =
  | { readonly kind: 'character' | 'syntax'; readonly text: string }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly text: string }

/**
 * A character of a word: the class `\w` of Unicode Technical Standard 18, annex C. The text is the inside of a class of
 * RE2.
 */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}'
export const IS_WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]/u

// The property White_Space of Unicode, and all that lacks it.
const SPACE =
  '\\x{9}-\\x{D}\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}'

const MAX_CODE_POINT = 0x10ffff

let noWord: string | undefined

/** All that is no character of a word. RE2 has no complement inside a class, so its ranges are written out. */
const noWordRanges = (): string => {
  if (noWord !== undefined) return noWord
  const parts: string[] = []
  let from = 0
  for (let code = 0; code <= MAX_CODE_POINT + 1; code++) {
    if (code <= MAX_CODE_POINT && !IS_WORD.test(String.fromCodePoint(code))) continue
    if (code > from) parts.push(`\\x{${from.toString(16)}}-\\x{${(code - 1).toString(16)}}`)
    from = code + 1
  }
  return (noWord = parts.join(''))
}

/** The insides of the classes that a letter behind a backslash stands for. */
const CLASSES: Readonly<Record<string, () => string>> = {
  d: () => '\\p{Nd}',
  D: () => '\\P{Nd}',
  s: () => SPACE,
  S: () => NO_SPACE,
  w: () => WORD,
  W: noWordRanges,
}

// The long names of the general categories of Unicode.
const CATEGORIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    C: 'other',
    Cc: 'control cntrl',
    Cf: 'format',
    Cn: 'unassigned',
    Co: 'privateuse',
    Cs: 'surrogate',
    L: 'letter',
    Ll: 'lowercaseletter',
    Lm: 'modifierletter',
    Lo: 'otherletter',
    Lt: 'titlecaseletter',
    Lu: 'uppercaseletter',
    M: 'mark combiningmark',
    Mc: 'spacingmark',
    Me: 'enclosingmark',
    Mn: 'nonspacingmark',
    N: 'number',
    Nd: 'decimalnumber digit',
    Nl: 'letternumber',
    No: 'othernumber',
    P: 'punctuation punct',
    Pc: 'connectorpunctuation',
    Pd: 'dashpunctuation',
    Pe: 'closepunctuation',
    Pf: 'finalpunctuation',
    Pi: 'initialpunctuation',
    Po: 'otherpunctuation',
    Ps: 'openpunctuation',
    S: 'symbol',
    Sc: 'currencysymbol',
    Sk: 'modifiersymbol',
    Sm: 'mathsymbol',
    So: 'othersymbol',
    Z: 'separator',
    Zl: 'lineseparator',
    Zp: 'paragraphseparator',
    Zs: 'spaceseparator',
  }).flatMap(([short, names]) => names.split(' ').map((name) => [name, short] as const)),
)

const PROPERTY = /^(\^?)(?:(script|sc|general_category|gc)[=:])?(.*)$/i

const property = (sign: string, name: string): string => {
  const [, negated = '', , value = ''] = PROPERTY.exec(name.replaceAll(' ', '')) ?? []
  const known = value.toLowerCase() === 'any' ? 'Any' : CATEGORIES.get(value.toLowerCase().replaceAll(/[-_]/g, ''))
  return `\\${sign}{${negated}${known ?? value}}`
}

/** An escape: a code point, a property, or any character behind a backslash. */
const ESCAPE =
  /\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|U([\da-fA-F]{8})|x\{[\da-fA-F]+\}|x[\da-fA-F]{2}|([pP])(?:\{([^}]*)\}|(\w))|0[0-7]{0,2}|[1-7][0-7]+|[^])/uy
const GROUP = /\((?:\?(?:P?<[^>=!]*>|([a-zA-Z]*)(-[a-zA-Z]*)?([:)])))?/y
const BETWEEN_WORDS = /\\b\{(?:start|end)(?:-half)?\}/y
const COUNT = /\{\d+(?:,\d*)?\}/y
const POSIX = /\[:\^?\w+:\]/y
const QUOTED = /\\Q([^]*?)(?:\\E|$)/y
const SET_OPERATORS = /&&|--|~~/y
const BLANK = /[\s\u0085\u200e\u200f]/

type Flags = { readonly isVerbose: boolean; readonly isMultiline: boolean }

/**
 * Reads a pattern: RE2 syntax with classes of Unicode, `\uXXXX`, the flags `x` and `u`, and the long names of
 * properties. Throws `InvalidRegex` for what other engines read as operators of sets and RE2 as plain characters.
 */
export const readPattern = (pattern: string): readonly Part[] => new PatternParser(pattern).parts()

class PatternParser {
  readonly #pattern: string
  readonly #parts: Part[] = []
  readonly #outer: Flags[] = []
  #flags: Flags = { isVerbose: false, isMultiline: false }
  #position = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  parts(): readonly Part[] {
    while (this.#position < this.#pattern.length) this.#part()
    return this.#parts
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#position
    const match = sticky.exec(this.#pattern)
    if (match !== null) this.#position += match[0].length
    return match
  }

  #character(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#position)!)
    this.#position += character.length
    return character
  }

  #push(kind: 'character' | 'syntax', text: string): void {
    this.#parts.push({ kind, text })
  }

  #assertion(assertion: Assertion, text: string): void {
    this.#parts.push({ kind: 'assertion', assertion, text })
  }

  #part(): void {
    const next = this.#pattern[this.#position]!
    if (next === '\\') this.#backslash()
    else if (next === '[') this.#push('character', this.#class())
    else if (next === '(') this.#group()
    else if (next === '{' && this.#count()) return
    else if (this.#flags.isVerbose && BLANK.test(next)) this.#position++
    else if (this.#flags.isVerbose && next === '#') this.#comment()
    else {
      const character = this.#character()
      if (character === ')') this.#flags = this.#outer.pop() ?? this.#flags
      if (character === '^') this.#assertion(this.#flags.isMultiline ? '^' : 'A', '^')
      else if (character === '$') this.#assertion(this.#flags.isMultiline ? '$' : 'z', '$')
      else this.#push('|)*+?'.includes(character) ? 'syntax' : 'character', character)
    }
  }

  #comment(): void {
    const end = this.#pattern.indexOf('\n', this.#position)
    this.#position = end < 0 ? this.#pattern.length : end + 1
  }

  #count(): boolean {
    const match = this.#match(COUNT)
    if (match !== null) this.#push('syntax', match[0])
    return match !== null
  }

  #group(): void {
    const match = this.#match(GROUP)!
    const [text, on, off = '', end] = match
    const outer = this.#flags
    if (on === undefined || end === undefined) {
      this.#outer.push(outer)
      return this.#push('syntax', text)
    }
    if (off.includes('u'))
      throw new InvalidRegex(`\`${text}\`: classes are those of Unicode; \`u\` cannot be switched off`)
    const set = (letter: string, before: boolean) =>
      on.includes(letter) ? true : off.includes(letter) ? false : before
    if (end === ':') this.#outer.push(outer)
    this.#flags = { isVerbose: set('x', outer.isVerbose), isMultiline: set('m', outer.isMultiline) }
    const [kept, dropped] = [on, off].map((letters) => letters.replaceAll(/[xu]/g, ''))
    const flags = `${kept}${dropped === '-' ? '' : dropped}`
    if (end === ':' || flags !== '') this.#push('syntax', `(?${flags}${end}`)
  }

  #backslash(): void {
    const quoted = this.#match(QUOTED)
    if (quoted !== null) {
      for (const character of quoted[1]!)
        this.#push('character', /[\w\s]|[^\0-\x7f]/.test(character) ? character : `\\${character}`)
      return
    }
    const between = this.#match(BETWEEN_WORDS)
    if (between !== null) throw new InvalidRegex(`\`${between[0]}\` is not supported; use \`\\b\``)
    const escape = this.#escape()
    if (/^\\[bBAz]$/.test(escape)) return this.#assertion(escape[1] as Assertion, escape)
    const inside = CLASSES[escape[1]!]
    if (escape.length === 2 && inside !== undefined) this.#push('character', `[${inside()}]`)
    else this.#push('character', escape)
  }

  /** Takes an escape and returns how RE2 writes it. */
  #escape(): string {
    const match = this.#match(ESCAPE)
    if (match === null) throw new InvalidRegex('a backslash at the end of the pattern')
    const [text, braced, four, eight, sign, name, letter] = match
    const code = braced ?? four ?? eight
    if (code !== undefined) return `\\x{${code}}`
    return sign === undefined ? text : property(sign, name ?? letter!)
  }

  #class(): string {
    const start = this.#position++
    const parts = ['[']
    if (this.#pattern[this.#position] === '^') parts.push(this.#character())
    if (this.#pattern[this.#position] === ']') {
      parts.push('\\]')
      this.#position++
    }
    for (;;) {
      const next = this.#pattern[this.#position]
      if (next === undefined) throw new InvalidRegex(`missing closing ]: \`${this.#pattern.slice(start)}\``)
      const operator = this.#match(SET_OPERATORS)
      if (operator !== null)
        throw new InvalidRegex(
          `\`${operator[0]}\` in a character class is not supported; write \`\\${operator[0][0]}\` for the character`,
        )
      if (next === '\\') {
        const escape = this.#escape()
        const inside = escape.length === 2 ? CLASSES[escape[1]!] : undefined
        parts.push(inside === undefined ? escape : inside())
      } else if (this.#flags.isVerbose && BLANK.test(next)) this.#position++
      else {
        parts.push(this.#match(POSIX)?.[0] ?? this.#character())
        if (next === ']') return parts.join('')
      }
    }
  }
}
