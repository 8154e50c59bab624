import type { ExpandedTest, PromptSpec, ProviderSpec, Suite } from '../../suite/suite.ts'
import { globMatcher } from './glob.ts'

/** One question of a run: a provider, a prompt, a test and the number of the repetition. */
export type Cell = {
  readonly index: number
  readonly provider: ProviderSpec
  /** Null: the suite has no prompts. */
  readonly prompt: PromptSpec | null
  readonly test: ExpandedTest
  readonly repeat: number
}

/** What a run was asked to select. An empty list selects everything. */
export type Selection = {
  readonly tags: readonly string[]
  /** Patterns for ids of tests: `*` is any run of characters, `/` included, and `?` is one character. */
  readonly filters: readonly string[]
  readonly providers: readonly string[]
  readonly prompts: readonly string[]
  /** How often each cell runs. 0 acts as 1. */
  readonly repeat: number
}

/** Whether a provider answers cells of its own: not only as a fallback, and not embeddings. */
export const formsCells = (provider: ProviderSpec): boolean => !provider.fallback_only && provider.type !== 'embeddings'

/** The tests that have one of the tags and whose id matches one of the patterns. */
export const selectTests = (
  tests: readonly ExpandedTest[],
  { tags, filters }: Pick<Selection, 'tags' | 'filters'>,
): readonly ExpandedTest[] => {
  const wanted = new Set(tags)
  const matchers = filters.map(globMatcher)
  return tests.filter(
    (test) =>
      (wanted.size === 0 || test.tags.some((tag) => wanted.has(tag))) &&
      (matchers.length === 0 || matchers.some((matches) => matches(test.id))),
  )
}

/**
 * Whether a test may be answered by a provider: `only_providers` and `skip_providers` of the test. An empty list
 * restricts nothing.
 */
export const mayAnswer = (test: Pick<ExpandedTest, 'only_providers' | 'skip_providers'>, providerId: string): boolean =>
  ((test.only_providers ?? []).length === 0 || test.only_providers?.includes(providerId) === true) &&
  !test.skip_providers?.includes(providerId)

/**
 * The cells of a run, in the order in which a document lists them: by provider, prompt, test, repetition. `tests` are
 * all tests of the suite.
 */
export const selectCells = (
  suite: Pick<Suite, 'providers' | 'prompts'>,
  tests: readonly ExpandedTest[],
  selection: Selection,
): readonly Cell[] => {
  const selected = selectTests(tests, selection)
  const slots: ReadonlyArray<PromptSpec | null> = suite.prompts.length === 0 ? [null] : suite.prompts
  const prompts = slots.filter(
    (prompt) => selection.prompts.length === 0 || (prompt !== null && selection.prompts.includes(prompt.id)),
  )
  const repeats = Math.max(1, selection.repeat)
  const cells: Cell[] = []
  for (const provider of suite.providers) {
    if (!formsCells(provider)) continue
    if (selection.providers.length > 0 && !selection.providers.includes(provider.id)) continue
    const answered = selected.filter((test) => mayAnswer(test, provider.id))
    for (const prompt of prompts)
      for (const test of answered)
        for (let repeat = 0; repeat < repeats; repeat++)
          cells.push({ index: cells.length, provider, prompt, test, repeat })
  }
  return cells
}
