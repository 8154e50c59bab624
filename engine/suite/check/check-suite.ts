import type { Json, JsonObject } from '../../json.ts'
import { keysOf, keyPath, type Path } from '../issues.ts'
import type { AuthoredPrompt } from '../shape/prompt-shape.ts'
import type { AuthoredGrader, AuthoredProvider } from '../shape/provider-shape.ts'
import type { AuthoredDefaults, AuthoredTest } from '../shape/test-shape.ts'
import { hasKey, isList, isMapping } from '../values.ts'
import { checkPrompts, historyMayComeFirst } from './check-prompts.ts'
import { checkProviders } from './check-providers.ts'
import { checkDefaults, checkGrader, checkTests } from './check-tests.ts'
import type { Findings, Numbered } from './findings.ts'

/**
 * Checks what shapes cannot say: ids, references, turns, patterns. Parts whose shape was refused
 * are left out, so that one load reports as much as possible; `broken` are the places that were refused.
 */
export const checkSuite = async (suite: JsonObject, broken: readonly Path[], findings: Findings): Promise<void> => {
  const refused = new Set(broken.map((path) => keysOf(path).slice(0, 2).join(' ')))
  const refusedParts = new Set(broken.map((path) => keysOf(path)[0]))

  const entries = (key: string): ReadonlyArray<Numbered<Json>> => {
    const list = suite[key]
    if (!isList(list)) return []
    return list.map((value, index) => ({ value, index })).filter(({ index }) => !refused.has(`${key} ${index}`))
  }
  const block = (key: string): Json | undefined => (refusedParts.has(key) ? undefined : suite[key])

  checkProviders(
    entries('providers') as ReadonlyArray<Numbered<AuthoredProvider>>,
    providerIds(suite['providers']),
    findings,
  )
  const prompts = entries('prompts') as ReadonlyArray<Numbered<AuthoredPrompt>>
  checkPrompts(prompts, findings)

  const mayComeFirst = historyMayComeFirst(prompts.map(({ value }) => value))
  const grader = block('grader')
  if (grader !== undefined) checkGrader(grader as unknown as AuthoredGrader, keyPath('grader'), findings)
  const defaults = block('defaults') as AuthoredDefaults | undefined
  if (defaults !== undefined) checkDefaults(defaults, mayComeFirst, findings)
  const tests = entries('tests').filter(({ value }) => isMapping(value) && !hasKey(value, 'generator'))
  const hasDefaultAssertions = (defaults?.assert ?? []).length > 0
  checkTests(tests as ReadonlyArray<Numbered<AuthoredTest>>, { mayComeFirst, hasDefaultAssertions }, findings)

  const runner = block('runner')
  const patterns = isMapping(runner) ? (runner as JsonObject)['refusal_patterns'] : undefined
  if (isList(patterns) && patterns.length > 0) await checkPatterns(patterns as readonly string[], findings)
}

/** Ids of all providers, so that a reference to a refused one is not reported as unknown. */
const providerIds = (providers: Json | undefined): string[] =>
  isList(providers)
    ? providers.flatMap((provider) => {
        const id = isMapping(provider) ? (provider as JsonObject)['id'] : undefined
        return typeof id === 'string' ? [id] : []
      })
    : []

const checkPatterns = async (patterns: readonly string[], findings: Findings): Promise<void> => {
  // Loaded on demand: few suites have patterns.
  const { compileRegex, InvalidRegex } = await import('../../text/regex.ts')
  for (const [index, pattern] of patterns.entries())
    try {
      compileRegex(pattern)
    } catch (error) {
      if (!(error instanceof InvalidRegex)) throw error
      findings.error(keyPath('runner', 'refusal_patterns', index), `invalid regex /${pattern}/: ${error.message}`)
    }
}
