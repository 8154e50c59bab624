import type { IconName } from '../../components/icons.ts'
import { formatBytes, formatCost, formatDuration, formatTokens } from '../../text/format.ts'
import type { OutlineItem } from './use-transcript.ts'

/** What an event is called, by its type. */
export const TYPE_WORDS: Readonly<Record<OutlineItem['type'], string>> = {
  span: 'Begins',
  span_end: 'Ends',
  message: 'Message',
  model: 'Model call',
  tool: 'Tool',
  state: 'State',
  score: 'Score',
  limit: 'Limit',
  error: 'Error',
  approval: 'Approval',
  input: 'Input',
  log: 'Log',
  other: 'Event',
  text: 'No event',
}

export const TYPE_ICONS: Readonly<Record<OutlineItem['type'], IconName>> = {
  span: 'next',
  span_end: 'previous',
  message: 'bookmark',
  model: 'rise',
  tool: 'edit',
  state: 'columns',
  score: 'pass',
  limit: 'clock',
  error: 'error',
  approval: 'check',
  input: 'upload',
  log: 'file',
  other: 'more',
  text: 'file',
}

/** How long an event took, its tokens and its cost, as far as they are known. */
export const figuresOf = ({
  ms,
  input_tokens,
  output_tokens,
  cost_usd,
  bytes,
}: Pick<OutlineItem, 'ms' | 'input_tokens' | 'output_tokens' | 'cost_usd' | 'bytes'>): string =>
  [
    ms === null ? null : formatDuration(ms),
    input_tokens === null ? null : `${formatTokens(input_tokens)} in`,
    output_tokens === null ? null : `${formatTokens(output_tokens)} out`,
    cost_usd === null ? null : formatCost(cost_usd),
    bytes >= LARGE_BYTES ? formatBytes(bytes) : null,
  ]
    .filter((part) => part !== null)
    .join(' · ')
const LARGE_BYTES = 10_000

/** A time as it is counted from the beginning: `1:02:03`, `2:03`. */
export const clockOf = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (n: number): string => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The colour of an agent, by its place among the agents. */
export const laneColour = (place: number): string => (place < 0 ? 'var(--text-3)' : `var(--chart-${(place % 4) + 1})`)
