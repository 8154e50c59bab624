import type { OutlineItem } from './use-transcript.ts'

const plus = (sum: number | null, more: number | null): number | null => (more === null ? sum : (sum ?? 0) + more)

/** What was spent before an event: its tokens, its cost in US dollars and its time in ms; null where no event says it. */
export const spentBefore = (
  events: Iterable<OutlineItem>,
  n: number,
): Pick<OutlineItem, 'ms' | 'input_tokens' | 'output_tokens' | 'cost_usd'> => {
  const spent: ReturnType<typeof spentBefore> = { ms: null, input_tokens: null, output_tokens: null, cost_usd: null }
  let first: number | null = null
  for (const { n: at, type, ...item } of events) {
    first ??= item.at
    if (at >= n) {
      if (first !== null && item.at !== null) spent.ms = Math.max(0, item.at - first)
      break
    }
    // What a span says is the sum of the events in it.
    if (type === 'span' || type === 'span_end') continue
    for (const name of ['input_tokens', 'output_tokens', 'cost_usd'] as const)
      spent[name] = plus(spent[name], item[name])
  }
  return spent
}
