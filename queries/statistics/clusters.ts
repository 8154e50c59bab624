import { tagsIn } from '../../domain/run/tags.ts'
import { clusteredMean, type ClusteredMean } from '../../domain/statistics/means.ts'
import type { Reader } from '../../storage/storage.ts'
import { BadParameter } from '../bad-parameter.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { readSpans, readTags, type OutcomeRow } from './outcomes.ts'

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

/** The mean of the values of units, each in the group of its first case. */
export const clusteredUnits = (
  units: ReadonlyArray<{ readonly first: OutcomeRow }>,
  values: readonly number[],
  groupOf: GroupOf,
): ClusteredMean | null =>
  clusteredMean(
    values,
    units.map(({ first }) => groupOf(first)),
  )

/** The first tag with a prefix, or null. Most cases share their tags with others, so each text is parsed once. */
const firstTags = (prefix: string): ((tags: string | null) => string | null) => {
  const known = new Map<string | null, string | null>()
  return (tags) => {
    const cached = known.get(tags)
    if (cached !== undefined) return cached
    const found = [...tagsIn(tags)].filter((tag) => tag.startsWith(prefix)).sort()[0] ?? null
    known.set(tags, found)
    return found
  }
}

/** Maximum number of names in an error. */
const MAX_NAMED = 10

/** The value of a variable of each case that has it, as JSON text. */
const readValues = async (
  reader: Reader,
  documents: DocumentReader,
  run_no: number,
  name: string,
): Promise<{ readonly values: ReadonlyMap<number, string>; readonly names: ReadonlySet<string> }> => {
  const values = new Map<number, string>()
  const names = new Set<string>()
  for (const { n, document_offset, document_length } of await readSpans(reader, run_no)) {
    const slice = await documents.slice(run_no, document_offset, document_length)
    const { vars } = JSON.parse(slice.toString('utf8')) as { readonly vars?: Readonly<Record<string, unknown>> | null }
    for (const each of Object.keys(vars ?? {})) if (names.size < MAX_NAMED) names.add(each)
    if (vars && Object.hasOwn(vars, name)) values.set(n, JSON.stringify(vars[name]))
  }
  return { values, names }
}

/**
 * Finds the groups of the cases of a run. Variables are only in the document, so a grouping by one reads all cases
 * there. Throws `BadParameter` if no case has such a tag or variable.
 */
export const findGroups = async (
  reader: Reader,
  documents: DocumentReader,
  run_no: number,
  cluster: ClusterBy,
): Promise<GroupOf> => {
  if (cluster.by === 'test') return (outcome) => outcome.test_id ?? ownGroup(outcome)
  if (cluster.by === 'tag') {
    const { prefix } = cluster
    const tags = await readTags(reader, run_no)
    const tagOf = firstTags(prefix)
    if (tags.size > 0 && ![...tags.values()].some((text) => tagOf(text) !== null))
      throw new BadParameter(`cluster_by: no case has a tag that begins with ${JSON.stringify(prefix)}`)
    return (outcome) => tagOf(tags.get(outcome.n) ?? null) ?? ownGroup(outcome)
  }
  const { name } = cluster
  const { values, names } = await readValues(reader, documents, run_no, name)
  if (values.size === 0) {
    const known = names.size === 0 ? 'the cases have no variables' : `some are ${[...names].join(', ')}`
    throw new BadParameter(`cluster_by: no case has the variable ${JSON.stringify(name)}; ${known}`)
  }
  return (outcome) => values.get(outcome.n) ?? ownGroup(outcome)
}
