import { formulaAt } from './formulas.ts'
import type { MarkdownNode } from './nodes.ts'
import { referredCharacter } from './references.ts'

/** A sign that may begin or end what is emphasised. `run` is the number of equal signs that it stands among. */
type Sign = {
  readonly kind: 'sign'
  readonly text: string
  readonly run: number
  open: boolean
  close: boolean
  /** The index, among the signs, of the one that ends what this one begins. */
  end: number
  readonly at: number
}
type Piece = MarkdownNode | Omit<Sign, 'at'>

/** Text without any sign. */
const PLAIN = /[^\\`*_~[\]!<&$\n]+/y
const CODE = /`+/g
const REFERENCE = /&(?:#(?:x[\da-f]{1,6}|\d{1,7})|[a-z][a-z\d]{1,31});/iy
const AUTO_LINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*)>|<([\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+)>/iy
const PUNCTUATION = /[!-/:-@[-`{-~]/
/** What a link cannot lead to: it stays text. */
const REFUSED = /^\s*(?:vbscript|javascript|file|data):/i
const PICTURE = /^data:image\/(?:gif|png|jpeg|webp);/i

const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}
/** A text with its escaped characters and references replaced. */
const unescaped = (text: string): string =>
  text.replace(
    /\\([!-/:-@[-`{-~])|&(?:#(?:x[\da-f]{1,6}|\d{1,7})|[a-z][a-z\d]{1,31});/gi,
    (all, escaped?: string) => escaped ?? referredCharacter(all) ?? all,
  )

/** The end of a link after its words: `(address "title")`. Null if it has none. */
const targetAt = (
  text: string,
  from: number,
): { readonly end: number; readonly address: string; readonly title: string } | null => {
  if (text[from] !== '(') return null
  const skip = (at: number): number => match(/\s*/y, text, at)?.[0].length ?? 0
  let at = from + 1 + skip(from + 1)
  const quoted = match(/<((?:\\.|[^\n<>\\])*)>/y, text, at)
  let address = quoted?.[1] ?? ''
  if (quoted) at += quoted[0].length
  else {
    const start = at
    for (let depth = 0; at < text.length && text.charCodeAt(at) > 0x20; at++) {
      if (text[at] === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) at++
      else if (text[at] === '(' && ++depth > 32) return null
      else if (text[at] === ')' && depth-- === 0) break
    }
    address = text.slice(start, at)
  }
  const space = skip(at)
  at += space
  const title = space > 0 ? match(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\(((?:\\.|[^()\\])*)\)/sy, text, at) : null
  if (title) at += title[0].length + skip(at + title[0].length)
  if (text[at] !== ')' || (REFUSED.test(address) && !PICTURE.test(address))) return null
  return {
    end: at + 1,
    address: unescaped(address),
    title: unescaped(title?.slice(1).find((part) => part !== undefined) ?? ''),
  }
}

const isSpace = (character: string): boolean => character === '' || /\s/.test(character)
const isPunctuation = (character: string): boolean => /[\p{P}\p{S}]/u.test(character)
/** The character that ends at, or begins at, an index: two units of UTF-16 if it needs them. */
const before = (text: string, at: number): string =>
  /[\ud800-\udbff][\udc00-\udfff]$|.?$/s.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ''
const after = (text: string, at: number): string => /^.?/su.exec(text.slice(at, at + 2))?.[0] ?? ''

/** Whether a run of signs may begin and may end what is emphasised (CommonMark, "left-flanking" and "right-flanking"). */
const flanks = (text: string, start: number, end: number): { open: boolean; close: boolean } => {
  const [last, next] = [before(text, start), after(text, end)]
  const left = !isSpace(next) && (!isPunctuation(next) || isSpace(last) || isPunctuation(last))
  const right = !isSpace(last) && (!isPunctuation(last) || isSpace(next) || isPunctuation(next))
  const isWithin = text[start] === '_'
  return {
    open: left && (!isWithin || !right || isPunctuation(last)),
    close: right && (!isWithin || !left || isPunctuation(next)),
  }
}

/** Pairs the signs. What is already paired is jumped over, so that the time grows with their number alone. */
const pair = (signs: readonly Sign[]): void => {
  const bottoms = new Map<string, number>()
  const jumps: number[] = []
  let [head, last] = [0, -2]
  for (const [n, sign] of signs.entries()) {
    jumps.push(0)
    if (signs[head]?.text !== sign.text || last !== sign.at - 1) head = n
    last = sign.at
    if (!sign.close) continue
    const key = `${sign.text}${sign.open}${sign.run % 3}`
    const from = head - (jumps[head] ?? 0) - 1
    let isPaired = false
    for (let index = from; index > (bottoms.get(key) ?? -1) && !isPaired; index -= (jumps[index] ?? 0) + 1) {
      const opener = signs[index]
      if (!opener || opener.text !== sign.text || !opener.open || opener.end >= 0) continue
      // A run that may do both does not pair with one if their lengths add up to a multiple of three.
      const isOdd =
        (opener.close || sign.open) && (opener.run + sign.run) % 3 === 0 && (opener.run % 3 !== 0 || sign.run % 3 !== 0)
      if (isOdd) continue
      const jump = index > 0 && !signs[index - 1]?.open ? (jumps[index - 1] ?? 0) + 1 : 0
      jumps[n] = n - index + jump
      jumps[index] = jump
      sign.open = false
      opener.close = false
      opener.end = n
      isPaired = true
      last = -2
    }
    if (!isPaired) bottoms.set(key, from)
  }
}

const isSign = (piece: Piece): piece is Omit<Sign, 'at'> => piece.kind === 'sign'
type Element = Extract<MarkdownNode, { kind: 'element' }>

/** The pieces as nodes: what is between paired signs is in an element. */
const nested = (pieces: readonly Piece[]): MarkdownNode[] => {
  const signs = pieces.flatMap((piece, at) => (isSign(piece) ? [Object.assign(piece, { at })] : []))
  pair(signs)
  /** What the sign of an index of `pieces` begins, ends, or is a part of. */
  const roles = new Map<number, Element['tag'] | 'end' | 'none'>()
  for (let n = signs.length - 1; n >= 0; n--) {
    const [sign, end] = [signs[n], signs[signs[n]?.end ?? -1]]
    if (!sign || !end) continue
    const [outer, outerEnd] = [signs[n - 1], signs[sign.end + 1]]
    const isStrong =
      outer?.end === sign.end + 1 &&
      outer.text === sign.text &&
      outer.at === sign.at - 1 &&
      outerEnd?.at === end.at + 1 &&
      sign.text !== '~~'
    roles.set(sign.at, sign.text === '~~' ? 's' : isStrong ? 'strong' : 'em')
    roles.set(end.at, 'end')
    if (!isStrong) continue
    roles.set(outer.at, 'none')
    roles.set(outerEnd.at, 'none')
    n--
  }
  const open: MarkdownNode[][] = [[]]
  const add = (node: MarkdownNode): void => {
    const into = open.at(-1)
    const last = into?.at(-1)
    if (node.kind === 'text' && node.text === '') return
    // Neighbouring texts are one, as they are seen.
    if (node.kind === 'text' && last?.kind === 'text') into?.splice(-1, 1, { ...last, text: last.text + node.text })
    else into?.push(node)
  }
  for (const [at, piece] of pieces.entries()) {
    const role = roles.get(at)
    if (role === 'end') open.pop()
    else if (role !== undefined && role !== 'none') {
      const children: MarkdownNode[] = []
      add({ kind: 'element', tag: role, number: null, children })
      open.push(children)
    } else if (role === undefined) add(isSign(piece) ? { kind: 'text', text: piece.text } : piece)
  }
  return open[0] ?? []
}

/** The nodes of a text within a block: emphasis, code, links, pictures and formulas. */
export const inlineNodes = (text: string): MarkdownNode[] => {
  const pieces: Piece[] = []
  /** The brackets that are open: a link may follow. */
  const brackets: Array<{ readonly at: number; readonly start: number; readonly isImage: boolean }> = []
  /** Brackets before it are around a link, and so begin none. */
  let aroundLink = 0
  const plain = (shown: string): void => void pieces.push({ kind: 'text', text: shown })
  /** Where runs of backticks begin, from the last one, by their length. */
  let codeRuns: Map<number, RegExpExecArray[]> | null = null
  const closingRun = (length: number, from: number): number => {
    if (!codeRuns) {
      codeRuns = Map.groupBy([...text.matchAll(CODE)].toReversed(), ([run]) => run.length)
    }
    const runs = codeRuns.get(length) ?? []
    while ((runs.at(-1)?.index ?? from) < from) runs.pop()
    return runs.at(-1)?.index ?? -1
  }
  const closeBracket = (at: number): number => {
    const bracket = brackets.pop()
    const isUsed = bracket && (bracket.isImage || brackets.length >= aroundLink)
    aroundLink = Math.min(aroundLink, brackets.length)
    const target = isUsed ? targetAt(text, at + 1) : null
    if (!bracket || !target) {
      plain(']')
      return at + 1
    }
    const within = pieces.splice(bracket.at).slice(1)
    const { address, title, end } = target
    if (bracket.isImage) pieces.push({ kind: 'image', address, title, alt: text.slice(bracket.start, at) })
    else {
      pieces.push({ kind: 'link', address, title, children: nested(within) })
      aroundLink = brackets.length
    }
    return end
  }
  const signsAt = (at: number): number => {
    const sign = text[at] ?? ''
    let end = at
    while (text[end] === sign) end++
    const flanking = flanks(text, at, end)
    const run = end - at
    if (sign !== '~') for (let n = 0; n < run; n++) pieces.push({ kind: 'sign', text: sign, run, ...flanking, end: -1 })
    else {
      if (run % 2 === 1) plain(sign)
      for (let n = 1; n < run; n += 2) pieces.push({ kind: 'sign', text: '~~', run: 0, ...flanking, end: -1 })
    }
    return end
  }
  /** Reads what begins at an index; returns the index after it. */
  const readAt = (at: number): number => {
    const words = match(PLAIN, text, at)?.[0]
    if (words !== undefined) {
      plain(words)
      return at + words.length
    }
    const character = text[at] ?? ''
    const formula = character === '$' || character === '\\' ? formulaAt(text, at) : null
    if (formula) {
      pieces.push({ kind: 'math', formula: formula.formula, isBlock: formula.isBlock })
      return formula.end
    }
    switch (character) {
      case '\n': {
        const last = pieces.at(-1)
        if (last?.kind === 'text') pieces.splice(-1, 1, { ...last, text: last.text.trimEnd() })
        pieces.push({ kind: 'break' })
        return at + (match(/\s+/y, text, at)?.[0].length ?? 1)
      }
      case '\\': {
        const next = text[at + 1] ?? ''
        if (next === '\n') return at + 1
        plain(PUNCTUATION.test(next) ? next : character)
        return at + (PUNCTUATION.test(next) ? 2 : 1)
      }
      case '`': {
        const length = match(CODE, text, at)?.[0].length ?? 1
        const end = closingRun(length, at + length)
        if (end === -1) plain(text.slice(at, at + length))
        else {
          const code = text.slice(at + length, end).replaceAll('\n', ' ')
          const isPadded = /^ .* $/s.test(code) && code.trim() !== ''
          pieces.push({ kind: 'inline-code', text: isPadded ? code.slice(1, -1) : code })
        }
        return (end === -1 ? at : end) + length
      }
      case '*':
      case '_':
      case '~':
        return signsAt(at)
      case '!':
      case '[': {
        const isImage = character === '!' && text[at + 1] === '['
        const start = at + (isImage ? 2 : 1)
        if (isImage || character === '[') brackets.push({ at: pieces.length, start, isImage })
        plain(text.slice(at, start))
        return start
      }
      case ']':
        return closeBracket(at)
      case '<': {
        const [all, address, mail] = match(AUTO_LINK, text, at) ?? []
        const words = address ?? mail
        const isLink = all !== undefined && words !== undefined && !REFUSED.test(words)
        if (isLink)
          pieces.push({
            kind: 'link',
            address: mail === undefined ? words : `mailto:${words}`,
            title: '',
            children: [{ kind: 'text', text: words }],
          })
        else plain(character)
        return at + (isLink ? all.length : 1)
      }
      default: {
        const reference = match(REFERENCE, text, at)?.[0]
        const referred = reference === undefined ? null : referredCharacter(reference)
        plain(referred ?? character)
        return at + (referred === null ? 1 : (reference?.length ?? 1))
      }
    }
  }
  for (let at = 0; at < text.length;) at = readAt(at)
  return nested(pieces)
}
