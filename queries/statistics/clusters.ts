import { tagsIn } from '../../domain/run/tags.ts'
import { BadParameter } from '../bad-parameter.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { OutcomeRow } from './outcomes.ts'

/** What makes cases depend on each other: their test, a tag with a prefix, or the value of a variable. */
export type ClusterBy =
  | { readonly by: 'test' }
  | { readonly by: 'tag'; readonly prefix: string }
  | { readonly by: 'var'; readonly name: string }

/** Reads `test`, `tag:PREFIX` or `var:NAME`; null for any other text. */
export const parseClusterBy = (text: string): ClusterBy | null => {
  if (text === 'test') return { by: 'test' }
  const [, kind, name = ''] = /^(tag|var):(.+)$/s.exec(text) ?? []
  return kind === 'tag' ? { by: 'tag', prefix: name } : kind === 'var' ? { by: 'var', name } : null
}

/** The name of the group of each case. A case without one is a group of its own. */
export type GroupOf = (outcome: OutcomeRow) => string

const ownGroup = ({ case_key }: OutcomeRow): string => `\0${case_key}`

const firstTag = ({ tags }: OutcomeRow, prefix: string): string | undefined =>
  [...tagsIn(tags)].filter((tag) => tag.startsWith(prefix)).sort()[0]

/** Maximum number of names in an error. */
const MAX_NAMED = 10

/**
 * Finds the groups of cases. Variables are only in the document, so a grouping by one reads all cases of the run there.
 * Throws `BadParameter` if no case has such a tag or variable.
 */
export const findGroups = async (
  documents: DocumentReader,
  run_no: number,
  outcomes: readonly OutcomeRow[],
  cluster: ClusterBy,
): Promise<GroupOf> => {
  if (cluster.by === 'test') return (outcome) => outcome.test_id ?? ownGroup(outcome)
  if (cluster.by === 'tag') {
    const { prefix } = cluster
    if (outcomes.length > 0 && !outcomes.some((outcome) => firstTag(outcome, prefix) !== undefined))
      throw new BadParameter(`cluster_by: no case has a tag that begins with ${JSON.stringify(prefix)}`)
    return (outcome) => firstTag(outcome, prefix) ?? ownGroup(outcome)
  }
  const { name } = cluster
  const values = new Map<OutcomeRow, string>()
  const names = new Set<string>()
  for (const outcome of outcomes) {
    const slice = await documents.slice(run_no, outcome.document_offset, outcome.document_length)
    const { vars } = JSON.parse(slice.toString('utf8')) as { readonly vars?: Readonly<Record<string, unknown>> | null }
    for (const each of Object.keys(vars ?? {})) if (names.size < MAX_NAMED) names.add(each)
    if (vars && Object.hasOwn(vars, name)) values.set(outcome, JSON.stringify(vars[name]))
  }
  if (outcomes.length > 0 && values.size === 0) {
    const known = names.size === 0 ? 'the cases have no variables' : `some are ${[...names].join(', ')}`
    throw new BadParameter(`cluster_by: no case has the variable ${JSON.stringify(name)}; ${known}`)
  }
  return (outcome) => values.get(outcome) ?? ownGroup(outcome)
}
