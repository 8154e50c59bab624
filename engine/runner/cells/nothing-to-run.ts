import { counted } from '../../../domain/plain/counted.ts'
import { UsageError } from '../../json.ts'
import type { ExpandedTest, ProviderSpec, Suite, TestSource } from '../../suite/suite.ts'
import { formsCells, selectTests, type Selection } from './cells.ts'

const MAX_EXAMPLES = 5

/**
 * Refuses a `--provider` that is not a provider of the suite or that answers no cells, even next to valid ones. Throws
 * `UsageError`.
 */
export const requireProviders = (suite: Pick<Suite, 'providers'>, asked: readonly string[]): void => {
  const byId = new Map(suite.providers.map((provider) => [provider.id, provider]))
  const unknown = asked.filter((id) => !byId.has(id))
  const without = asked.filter((id) => {
    const provider = byId.get(id)
    return provider !== undefined && !formsCells(provider)
  })
  if (unknown.length === 0 && without.length === 0) return
  const reasons = [
    ...unknown.map((id) => `no provider \`${id}\``),
    ...without.map((id) => `\`${id}\` ${whyWithoutCells(byId.get(id))}`),
  ]
  const all = unknown.length + without.length === asked.length
  throw new UsageError(
    `run error: ${all ? 'this run would grade nothing: ' : ''}${reasons.join(', ')}; available: ${cellFormingIds(suite)}`,
  )
}

/**
 * Why a run without cells has none: the sentence after `this run would grade nothing: `. `tests` are all tests of the
 * suite.
 */
export const whyNothing = (
  suite: Pick<Suite, 'providers' | 'prompts' | 'tests'>,
  tests: readonly ExpandedTest[],
  selection: Selection,
): string => {
  if (suite.tests.length === 0) return 'the suite has no tests: `tests` is empty'
  if (tests.length === 0)
    return `the sources of \`tests\` produced none: ${suite.tests.flatMap(withoutTests).join(', ')}`
  const selected = selectTests(tests, selection)
  if (selected.length === 0)
    return `none of ${counted(tests.length, 'test')} is selected by ${askedTests(selection)}; ids are, for example, ${examples(tests)}`
  if (!suite.providers.some(formsCells))
    return `no provider forms cells: ${suite.providers.map((provider) => `\`${provider.id}\` ${whyWithoutCells(provider)}`).join(', ')}`
  const promptIds = new Set(suite.prompts.map(({ id }) => id))
  if (selection.prompts.length > 0 && !selection.prompts.some((id) => promptIds.has(id)))
    return `no prompt ${quoted(selection.prompts)}; ${promptIds.size === 0 ? 'the suite has no prompts' : `available: ${[...promptIds].join(', ')}`}`
  return `\`only_providers\` and \`skip_providers\` of the selected tests leave no provider${selection.providers.length > 0 ? ` of ${quoted(selection.providers)}` : ''}; available: ${cellFormingIds(suite)}`
}

const quoted = (ids: readonly string[]): string => ids.map((id) => `\`${id}\``).join(', ')

const cellFormingIds = (suite: Pick<Suite, 'providers'>): string =>
  suite.providers
    .filter(formsCells)
    .map(({ id }) => id)
    .join(', ') || 'none'

const whyWithoutCells = (provider: ProviderSpec | undefined): string =>
  provider?.type === 'embeddings'
    ? 'is of type `embeddings` and answers no cells'
    : 'is `fallback_only` and answers no cells of its own'

/** A source that gave no tests, as the suite writes it. */
const withoutTests = (source: TestSource): string[] => {
  if (source.kind === 'files') return [`no tests in files that match \`${source.glob}\``]
  if (source.kind === 'generator') return [`no tests from the generator \`${source.command.join(' ')}\``]
  return []
}

const askedTests = ({ tags, filters }: Selection): string =>
  [...tags.map((tag) => `--tag ${tag}`), ...filters.map((filter) => `--filter ${filter}`)].join(' ')

const examples = (tests: readonly ExpandedTest[]): string => quoted(tests.slice(0, MAX_EXAMPLES).map(({ id }) => id))
