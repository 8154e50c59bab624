import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PROVIDER_TYPES } from '../../engine/suite/shape/provider-shape.ts'
import { suiteShape } from '../../engine/suite/shape/suite-shape.ts'
import type { Definitions } from '../../engine/suite/shape/shape.ts'
import { assertionsTable, keysIn, tableOf, withGenerated } from './schema-table.ts'

type Schema = Readonly<Record<string, unknown>>

const FOLDER = fileURLToPath(new URL('../../docs/evaluations/', import.meta.url))
const definitions: Definitions = new Map()
const root = suiteShape.schema(definitions)
const defined = (name: string): Schema => definitions.get(name)!

const COMMON = new Set(['id', 'label', 'type', 'fallback', 'fallback_only'])
const keysOf = (name: string): readonly string[] => Object.keys(keysIn(defined(name)))
const OWN = new Set(keysOf('provider.exec').filter((key) => !COMMON.has(key)))
/** The keys that every provider has, with the types of all of them. */
const anyProvider: Schema = {
  ...defined('provider.exec'),
  properties: {
    ...keysIn(defined('provider.exec')),
    type: { ...keysIn(defined('provider.exec'))['type'], enum: PROVIDER_TYPES },
  },
}
const { runner, cache } = keysIn(root) as { runner: Schema; cache: Schema }

const TABLES = new Map<string, string>([
  ['suite', tableOf(root)],
  ['runner', tableOf(runner)],
  ['retries', tableOf(keysIn(runner)['retries']!)],
  ['cache', tableOf(cache)],
  ['prompt', tableOf(defined('prompt'))],
  ['test', tableOf(defined('test'))],
  ['defaults', tableOf(defined('defaults'))],
  ['provider', tableOf(anyProvider, OWN)],
  ['provider.exec', tableOf(defined('provider.exec'), COMMON)],
  ['provider.anthropic', tableOf(defined('provider.anthropic'), COMMON)],
  ['provider.http', tableOf(defined('provider.http'), COMMON)],
  ['request', tableOf(defined('request'))],
  ['grader', tableOf(defined('grader'))],
  ['assertions', assertionsTable(Object.fromEntries(definitions), new Set(['type', 'weight', 'negate']))],
])

describe('the tables in docs/evaluations', () => {
  const pages = globSync('*.md', { cwd: FOLDER }).filter((page) =>
    readFileSync(join(FOLDER, page), 'utf8').includes('<!-- generated: '),
  )

  // `npx vitest run spec/docs/generated -u` writes them.
  it.each(pages)('of %s are those of the schema', async (page) => {
    const text = readFileSync(join(FOLDER, page), 'utf8')
    await expect(withGenerated(text, TABLES)).toMatchFileSnapshot(join(FOLDER, page))
  })

  it('are all in a page', () => {
    const shown = pages.flatMap((page) =>
      [...readFileSync(join(FOLDER, page), 'utf8').matchAll(/<!-- generated: (\S+) -->/g)].map(([, name]) => name),
    )
    expect(shown.toSorted()).toEqual([...TABLES.keys()].toSorted())
  })
})
