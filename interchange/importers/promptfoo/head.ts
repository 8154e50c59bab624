import type { Losses } from '../../document/losses.ts'
import { readTime, timeOfMs } from '../../document/times.ts'
import type { Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'

/** Reads what an export says of the whole evaluation. */
export const promptfooHead = (top: Row, losses: Losses): RunHead => {
  const results = top.row('results') ?? top
  const stats = results.row('stats')
  const config = top.row('config')
  const metadata = top.row('metadata')
  const version = results.id('version')
  top.text('evalId')
  const startedAt = readTime(results.text('timestamp') ?? top.text('createdAt') ?? '')
  const durationMs = stats?.number('durationMs') ?? null
  const finishedAt = startedAt !== null && durationMs !== null ? timeOfMs(Date.parse(startedAt) + durationMs) : null
  const description = config?.text('description') ?? null
  const { tags, branch } = tagsOf(config?.row('tags') ?? null)
  if (results !== top) losses.add('left_out', 'results.prompts', results.peek('prompts'), 'totals of the columns')
  void losses
  return {
    formatVersion: version,
    suite: description,
    description,
    startedAt,
    finishedAt,
    config: top,
    git: { branch },
    origin: {
      actor: top.text('author') ?? metadata?.text('author') ?? null,
      version: metadata?.text('promptfooVersion') ?? null,
      note: description,
    },
    tags,
  }
}

/** The tags of the configuration as `key:value`; `branch` and `git.branch` name the branch. */
const tagsOf = (row: Row | null): { readonly tags: readonly string[]; readonly branch: string | null } => {
  const branch = row?.text('branch') ?? row?.text('git.branch') ?? null
  const tags = (row?.keys() ?? []).flatMap((key) => {
    const value = row?.id(key) ?? null
    return value === null ? [] : [`${key}:${value}`]
  })
  return { tags, branch }
}
