import { isObject } from '../../../domain/plain/is-object.ts'
import { plural } from '../../text/format.ts'
import { eventOf, givenTo, textsOf } from './event-texts.ts'
import type { ListedEvent } from './use-transcript.ts'

// What the list shows of an event: what a tool was given in one line, and the first lines of what came of it.

export type Preview = {
  /** What a tool is given, or what a message calls, in one line. */
  readonly lead: string
  readonly text: string
  /** What the rest is called, to unfold it; empty if all is shown. */
  readonly more: string
  /** Unfolded, and still not all: the rest is in the event itself. */
  readonly isCut: boolean
}

/** Lines of a text that are shown folded, and unfolded in the list. */
const FOLDED = { lines: 8, characters: 1_200 }
const UNFOLDED = { lines: 400, characters: 60_000 }
const MAX_LEAD = 300

const LEFT_OUT = new Set(['Source', 'Request', 'More'])
const isLead = (name: string): boolean => name === 'Arguments' || name.startsWith('Calls')

/** Arguments in one line; a single text alone is shown as it is. */
const leadOf = (name: string, text: string): string => {
  if (text.length > 10 * MAX_LEAD) return text.slice(0, MAX_LEAD).replace(/\s+/g, ' ')
  let value: unknown = text
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const [only, ...others] = isObject(value) ? Object.values(value) : [value]
  const said = others.length === 0 && typeof only === 'string' ? only : text
  return `${name.startsWith('Calls') ? `${name.slice('Calls '.length)} ` : ''}${said.replace(/\s+/g, ' ')}`
}

type Texts = { readonly lead: string; readonly text: string }
const known = new WeakMap<ListedEvent, Texts>()

const textOf = (listed: ListedEvent): Texts => {
  const before = known.get(listed)
  if (before) return before
  const texts = textsOf(listed).filter(({ name }) => !LEFT_OUT.has(name))
  const lead = texts.filter(({ name }) => isLead(name)).map(({ name, text }) => leadOf(name, text))
  const said = texts.filter(({ name }) => !isLead(name)).map(({ text }) => text)
  const isLong = lead.join(' · ').length > MAX_LEAD
  const both = {
    lead: `${lead.join(' · ').slice(0, MAX_LEAD)}${isLong ? '…' : ''}`,
    text: said.join('\n').trim() || (lead.length > 0 ? '' : givenTo(listed)),
  }
  known.set(listed, both)
  return both
}

const beginningOf = (text: string, most: typeof FOLDED): string => {
  const lines = text.split('\n', most.lines).join('\n')
  if (lines.length <= most.characters) return lines
  // Not within a pair of surrogates.
  return lines.slice(0, most.characters).replace(/[\ud800-\udbff]$/, '')
}

const lineCount = (text: string): number => text.split('\n').length

/** The beginning of what an event says, or nearly all of it. `bytes` is the length of its line. */
export const previewOf = (listed: ListedEvent, isOpen: boolean): Preview => {
  const { lead, text } = textOf(listed)
  const folded = beginningOf(text, FOLDED)
  const isWhole = folded.length === text.length && !listed.cut
  const shown = isOpen ? beginningOf(text, UNFOLDED) : folded
  const lines = lineCount(text) - lineCount(folded)
  return {
    lead,
    text: shown,
    more: isWhole ? '' : lines > 0 ? plural(lines, 'more line') : plural(text.length - folded.length, 'more character'),
    isCut: isOpen && (listed.cut === true || shown.length < text.length),
  }
}

/** Whether an event has more than the list shows of it folded. */
export const isLong = (listed: ListedEvent): boolean => previewOf(listed, false).more !== ''

/** What an event is about, for the name of a row: a message by its role. */
export const roleOf = (listed: ListedEvent | null): string | null => {
  const role = listed ? eventOf(listed)?.['role'] : null
  return typeof role === 'string' ? role : null
}
