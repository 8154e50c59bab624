/** How a pattern matches differently in a suite. `isRare`: only for characters that few answers contain. */
type Difference = { readonly text: string; readonly isRare: boolean }

/** A regular expression of JavaScript without flags, rewritten for a suite, and the differences that remain. */
type ConvertedRegex = { readonly pattern: string; readonly differences: readonly Difference[] }

const RARE_CHARACTERS: Difference = {
  text: '`.`, `\\s` and `[^…]` in regular expressions differ for rare characters: a lone carriage return, U+0085, U+2028, U+2029, U+FEFF, and an emoji, which counts as two characters in promptfoo',
  isRare: true,
}
const WORD_BORDERS: Difference = {
  text: '`\\b` and `\\B` in regular expressions follow the letters of Unicode here, and those of ASCII in promptfoo: next to é they differ',
  isRare: true,
}
const NO_LOOK_AROUND: Difference = {
  text: 'regular expressions have no look-around and no back-references: review the pattern',
  isRare: false,
}
const LONE_SURROGATES: Difference = { text: 'half of a surrogate pair matches nothing here', isRare: false }

/** What a letter after a backslash means in JavaScript, outside and inside of a class. */
const ASCII_CLASSES: Readonly<Record<string, { readonly outside: string; readonly inside: string }>> = {
  d: { outside: '[0-9]', inside: '0-9' },
  D: { outside: '[^0-9]', inside: '\\x{0}-\\x{2F}\\x{3A}-\\x{10FFFF}' },
  w: { outside: '[0-9A-Za-z_]', inside: '0-9A-Za-z_' },
  W: {
    outside: '[^0-9A-Za-z_]',
    inside: '\\x{0}-\\x{2F}\\x{3A}-\\x{40}\\x{5B}-\\x{5E}\\x{60}\\x{7B}-\\x{10FFFF}',
  },
}

/** An escape: a control letter, a code unit, an octal number, a name of a group, or any character. */
const ESCAPE = /\\(?:c([A-Za-z])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|([0-3]?[0-7]{1,2})|k<([^>]*)>|([^]))/uy
const GROUP = /\((?:\?(?:<(?![=!])|[a-z-]*:|<?[=!]))?/y
const COUNT = /\{\d+(?:,\d*)?\}/y

/** Whether JavaScript accepts a pattern. */
export const isJavaScriptRegex = (pattern: string): boolean => {
  try {
    new RegExp(pattern)
    return true
  } catch {
    // A SyntaxError is the answer.
    return false
  }
}

/**
 * Writes a pattern of JavaScript, as `new RegExp(pattern)` reads it, in the syntax of a suite: classes of letters and
 * digits are those of ASCII in JavaScript and of Unicode in a suite, and many escapes differ (ECMA-262, annex B.1.2). The pattern must
 * be valid.
 */
export const convertRegex = (pattern: string): ConvertedRegex => new Converter(pattern).converted()

class Converter {
  readonly #pattern: string
  readonly #differences = new Set<Difference>()
  readonly #groups: number
  readonly #hasNames: boolean
  #position = 0

  constructor(pattern: string) {
    this.#pattern = pattern
    // An alternative that matches nothing yields a match with every group.
    this.#groups = new RegExp(`${pattern}|`).exec('')!.length - 1
    this.#hasNames = /\(\?<(?![=!])/.test(pattern)
  }

  converted(): ConvertedRegex {
    const parts: string[] = []
    while (this.#position < this.#pattern.length) parts.push(this.#part())
    return { pattern: parts.join(''), differences: [...this.#differences] }
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
    if (character.length > 1) this.#differences.add(RARE_CHARACTERS)
    return character
  }

  #part(): string {
    const next = this.#pattern[this.#position]!
    if (next === '\\') return this.#escape(false)
    if (next === '[') return this.#class()
    const group = this.#match(GROUP)
    if (group !== null) {
      if (/[=!]$/.test(group[0])) this.#differences.add(NO_LOOK_AROUND)
      return group[0]
    }
    const count = this.#match(COUNT)
    if (count !== null) return count[0]
    const character = this.#character()
    if (character === '.') this.#differences.add(RARE_CHARACTERS)
    return /[{}\]]/.test(character) ? `\\${character}` : character
  }

  #escape(isInClass: boolean): string {
    const [text, control, byte, unit, octal, name, letter = ''] = this.#match(ESCAPE)!
    if (control !== undefined) return hex(control.charCodeAt(0) % 32)
    if (byte !== undefined) return hex(Number.parseInt(byte, 16))
    if (unit !== undefined) return this.#unit(Number.parseInt(unit, 16))
    if (octal !== undefined) return this.#octal(text, octal, isInClass)
    if (name !== undefined) {
      if (this.#hasNames) this.#differences.add(NO_LOOK_AROUND)
      return this.#hasNames ? text : `k<${name}>`
    }
    const ascii = ASCII_CLASSES[letter]
    if (ascii !== undefined) {
      // The set has almost all characters, so it matters that promptfoo counts some of them as two code units.
      if (letter === 'D' || letter === 'W') this.#differences.add(RARE_CHARACTERS)
      return isInClass ? ascii.inside : ascii.outside
    }
    if (/[sS]/.test(letter)) this.#differences.add(RARE_CHARACTERS)
    if (/[sSfnrtv]/.test(letter)) return text
    if (/[bB]/.test(letter) && !isInClass) this.#differences.add(WORD_BORDERS)
    if (/[bB]/.test(letter)) return isInClass && letter === 'b' ? hex(8) : text
    // After a backslash all other letters mean themselves. `\c` without a letter means a backslash and a `c`.
    if (letter === 'c') return '\\\\c'
    return /[\p{L}\p{N}_]|[^\0-\x7f]/u.test(letter) ? letter : `\\${letter}`
  }

  #unit(code: number): string {
    if (code < 0xd8_00 || code > 0xdf_ff) return hex(code)
    const low = /\\u([dD][c-fC-F][\da-fA-F]{2})/y
    const second = code < 0xdc_00 ? this.#match(low) : null
    this.#differences.add(second === null ? LONE_SURROGATES : RARE_CHARACTERS)
    return second === null
      ? hex(code)
      : hex(0x1_00_00 + ((code - 0xd8_00) << 10) + Number.parseInt(second[1]!, 16) - 0xdc_00)
  }

  /** `\1` is a back-reference if there is such a group; else, as in a class, it is an octal number. */
  #octal(text: string, octal: string, isInClass: boolean): string {
    const decimal = /^[1-9]\d*/.exec(this.#pattern.slice(this.#position - octal.length))?.[0]
    if (isInClass || decimal === undefined || Number(decimal) > this.#groups) return hex(Number.parseInt(octal, 8))
    this.#differences.add(NO_LOOK_AROUND)
    return text
  }

  #class(): string {
    this.#position++
    const isNegated = this.#pattern[this.#position] === '^'
    if (isNegated) this.#position++
    const parts: string[] = []
    while (this.#pattern[this.#position] !== ']') parts.push(this.#classPart(parts.length === 0))
    this.#position++
    if (isNegated) this.#differences.add(RARE_CHARACTERS)
    const inside = parts.join('')
    if (inside === '') return isNegated ? '[\\x{0}-\\x{10FFFF}]' : '[^\\x{0}-\\x{10FFFF}]'
    return `[${isNegated ? '^' : ''}${inside}]`
  }

  #classPart(isFirst: boolean): string {
    const [from, isSet] = this.#classCharacter()
    const isRange = this.#pattern[this.#position] === '-' && this.#pattern[this.#position + 1] !== ']'
    if (!isRange || isSet) return isFirst && from === '^' ? '\\^' : from
    this.#position++
    const [to, isOtherSet] = this.#classCharacter()
    // A set of characters is no end of a range: then the dash is one of the characters.
    return isOtherSet ? `${from}\\-${to}` : `${from}-${to}`
  }

  #classCharacter(): readonly [text: string, isSet: boolean] {
    const isSet = /\\[dDwWsS]/y
    isSet.lastIndex = this.#position
    if (isSet.test(this.#pattern)) return [this.#escape(true), true]
    if (this.#pattern[this.#position] === '\\') return [this.#escape(true), false]
    const character = this.#character()
    // What other engines read as operators of sets.
    return [/[-[&~]/.test(character) ? `\\${character}` : character, false]
  }
}

const hex = (code: number): string => `\\x{${code.toString(16).toUpperCase()}}`
